//! What a service takes for markup, and how it writes its own.

use url::Url;

/// How a service writes.
#[derive(Clone, Copy)]
pub(super) struct Markup {
    /// A text in which nothing is markup.
    pub plain: fn(&str) -> String,
    /// A text, already plain, that stands out.
    pub bold: fn(&str) -> String,
    /// A text to copy.
    pub code: fn(&str) -> String,
    /// A plain label and where it leads.
    pub link: fn(&str, &str) -> String,
    /// Between the lines of a paragraph.
    pub line_end: &'static str,
}

impl Markup {
    /// A link, where it leads to a page; the address as a text otherwise.
    pub fn linked(&self, label: &str, address: &str) -> String {
        let page = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        match page {
            Some(url) => (self.link)(label, url.as_str()),
            None => (self.plain)(address),
        }
    }
}

/// A text in which no Markdown is left: characters that would begin markup are replaced by others that look like them.
/// No service knows a way to write them that all its readers understand.
pub(super) fn plain(text: &str) -> String {
    unformatted(text).replace('<', "＜").replace('>', "＞")
}

/// The same for a service that has a way to write `<` and `>`.
pub(super) fn unformatted(text: &str) -> String {
    let mut before = None;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let within = before.is_some_and(char::is_alphanumeric)
            && rest.peek().copied().is_some_and(char::is_alphanumeric);
        out.push(match c {
            '*' => '∗',
            '`' => 'ˋ',
            '~' => '∼',
            // Within a word it is no markup: names of metrics stay as they are.
            '_' if !within => '＿',
            _ => c,
        });
        before = Some(c);
    }
    out.replace("](", "] (")
}

/// A text between the marks of a service that shows them as code: only the mark itself would end it.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "ˋ"))
}

/// A Markdown link.
pub(super) fn link(label: &str, address: &str) -> String {
    let address = address.replace('(', "%28").replace(')', "%29").replace('<', "%3C").replace('>', "%3E");
    format!("[{label}]({address})")
}

/// Bold Markdown.
pub(super) fn bold(text: &str) -> String {
    format!("**{text}**")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            plain("*bold* <script> [x](http://e) `c` ~s~"),
            "∗bold∗ ＜script＞ [x] (http://e) ˋcˋ ∼s∼"
        );
        assert_eq!(plain("dead_lettered _i_ a__b"), "dead_lettered ＿i＿ a＿＿b");
        assert_eq!(code("a`b"), "`aˋb`");
    }

    #[test]
    fn only_pages_are_linked() {
        let markup = Markup { plain, bold, code, link, line_end: "\n" };
        assert_eq!(markup.linked("x", "https://h/a(b)?c=<d>"), "[x](https://h/a%28b%29?c=%3Cd%3E)");
        assert_eq!(markup.linked("x", "javascript:alert(1)"), "javascript:alert(1)");
    }
}
