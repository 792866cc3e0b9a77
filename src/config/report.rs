//! Collects problems, so that checking goes on after the first.

use super::problem::{Problem, Problems};
use super::secret;
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

/// Longer lines are not shown: their caret would be lost.
const EXCERPT_CHARS_MAX: usize = 160;

/// The file under check and what was found in it so far. Shared by all checks, hence the cells: a check gives its
/// value or `None`, and says why here.
pub(super) struct Report<'a> {
    file: &'a Path,
    text: &'a str,
    /// Where secrets stand, and what may be one.
    secrets: RefCell<Vec<Range<usize>>>,
    /// Where values begin whose variables could not be filled in: said once, they are not judged any further.
    unresolved: RefCell<Vec<usize>>,
    found: RefCell<Vec<Found>>,
}

/// A problem before its place is put into words, which waits until all secrets are known.
struct Found {
    span: Range<usize>,
    key: String,
    message: String,
    shown: Shown,
}

/// How much of the line a problem may show.
enum Shown {
    /// The line, unless a secret stands in it.
    Line,
    /// The line up to the end of the key: nobody knows what an unknown key holds.
    Key,
    /// The line, unless it looks as if it held a secret.
    Unparsed,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str, secrets: Vec<Range<usize>>) -> Self {
        let secrets = RefCell::new(secrets);
        Self { file, text, secrets, unresolved: RefCell::default(), found: RefCell::default() }
    }

    /// The configuration if nothing is wrong with it.
    pub(super) fn finish<T>(self, checked: Option<T>) -> Result<T, Problems> {
        let mut problems: Vec<_> = self.found.take().into_iter().map(|found| self.problem(found)).collect();
        match checked {
            Some(checked) if problems.is_empty() => return Ok(checked),
            // A check that fails says why; should one forget, this is still no success.
            None if problems.is_empty() => {
                problems.push(Problem::of_file(self.file, "the configuration is not valid".to_owned()));
            }
            _ => {}
        }
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Err(Problems(problems))
    }

    /// Something is wrong with the value at `span`.
    pub(super) fn value(&self, span: &Range<usize>, key: &str, message: String) {
        self.push(span, key, message, Shown::Line);
    }

    /// Nobody knows the key at `span`, nor whether its value is secret.
    pub(super) fn unknown(&self, span: &Range<usize>, value: Range<usize>, key: &str, message: String) {
        self.secrets.borrow_mut().push(value);
        self.push(span, key, message, Shown::Key);
    }

    /// The file is no TOML.
    pub(super) fn syntax(&self, error: &toml::de::Error) {
        let span = error.span().unwrap_or(self.text.len()..self.text.len());
        self.push(&span, "", error.message().to_owned(), Shown::Unparsed);
    }

    /// The variables of the value at `span` could not be filled in, which has been said.
    pub(super) fn set_unresolved(&self, span: &Range<usize>) {
        self.unresolved.borrow_mut().push(span.start);
    }

    pub(super) fn is_unresolved(&self, span: &Range<usize>) -> bool {
        self.unresolved.borrow().contains(&span.start)
    }

    /// What the file says at `span`, with its quotes, as far as it may be shown. Not the value: it may come from the
    /// environment.
    pub(super) fn quoted(&self, span: &Range<usize>) -> &'a str {
        match self.text.get(span.clone()) {
            Some(text) if !self.is_secret(span) && text.len() <= EXCERPT_CHARS_MAX => text,
            _ => "(not shown)",
        }
    }

    fn is_secret(&self, span: &Range<usize>) -> bool {
        self.secrets.borrow().iter().any(|secret| secret.start < span.end && span.start < secret.end)
    }

    fn push(&self, span: &Range<usize>, key: &str, message: String, shown: Shown) {
        self.found.borrow_mut().push(Found { span: span.clone(), key: key.to_owned(), message, shown });
    }

    fn problem(&self, Found { span, key, message, shown }: Found) -> Problem {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        let line = before.matches('\n').count() + 1;
        let excerpt = self.excerpt(line, line_start, &span, &shown);
        Problem { file: self.file.to_owned(), line: Some(line), column: Some(column), key, message, excerpt }
    }

    fn excerpt(&self, line: usize, start: usize, span: &Range<usize>, shown: &Shown) -> Option<String> {
        let rest = self.text.get(start..)?;
        let line_end = start + rest.find('\n').unwrap_or(rest.len());
        let end = if matches!(shown, Shown::Key) { span.end.min(line_end) } else { line_end };
        let looks_secret = matches!(shown, Shown::Unparsed) && secret::may_hold_secret(self.text, start..end);
        if looks_secret || self.is_secret(&(start..end)) {
            return None;
        }
        let text = self.text.get(start..end)?.trim_end();
        let text = if end < line_end { format!("{text} …") } else { text.to_owned() };
        let indent = self.text.get(start..span.start)?;
        let width = self.text.get(span.start..span.end.min(end)).map_or(0, |marked| marked.chars().count());
        (text.chars().count() <= EXCERPT_CHARS_MAX).then(|| underline(line, &text, indent, width))
    }
}

fn underline(line: usize, text: &str, indent: &str, width: usize) -> String {
    // Whatever else stands there must not steer the reader's terminal.
    let text: String =
        text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
    let indent: String = indent.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("{line:>5} | {text}\n{:>5} | {indent}{}", "", "^".repeat(width.max(1)))
}
