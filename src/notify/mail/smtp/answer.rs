//! What a server said, and what that means.

use crate::notify::NotDelivered;
use crate::report::text::{exact, visible};
use lettre::Address;
use lettre::transport::smtp::Error;
use std::error::Error as _;
use std::fmt::Write as _;

/// More of an answer is not shown.
const ANSWER_MAX: usize = 300;

/// What may help against a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notify::mail) enum Next {
    /// Somebody has to mend something.
    Mend,
    /// The next run may have more luck.
    Later,
    /// Another attempt in the same call.
    Again,
}

/// Why an attempt came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::notify::mail) struct Wrong {
    /// What was wrong, and the next step. No secret is in it.
    pub message: String,
    /// What may help.
    pub next: Next,
    /// The server takes no message as long as this one.
    pub too_large: bool,
    /// The session cannot go on.
    pub broken: bool,
}

impl Wrong {
    /// Something that somebody has to mend.
    pub(super) fn for_good(message: impl Into<String>) -> Self {
        Self { message: message.into(), next: Next::Mend, too_large: false, broken: true }
    }

    /// The server gave no answer in time. Another attempt would wait as long.
    pub(super) fn no_answer(message: impl Into<String>) -> Self {
        Self { next: Next::Later, ..Self::for_good(message) }
    }

    /// `doing` failed.
    pub(super) fn of(doing: &str, error: &Error, secrets: &[String]) -> Self {
        let code = error.status().map(u16::from);
        let told = hidden(&told(error), secrets);
        // TLS errors reach us as errors of the connection, around an `InvalidData`.
        let tls =
            error.is_tls() || error.is_client() || io_kind(error) == Some(std::io::ErrorKind::InvalidData);
        let passing = !error.is_permanent() && !tls;
        Self {
            message: format!("{doing}: {told}"),
            next: if passing { Next::Again } else { Next::Mend },
            too_large: code.is_some_and(|code| is_too_large(code, &told)),
            broken: code.is_none() || code == Some(421),
        }
    }

    /// For the digest's record; `name` is the server's.
    pub(super) fn told(self, name: &str) -> NotDelivered {
        NotDelivered { message: format!("{name}: {}", self.message), retry: self.next != Next::Mend }
    }
}

fn io_kind(error: &Error) -> Option<std::io::ErrorKind> {
    let mut source = error.source();
    while let Some(one) = source {
        if let Some(io) = one.downcast_ref::<std::io::Error>() {
            return Some(io.kind());
        }
        source = one.source();
    }
    None
}

/// The code and the server's words, or the chain of causes.
fn told(error: &Error) -> String {
    let mut text = error.status().map_or_else(|| error.to_string(), |code| code.to_string());
    let mut source = error.source();
    while let Some(one) = source {
        let more = one.to_string();
        if !text.contains(&more) {
            let _ = write!(text, "{}{more}", if error.status().is_some() { " " } else { ": " });
        }
        source = one.source();
    }
    let shown = visible(&text);
    if shown.chars().count() <= ANSWER_MAX { shown } else { exact(&text, ANSWER_MAX) }
}

/// 552, or another refusal that speaks of the size: servers differ.
fn is_too_large(code: u16, told: &str) -> bool {
    let told = told.to_ascii_lowercase();
    let size = ["5.3.4", "too large", "too big", "size limit", "maximum size", "message size"];
    code == 552 || (code / 100 == 5 && size.iter().any(|words| told.contains(words)))
}

/// `text` without secrets: a server may repeat what it was told.
fn hidden(text: &str, secrets: &[String]) -> String {
    let longest_first = {
        let mut all: Vec<_> = secrets.iter().filter(|secret| !secret.is_empty()).collect();
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all
    };
    longest_first.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
}

/// What the server said of recipients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    /// So many have the mail.
    pub got_it: usize,
    /// The last refusal of each who was refused.
    refused: Vec<(Address, Wrong)>,
}

impl Answers {
    /// Keeps the newest answer.
    pub(super) fn refused(&mut self, address: &Address, wrong: &Wrong) {
        self.refused.retain(|(one, _)| one != address);
        self.refused.push((address.clone(), wrong.clone()));
    }

    /// Who has no mail and why; `None` where everybody has it.
    pub(super) fn told(&self, left: &[Address]) -> Option<String> {
        let lasting =
            self.refused.iter().filter(|(one, wrong)| wrong.next != Next::Again || left.contains(one));
        let told = lasting.map(|(_, wrong)| wrong.message.clone());
        let silent = left.iter().filter(|one| !self.refused.iter().any(|(other, _)| other == *one));
        let silent = silent.map(|one| format!("{one} has no answer"));
        let all: Vec<_> = told.chain(silent).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_too_large_in_many_ways() {
        for told in ["552 5.3.4 Message size exceeds fixed limit", "554 5.3.4 no", "523 message too large"] {
            assert!(is_too_large(told[..3].parse().unwrap(), told), "{told}");
        }
        assert!(!is_too_large(550, "550 5.1.1 no such user"));
        assert!(!is_too_large(452, "452 4.3.1 message too large for now"));
    }

    #[test]
    fn what_a_server_repeats_is_hidden() {
        let secrets = ["Pw-9x".to_owned(), "UHctOXg=".to_owned(), String::new()];
        assert_eq!(hidden("535 Pw-9x is wrong, UHctOXg= too", &secrets), "535 *** is wrong, *** too");
    }
}
