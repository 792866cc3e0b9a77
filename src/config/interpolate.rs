//! Fills `${VAR}` and `${VAR:-default}` in: after parsing, so that a value from the environment stays a value,
//! whatever it holds.

use super::report::Report;
use super::tree;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Looks a variable up.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Fills the variables in all strings of the tree in; what cannot be filled in is reported and left as it is.
pub(super) fn interpolate(
    table: &mut DeTable<'_>,
    path: &str,
    environment: Environment<'_>,
    report: &Report<'_>,
) {
    for (key, value) in table.iter_mut() {
        in_value(value, &tree::join(path, key.get_ref()), environment, report);
    }
}

fn in_value(value: &mut Spanned<DeValue<'_>>, path: &str, environment: Environment<'_>, report: &Report<'_>) {
    let span = value.span();
    match value.get_mut() {
        DeValue::Table(table) => interpolate(table, path, environment, report),
        DeValue::Array(array) => {
            for (place, value) in array.iter_mut().enumerate() {
                in_value(value, &format!("{path}[{place}]"), environment, report);
            }
        }
        DeValue::String(text) if text.contains("${") => match expand(text, environment) {
            Ok(filled) => *text = Cow::Owned(filled),
            Err(messages) => {
                report.set_unresolved(&span);
                for message in messages {
                    report.value(&span, path, message);
                }
            }
        },
        _ => {}
    }
}

/// The text with its variables filled in, or all that hinders it.
fn expand(text: &str, environment: Environment<'_>) -> Result<String, Vec<String>> {
    let (mut filled, mut problems, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            filled.push_str(before);
            filled.push_str("${");
            rest = after;
            continue;
        }
        filled.push_str(before);
        let Some((inside, after)) = after.split_once('}') else {
            problems.push("`${` without a `}`; a literal `${` is written `$${`".to_owned());
            return Err(problems);
        };
        match variable(inside, environment) {
            Ok(value) => filled.push_str(&value),
            Err(problem) => problems.push(problem),
        }
        rest = after;
    }
    filled.push_str(rest);
    if problems.is_empty() { Ok(filled) } else { Err(problems) }
}

/// The value of `NAME` or `NAME:-default`; as in a shell, the default stands in for an empty variable too.
fn variable(inside: &str, environment: Environment<'_>) -> Result<String, String> {
    let (name, default) =
        inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
    let valid = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| !c.is_ascii_digit());
    if !valid {
        // Not shown: it may be part of a password.
        return Err("`${…}` holds no variable's name; a literal `${` is written `$${`".to_owned());
    }
    match (environment(name), default) {
        (_, Some(default)) if default.contains("${") => {
            Err(format!("the default of `{name}` cannot hold another `${{…}}`"))
        }
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (Some(value), None) => Ok(value),
        (None, None) => Err(format!("the environment variable `{name}` is not set")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, String> {
        let environment = |name: &str| match name {
            "HOST" => Some("db".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${HOST}".to_owned()),
            _ => None,
        };
        expand(text, &environment).map_err(|problems| problems.join(" / "))
    }

    #[test]
    fn variables_are_filled_in_once() {
        let cases = [
            ("${HOST}:${PORT:-5432}/x", "db:5432/x"),
            ("${EMPTY:-y}${EMPTY}", "y"),
            ("${HOST:-y}", "db"),
            ("${NOTHING:-}", ""),
            ("$${HOST} costs $5", "${HOST} costs $5"),
            ("${NESTED}", "${HOST}"),
            ("$HOST {HOST}", "$HOST {HOST}"),
        ];
        for (text, value) in cases {
            assert_eq!(filled(text).as_deref(), Ok(value), "{text}");
        }
    }

    #[test]
    fn all_that_is_missing_is_named() {
        let cases = [
            ("${A}-${B}", "variable `A` is not set / the environment variable `B` is not set"),
            ("x${HOST", "without a `}`"),
            ("${}", "no variable's name"),
            ("${1A}", "no variable's name"),
            ("${A B}", "no variable's name"),
            ("${A:-${HOST}}", "cannot hold another"),
        ];
        for (text, problem) in cases {
            let problems = filled(text).unwrap_err();
            assert!(problems.contains(problem), "{text}: {problems}");
        }
    }
}
