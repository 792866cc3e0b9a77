//! What a mail says to another program: a parser that shares no code with what wrote it, and the limits of the wire.

use mail_parser::{Message, MessageParser, MimeHeaders as _};

/// A parsed mail.
pub struct Sent<'a> {
    pub message: Message<'a>,
}

impl<'a> Sent<'a> {
    pub fn read(raw: &'a [u8]) -> Self {
        hold_the_limits(raw);
        Self { message: MessageParser::default().parse(raw).unwrap() }
    }

    pub fn subject(&self) -> &str {
        self.message.subject().unwrap()
    }

    pub fn html(&self) -> String {
        self.message.body_html(0).unwrap().into_owned()
    }

    /// With the line ends of a file.
    pub fn text(&self) -> String {
        self.message.body_text(0).unwrap().replace("\r\n", "\n")
    }

    /// A header's text, unfolded.
    pub fn header(&self, name: &str) -> Option<String> {
        let raw = self.message.header_raw(name.to_owned())?;
        Some(raw.replace("\r\n", "").trim().to_owned())
    }

    /// Names and contents.
    pub fn attachments(&self) -> Vec<(String, Vec<u8>)> {
        let one = |part: &mail_parser::MessagePart<'_>| {
            (part.attachment_name().unwrap().to_owned(), part.contents().to_vec())
        };
        self.message.attachments().map(one).collect()
    }

    /// The names of all headers of the mail itself.
    pub fn header_names(&self) -> Vec<String> {
        self.message.headers_raw().map(|(name, _)| name.to_ascii_lowercase()).collect()
    }
}

/// RFC 5322 and RFC 2047: lines, encoded words, nothing but ASCII in headers.
fn hold_the_limits(raw: &[u8]) {
    let text = std::str::from_utf8(raw).unwrap();
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "a bare line end");
    for line in text.split("\r\n") {
        assert!(line.len() <= 998, "{} bytes: {line:.80}", line.len());
    }
    let (head, _) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.is_ascii(), "{head}");
    for line in head.split("\r\n") {
        assert!(line.len() <= 78 || !line.trim().contains(' '), "{line}");
        for word in line.split([' ', '\t']).filter(|word| word.starts_with("=?")) {
            assert!(word.len() <= 75, "{word}");
        }
    }
}
