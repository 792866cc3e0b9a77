//! The template's own words: `t("…")` is an English text in the page's language.

use crate::language::Language;
use minijinja::value::{Rest, Value};
use minijinja::{Environment, HtmlEscape};

/// Gives the template its function `t(english, value, …)`. The values stand in the places `{0}`, `{1}` … of the text; they
/// are escaped here, unless a macro has made markup of them. The text itself is the template's, and is not.
pub(super) fn teach(environment: &mut Environment<'_>, language: Language) {
    environment.add_function("t", move |english: &str, values: Rest<Value>| {
        let values: Vec<_> = values.iter().map(markup).collect();
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        Value::from_safe_string(language.fill(english, &values))
    });
}

fn markup(value: &Value) -> String {
    let text = value.to_string();
    if value.is_safe() { text } else { HtmlEscape(&text).to_string() }
}
