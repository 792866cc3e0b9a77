//! The languages of reports and messages: English texts, and what they are in another language.
//!
//! English is written where it is used; the other language is looked up by it, in the files of `src/language/`. A text that
//! a language lacks is shown in English, and stops every build but the released one, so that no test leaves it unseen.
//! What was put into English before anybody knew the reader's language is recognised and said again: see
//! [`Language::say_again`].

mod again;

use std::collections::HashMap;
use std::sync::LazyLock;

/// What reports and messages are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    ZhCn,
}

/// The Chinese texts by their English ones; a file for each place that they are shown in.
const ZH_CN: [(&str, &str); 3] = [
    ("report.toml", include_str!("language/zh-CN/report.toml")),
    ("mail.toml", include_str!("language/zh-CN/mail.toml")),
    ("channels.toml", include_str!("language/zh-CN/channels.toml")),
];

static CHINESE: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let texts = ZH_CN.iter().map(|(_, text)| toml::from_str::<HashMap<String, String>>(text));
    texts.flat_map(Result::unwrap_or_default).collect()
});

impl Language {
    /// Every language by its name in the configuration.
    pub const ALL: [(&str, Self); 2] = [("en", Self::En), ("zh-CN", Self::ZhCn)];

    /// Its name in the configuration; a language tag, as HTML and mail take it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhCn => "zh-CN",
        }
    }

    /// An English text in this language.
    #[must_use]
    pub fn text(self, english: &str) -> &str {
        if self == Self::En {
            return english;
        }
        let found = CHINESE.get(english).map(String::as_str);
        debug_assert!(found.is_some(), "no {} for {english:?}", self.name());
        found.unwrap_or(english)
    }

    /// An English text in this language, with `{0}`, `{1}` … filled in. Values are not looked at: one that holds `{1}`
    /// keeps it.
    #[must_use]
    pub fn fill(self, english: &str, values: &[&str]) -> String {
        filled(self.text(english), |place| values.get(place).copied().unwrap_or_default())
    }

    /// The English text that fits the count: of one, and of several. A language without plurals has the second alone.
    #[must_use]
    pub fn pick(self, count: u64, [one, several]: [&str; 2]) -> &str {
        if self == Self::En && count == 1 { one } else { several }
    }

    /// A sentence of words that may stand in a line too: English has a capital in front and a full stop behind.
    #[must_use]
    pub fn sentence(self, words: &str) -> String {
        let mut rest = words.chars();
        let first = rest.next().map(|first| first.to_ascii_uppercase());
        let stop = if self == Self::En { '.' } else { '。' };
        format!("{}{}{stop}", first.map(String::from).unwrap_or_default(), rest.as_str())
    }

    /// What stands between sentences, and around brackets: Chinese full stops and brackets hold their own room.
    #[must_use]
    pub fn gap(self) -> &'static str {
        if self == Self::En { " " } else { "" }
    }
}

/// `text` with each `{0}`, `{1}` … replaced.
fn filled<V: AsRef<str>>(text: &str, value: impl Fn(usize) -> V) -> String {
    let mut filled = String::with_capacity(2 * text.len());
    let mut rest = text;
    while let Some((before, place, after)) = next_place(rest) {
        filled.push_str(before);
        filled.push_str(value(place).as_ref());
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// The first `{digit}`: what is before it, which one, what is after it.
fn next_place(text: &str) -> Option<(&str, usize, &str)> {
    for (at, _) in text.match_indices('{') {
        let digit = text.as_bytes().get(at + 1).filter(|byte| byte.is_ascii_digit());
        if let (Some(digit), Some(b'}')) = (digit, text.as_bytes().get(at + 2)) {
            return Some((&text[..at], usize::from(digit - b'0'), &text[at + 3..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_no_text_has_two_translations() {
        let mut seen: HashMap<String, (&str, String)> = HashMap::new();
        for (file, text) in ZH_CN {
            let texts: HashMap<String, String> = toml::from_str(text).unwrap();
            for (english, chinese) in texts {
                let places = |text: &str| {
                    let mut found: Vec<_> =
                        (0..10).filter(|place| text.contains(&format!("{{{place}}}"))).collect();
                    found.sort_unstable();
                    found
                };
                assert_eq!(places(&english), places(&chinese), "{file}: {english}");
                assert!(!chinese.is_empty(), "{file}: {english}");
                let before = seen.insert(english.clone(), (file, chinese.clone()));
                assert!(before.is_none_or(|(_, same)| same == chinese), "{file} and another: {english}");
            }
        }
    }

    #[test]
    fn one_and_several_are_told_apart_where_the_language_does() {
        let forms = ["{0} day", "{0} days"];
        let picked = |language: Language| [0, 1, 2].map(|count| language.pick(count, forms));
        assert_eq!(picked(Language::En), [forms[1], forms[0], forms[1]]);
        assert_eq!(picked(Language::ZhCn), [forms[1]; 3]);
        assert_eq!(Language::En.sentence("nothing was due"), "Nothing was due.");
        assert_eq!(Language::ZhCn.sentence("没有到期的窗口"), "没有到期的窗口。");
        assert_eq!(Language::En.sentence(""), ".");
    }

    #[test]
    fn places_are_filled_and_values_left_as_they_are() {
        assert_eq!(Language::En.fill("{1} of {0}, {2}", &["a{1}", "b"]), "b of a{1}, ");
        assert_eq!(Language::En.fill("{x} {0", &["a"]), "{x} {0");
    }
}
