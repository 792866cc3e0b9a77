//! Which parts of the file must not be shown: an error message travels into logs and tickets.

use super::hint;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key that holds one of these in its name holds a secret.
const SECRET_WORDS: [&str; 12] =
    ["url", "uri", "dsn", "pass", "pwd", "secret", "token", "key", "auth", "credential", "cookie", "private"];

/// The keys whose misspellings are taken for secret too.
const SECRET_KEYS: [&str; 4] = ["url", "password", "secret", "token"];

/// Where secrets stand in the file.
pub(super) fn spans(table: &DeTable<'_>, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect_table(table, text, false, &mut found);
    found
}

/// Whether a line that could not be parsed may hold a secret: told by its looks alone, so rather too often.
pub(super) fn may_hold_secret(text: &str, line: Range<usize>) -> bool {
    let before = text.get(..line.start).unwrap_or_default();
    let inside_text = ["\"\"\"", "'''"].iter().any(|quotes| before.matches(quotes).count() % 2 == 1);
    let line = text.get(line).unwrap_or_default().to_lowercase();
    let word = |word: &str| is_secret_key(word);
    inside_text
        || line.contains("://")
        || SECRET_WORDS.iter().any(|secret| line.contains(secret))
        || line.split(|c: char| !c.is_alphanumeric() && c != '_').any(word)
}

fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase();
    // A path to a secret is none, and the one thing that helps when it is wrong.
    !key.ends_with("_file")
        && (SECRET_WORDS.iter().any(|word| key.contains(word)) || hint::nearest(&key, SECRET_KEYS).is_some())
}

fn collect_table(table: &DeTable<'_>, text: &str, secret: bool, found: &mut Vec<Range<usize>>) {
    for (key, value) in table {
        collect(value, text, secret || is_secret_key(key.get_ref()), found);
    }
}

fn collect(value: &Spanned<DeValue<'_>>, text: &str, secret: bool, found: &mut Vec<Range<usize>>) {
    match value.get_ref() {
        DeValue::Table(table) => collect_table(table, text, secret, found),
        DeValue::Array(array) => array.iter().for_each(|value| collect(value, text, secret, found)),
        DeValue::String(string) if !secret && !string.contains("://") => {}
        DeValue::String(string) if is_lone_variable(string) => {}
        DeValue::String(_) => found.push(value.span()),
        _ if secret => found.push(value.span()),
        _ => {}
    }
}

/// `${NAME}` and nothing else: the file holds the secret's name, not the secret.
fn is_lone_variable(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<&str> {
        let tree = DeTable::parse(text).unwrap();
        spans(tree.get_ref(), text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn secrets_are_known_by_their_keys_and_their_looks() {
        let text = "a = 'plain'\npasword = 'one'\nb = 'smtp://u:two@h'\nurl = '${URL}'\nurl_file = '/run/x'\n\
                    api_key = { value = 3 }\nsecret = '${S:-four}'";
        let mut found = hidden(text);
        found.sort_unstable();
        assert_eq!(found, ["'${S:-four}'", "'one'", "'smtp://u:two@h'", "3"]);
    }

    #[test]
    fn a_broken_line_is_judged_by_its_words() {
        for line in ["url = 'x", "pasword = 'x", "a = 'postgres://u:p@h", "API_TOKEN = "] {
            assert!(may_hold_secret(line, 0..line.len()), "{line}");
        }
        assert!(may_hold_secret("p = \"\"\"\nhunter2", 8..15));
        assert!(!may_hold_secret("window = ", 0..9));
    }
}
