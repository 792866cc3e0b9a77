//! The parsed file as the checks see it: tables and values that know their place and report what is wrong with them.
//!
//! The tree is walked by hand instead of being deserialized into structs: a deserializer stops at the first wrong
//! value of a struct, and here each value is judged by itself, with its place in the file at hand.

use super::hint;
use super::report::Report;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table of the file.
#[derive(Clone)]
pub(super) struct Section<'t> {
    report: &'t Report<'t>,
    path: String,
    span: Range<usize>,
    table: &'t DeTable<'t>,
}

/// A value of the file.
#[derive(Clone)]
pub(super) struct Item<'t> {
    report: &'t Report<'t>,
    path: String,
    /// Where it stands: comparing two tells which comes first in the file.
    pub(super) span: Range<usize>,
    pub(super) value: &'t DeValue<'t>,
}

impl<'t> Section<'t> {
    /// The file itself.
    pub(super) fn root(table: &'t DeTable<'t>, report: &'t Report<'t>) -> Self {
        Self { report, path: String::new(), span: 0..0, table }
    }

    /// Reports the keys that nobody reads: a misspelt key must not fall back to its default in silence.
    pub(super) fn only(self, known: &[&str]) -> Self {
        self.refuse_others(known, |name| match hint::nearest(name, known.iter().copied()) {
            Some(meant) => format!("unknown key, did you mean {meant}"),
            None => format!("unknown key; known: {}", known.join(", ")),
        });
        self
    }

    /// The same where keys are names of something: `what` they name, and which are known.
    pub(super) fn only_names(&self, what: &str, known: &[&str]) {
        self.refuse_others(known, |name| hint::unknown(what, &format!("`{name}`"), name, known));
    }

    fn refuse_others(&self, known: &[&str], message: impl Fn(&str) -> String) {
        for (key, value) in self.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                self.report.unknown(&key.span(), value.span(), &join(&self.path, name), message(name));
            }
        }
    }

    /// The value of a key, if it is set.
    pub(super) fn item(&self, key: &str) -> Option<Item<'t>> {
        self.table.get(key).map(|value| self.child(key, value))
    }

    /// The value of a key that must be set.
    pub(super) fn required(&self, key: &str) -> Option<Item<'t>> {
        self.item(key).or_else(|| self.missing(key, "is missing"))
    }

    /// What `check` makes of the value, if it is set and right. What is wrong has then been reported, so that a
    /// default in its place does no harm.
    pub(super) fn get<T>(&self, key: &str, check: impl FnOnce(&Item<'t>) -> Option<T>) -> Option<T> {
        self.item(key).and_then(|item| check(&item))
    }

    /// What `check` makes of the value, which must be set.
    pub(super) fn need<T>(&self, key: &str, check: impl FnOnce(&Item<'t>) -> Option<T>) -> Option<T> {
        self.required(key).and_then(|item| check(&item))
    }

    /// Reports a key that is not there, at the table's head.
    pub(super) fn missing<T>(&self, key: &str, message: &str) -> Option<T> {
        self.report.value(&self.span, &join(&self.path, key), message.to_owned());
        None
    }

    /// The values and their keys, in the order of the file.
    pub(super) fn entries(&self) -> Vec<(&'t str, Item<'t>)> {
        let entry = |(key, value): (&'t Spanned<_>, _)| {
            let key: &'t str = AsRef::<str>::as_ref(key.get_ref());
            (key, self.child(key, value))
        };
        let mut entries: Vec<_> = self.table.iter().map(entry).collect();
        entries.sort_by_key(|(_, item)| item.span.start);
        entries
    }

    /// The one of two keys that is set. Both at once contradict each other.
    pub(super) fn either(&self, one: &str, other: &str) -> Option<Item<'t>> {
        match (self.item(one), self.item(other)) {
            (Some(_), Some(item)) => item.problem(format!("`{one}` and `{other}` are both set; keep one")),
            (item, None) | (None, item) => item,
        }
    }

    fn child(&self, key: &str, value: &'t Spanned<DeValue<'t>>) -> Item<'t> {
        let path = join(&self.path, key);
        Item { report: self.report, path, span: value.span(), value: value.get_ref() }
    }
}

impl<'t> Item<'t> {
    /// Reports what is wrong with the value.
    pub(super) fn problem<T>(&self, message: impl Into<String>) -> Option<T> {
        self.report.value(&self.span, &self.path, message.into());
        None
    }

    /// What stands in the file, as far as it may be shown.
    pub(super) fn quoted(&self) -> &'t str {
        self.report.quoted(&self.span)
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.value, DeValue::Integer(_) | DeValue::Float(_))
    }

    /// The value as a string.
    pub(super) fn text(&self) -> Option<&'t str> {
        match self.value {
            DeValue::String(_) if self.report.is_unresolved(&self.span) => None,
            DeValue::String(text) => Some(text),
            _ => self.expected("a string"),
        }
    }

    /// The value as a string that says something.
    pub(super) fn filled_text(&self) -> Option<String> {
        let text = self.text()?;
        if text.trim().is_empty() { self.problem("is empty") } else { Some(text.to_owned()) }
    }

    /// The value as a whole number that is not negative.
    pub(super) fn count(&self) -> Option<u64> {
        let DeValue::Integer(number) = self.value else { return self.expected("a whole number") };
        let number = u64::from_str_radix(number.as_str(), number.radix()).ok();
        number.or_else(|| self.problem("must be a whole number from 0 on"))
    }

    /// The value as yes or no.
    pub(super) fn truth(&self) -> Option<bool> {
        let DeValue::Boolean(yes) = self.value else { return self.expected("true or false") };
        Some(*yes)
    }

    /// The value as a table with these keys.
    pub(super) fn section(&self, known: &[&str]) -> Option<Section<'t>> {
        Some(self.open_section()?.only(known))
    }

    /// The value as a table with whatever keys.
    pub(super) fn open_section(&self) -> Option<Section<'t>> {
        let DeValue::Table(table) = self.value else { return self.expected("a table") };
        Some(Section { report: self.report, path: self.path.clone(), span: self.span.clone(), table })
    }

    /// The value as an array.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        let DeValue::Array(array) = self.value else { return self.expected("an array") };
        let item = |(place, value): (usize, &'t Spanned<DeValue<'t>>)| Self {
            report: self.report,
            path: format!("{}[{place}]", self.path),
            span: value.span(),
            value: value.get_ref(),
        };
        Some(array.iter().enumerate().map(item).collect())
    }

    /// Reports that the value is of another type.
    pub(super) fn expected<T>(&self, what: &str) -> Option<T> {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date-time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.problem(format!("expected {what}, found {found}"))
    }
}

/// `path.key`, the key quoted where TOML wants it so.
pub(super) fn join(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let key = if bare { key.to_owned() } else { format!("{key:?}") };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}
