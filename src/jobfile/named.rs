//! What a configuration names outside of itself: files that hold secrets, and variables of the environment. Names alone;
//! what they hold is never looked at here.

use super::quote;
use toml::{Table, Value};

/// The variable under which systemd, and the shipped manifest, give a folder with secrets.
pub(super) const FOLDER: &str = "CREDENTIALS_DIRECTORY";

/// What kind of thing is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file of this name in the folder that `${CREDENTIALS_DIRECTORY}` names.
    Credential(String),
    /// A file by its path, as the configuration gives it; variables in it are not filled in.
    File(String),
    /// A variable of the environment.
    Variable(String),
}

/// Something outside of the configuration that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What and where.
    pub place: Place,
    /// The key that names it, such as `databases.orders.url_file`.
    pub key: String,
}

/// Everything that a configuration's text names, in the order of its keys, each once; nothing where it is no TOML.
#[must_use]
pub fn named(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    if let Ok(table) = text.parse::<Table>() {
        table.iter().for_each(|(key, value)| walk(key, key, value, &mut found));
    }
    found
}

fn walk(path: &str, key: &str, value: &Value, found: &mut Vec<Named>) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| walk(&format!("{path}.{key}"), key, value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| walk(path, key, value, found)),
        Value::String(text) => {
            let file = key.ends_with("_file").then(|| file(text));
            let variables = variables(text).into_iter().filter(|name| *name != FOLDER);
            let places = file.into_iter().chain(variables.map(|name| Place::Variable(name.to_owned())));
            for place in places {
                if !found.iter().any(|known| known.place == place) {
                    found.push(Named { place, key: path.to_owned() });
                }
            }
        }
        _ => {}
    }
}

fn file(path: &str) -> Place {
    let inside = path.strip_prefix("${").and_then(|rest| rest.strip_prefix(FOLDER)?.strip_prefix("}/"));
    match inside {
        Some(name) if !name.contains(['/', '$']) => Place::Credential(name.to_owned()),
        _ => Place::File(path.to_owned()),
    }
}

/// The variables without a default in a text: with one, nobody has to set them.
fn variables(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("${") {
        let inside = text[at + 2..].split('}').next().unwrap_or_default();
        if !text[..at].ends_with('$') && !inside.contains(":-") {
            found.push(inside);
        }
    }
    found
}

impl Named {
    /// The name under which a secret store keeps it: letters, digits, `-`, `_` and `.`.
    pub(super) fn id(&self) -> String {
        let name = match &self.place {
            Place::Credential(name) | Place::Variable(name) => name,
            Place::File(path) => path.rsplit('/').next().unwrap_or(path),
        };
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        name.chars().map(safe).collect()
    }
}

/// The variables among what is named.
pub(super) fn all_variables(named: &[Named]) -> Vec<&str> {
    let name = |one: &'_ Named| matches!(one.place, Place::Variable(_));
    named.iter().filter(|one| name(one)).filter_map(Named::variable).collect()
}

impl Named {
    fn variable(&self) -> Option<&str> {
        match &self.place {
            Place::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// A file by its path, from the configuration's folder on.
    pub(super) fn full_path(&self, folder: &str) -> Option<String> {
        match &self.place {
            Place::File(path) if path.starts_with('/') => Some(path.clone()),
            Place::File(path) => Some(format!("{folder}/{path}")),
            _ => None,
        }
    }

    /// `name=NAME` as kubectl takes it.
    pub(super) fn literal(&self) -> String {
        quote::shell(&format!("--from-file={}", self.id()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_variables_are_found_and_nothing_of_their_content() {
        let text = "[databases.a]\nurl = 'postgres://${USER_A}:${PASS:-x}@h/$${no}'\n[databases.b]\n\
                    url_file = '${CREDENTIALS_DIRECTORY}/b_url'\n[mail]\npassword_file = '/run/secrets/smtp'\n\
                    ca_file = 'ca.pem'\n[[channels]]\nurl_file = ['/run/x', '/run/secrets/smtp']";
        let all: Vec<_> = named(text).into_iter().map(|one| (one.id(), one.key)).collect();
        let expected = [
            ("USER_A", "databases.a.url"),
            ("b_url", "databases.b.url_file"),
            ("smtp", "channels.url_file"),
            ("ca.pem", "mail.ca_file"),
            ("x", "channels.url_file"),
        ];
        let expected: Vec<_> = expected.map(|(id, key)| (id.to_owned(), key.to_owned())).into();
        let (mut all, mut expected) = (all, expected);
        all.sort();
        expected.sort();
        assert_eq!(all, expected);
    }
}
