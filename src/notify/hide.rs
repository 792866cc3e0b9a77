//! Takes secrets out of what services and programs say, before it becomes part of an error or a line of the log.

use crate::report::text::visible;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

/// What stands in a secret's place.
const MARK: &str = "***";
/// Parts of fewer characters are left: they hide nothing, and words would be torn.
const PART_MIN: usize = 6;
/// Shorter words of an argument are taken for no tokens.
const TOKEN_MIN: usize = 8;
/// At most so many characters of what a service or a program says are repeated.
const SAID_MAX: usize = 200;
/// What follows one of these is taken for a secret.
const KEYS: [&str; 6] = ["password", "passwd", "token", "secret", "sign", "key"];
/// The words between `Authorization:` and what it holds.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// What must not be shown. It has no `Debug`.
#[derive(Default)]
pub(super) struct Hidden {
    parts: Vec<String>,
}

impl Hidden {
    /// Hides a secret and the words that it consists of.
    pub fn add(&mut self, secret: &str) {
        self.whole(secret);
        secret.split_whitespace().for_each(|word| self.whole(word));
    }

    /// Hides what follows the host of a URL: path, query, login.
    pub fn add_url(&mut self, url: &str) {
        self.add(url);
        let Ok(url) = Url::parse(url) else { return };
        let (user, password) = (url.username(), url.password().unwrap_or_default());
        self.add(user);
        self.add(password);
        // As the header has it.
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        self.add(&STANDARD.encode(format!("{}:{}", decoded(user), decoded(password))));
        self.add(url.path());
        self.add(url.query().unwrap_or_default());
        url.path_segments().into_iter().flatten().for_each(|part| self.add(part));
        url.query_pairs().for_each(|(_, value)| self.add(&value));
    }

    /// Hides an argument, and what in it looks like a token: a long word with a digit.
    pub fn add_argument(&mut self, argument: &str) {
        self.whole(argument);
        for word in argument.split(|c: char| c.is_whitespace() || "'\"=:/?&@".contains(c)) {
            if word.len() >= TOKEN_MIN && word.bytes().any(|byte| byte.is_ascii_digit()) {
                self.whole(word);
            }
        }
    }

    fn whole(&mut self, secret: &str) {
        let decoded = percent_decode_str(secret).decode_utf8_lossy().into_owned();
        for part in [secret.to_owned(), decoded] {
            if part.chars().count() >= PART_MIN && !self.parts.contains(&part) {
                self.parts.push(part);
            }
        }
        // Of two that overlap, the longer is replaced first.
        self.parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    }

    /// `text` on one line without secrets, every character visible, at most [`SAID_MAX`] characters long.
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for part in &self.parts {
            text = text.replace(part, MARK);
        }
        let text = without_values(&without_paths(&text));
        let text = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        match text.char_indices().nth(SAID_MAX) {
            Some((end, _)) => format!("{} …", &text[..end]),
            None => text,
        }
    }
}

/// Every URL in `text` without login, path and query.
fn without_paths(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let end = after.find(|c: char| c.is_whitespace() || "\"'`<>()".contains(c)).unwrap_or(after.len());
        let (url, left) = after.split_at(end);
        let place = url.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = place.rsplit('@').next().unwrap_or_default();
        out.extend([before, "://", host]);
        if url != host {
            out.extend(["/", MARK]);
        }
        rest = left;
    }
    out + rest
}

/// What follows `token=`, `password:`, `--secret` and `Bearer` is hidden to the next blank.
fn without_values(text: &str) -> String {
    let mut hide = false;
    let words = text.split_whitespace().map(|word| {
        let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
        let lower = name.to_lowercase();
        let bare = lower.trim_matches(['"', '\'', ',', '{']);
        let scheme = SCHEMES.contains(&bare);
        let named =
            KEYS.iter().any(|key| bare.ends_with(key)) && (name.len() < word.len() || bare.starts_with("--"));
        let before =
            std::mem::replace(&mut hide, scheme || (named && value.trim_matches(['"', '\'']).is_empty()));
        match (named && !hide, before && !scheme) {
            (true, _) => format!("{name}={MARK}"),
            (_, true) => MARK.to_owned(),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_hidden_whole_and_in_parts() {
        let mut hidden = Hidden::default();
        hidden.add_url("https://user:p%40ssword@hooks.example.com/services/T00012345/abcdefgh?key=k-12345");
        hidden.add("whsec_one  whsec_two");
        for said in [
            "no abcdefgh here",
            "p@ssword and p%40ssword",
            "for k-12345",
            "whsec_two",
            "at https://hooks.example.com/services/T00012345/abcdefgh?key=k-12345 now",
            r#"{"authorization":"Basic dXNlcjpwQHNzd29yZA=="}"#,
            r"https:\/\/hooks.example.com\/services\/T00012345\/abcdefgh",
        ] {
            let shown = hidden.hide(said);
            for secret in ["abcdefgh", "ssword", "k-12345", "whsec_", "T0001", "dXNlcj"] {
                assert!(!shown.contains(secret), "{said}: {shown}");
            }
        }
        assert!(
            hidden
                .hide("connect to https://hooks.example.com/x failed")
                .contains("https://hooks.example.com/***")
        );
    }

    #[test]
    fn unknown_secrets_are_known_by_their_looks() {
        let hidden = Hidden::default();
        for said in [
            "POST postgres://app:hunter2@db/x?password=hunter2",
            "Authorization: Bearer hunter2",
            "token=hunter2",
            "api_key: hunter2",
            "\"secret\": \"hunter2\"",
            "--password hunter2",
        ] {
            let shown = hidden.hide(said);
            assert!(!shown.contains("hunter2"), "{said}: {shown}");
        }
        assert_eq!(hidden.hide("keywords not in content"), "keywords not in content");
        assert_eq!(hidden.hide("the token is invalid"), "the token is invalid");
    }

    #[test]
    fn what_is_said_is_short_and_steers_no_terminal() {
        let hidden = Hidden::default();
        assert_eq!(hidden.hide("a\r\nb \u{1b}[31mred"), "a b \\u{1b}[31mred");
        let long = hidden.hide(&"长".repeat(500));
        assert_eq!(long.chars().count(), SAID_MAX + 2);
    }
}
