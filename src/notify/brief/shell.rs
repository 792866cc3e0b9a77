//! Commands to copy.

use super::Told;
use crate::report::text::visible;
use std::fmt::Write as _;

/// With no more flows than this each is named, so that a run of these alone runs these alone.
const FLOWS_MAX: usize = 3;

/// The command that judges the digest's span and flows again.
pub(super) fn rerun(told: &Told<'_>) -> Option<String> {
    let span = told.digest.span;
    if span.is_empty() {
        return None;
    }
    let mut command = format!(
        "{} run --from {} --until {}",
        program(told),
        span.from.to_rfc3339(),
        span.until.to_rfc3339()
    );
    let flows = &told.digest.flows;
    if flows.len() <= FLOWS_MAX || told.digest.owner.is_some() {
        flows.iter().for_each(|flow| {
            let _ = write!(command, " --flow {}", quote(flow));
        });
    }
    Some(command)
}

/// Where the full report is, or how to get it.
pub(super) fn report(told: &Told<'_>) -> String {
    if let Some(folder) = &told.around.folder {
        return told.language.fill("The full report is in {0}", &[&visible(folder)]);
    }
    let command = format!("{} report {} --output DIR", program(told), quote(&told.run.id));
    told.language.fill("The full report: {0}", &[&command])
}

fn program(told: &Told<'_>) -> String {
    match &told.around.config {
        Some(config) => format!("msgrecon -c {}", quote(config)),
        None => "msgrecon".to_owned(),
    }
}

/// A word that a POSIX shell takes as it is. Characters that cannot be seen, or break lines, are written out in `$'…'`, so
/// that what is copied is what is shown.
#[must_use]
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    // `visible` changes what deceives a reader, and nothing else.
    if visible(word) != word {
        return written_out(word);
    }
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn written_out(word: &str) -> String {
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                let _ = write!(out, "\\{byte:03o}");
            }),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        let words = [
            "plain-1",
            "",
            "two words",
            "it's",
            "$HOME `id` \"x\"",
            "a\r\nb",
            "订单",
            "a\u{202e}'\\b",
            "\u{1b}[31m",
        ];
        for word in words {
            let command = format!("printf %s {}", quote(word));
            let shell = std::process::Command::new("bash").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(shell.stdout).unwrap(), word, "{command}");
            assert!(!command.chars().any(char::is_control), "{command:?}");
        }
    }
}
