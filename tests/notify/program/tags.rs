//! The elements of a page, as a browser would find them: enough to tell markup from text.

/// Names of all elements in their order, each with the names of its attributes: `a href`, `/a`.
pub fn tags(html: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), html);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix("!--") {
            rest = after.split_once("-->").map_or("", |(_, after)| after);
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            let (tag, after) = tag(rest);
            rest = after;
            // Nothing in it is markup until it ends.
            if let Some(raw) = ["script", "style"].iter().find(|name| tag.split(' ').next() == Some(**name)) {
                rest = rest.find(&format!("</{raw}")).map_or("", |end| &rest[end..]);
            }
            found.push(tag);
        }
    }
    found
}

/// One element's name and attributes, and what follows it.
fn tag(text: &str) -> (String, &str) {
    let end = text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len());
    let mut names = vec![text[..end].trim_end_matches('/').to_ascii_lowercase()];
    let mut rest = text[end..].trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '>' {
            return (names.join(" "), &rest[1..]);
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>".contains(c)).unwrap_or(rest.len());
        names.extend(Some(rest[..end].to_ascii_lowercase()).filter(|name| name != "/"));
        rest = rest[end..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            rest = after_value(value.trim_start()).trim_start();
        }
    }
    (names.join(" "), "")
}

fn after_value(text: &str) -> &str {
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text[1..].split_once(quote).map_or("", |(_, rest)| rest),
        _ => &text[text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len())..],
    }
}

#[test]
fn markup_is_told_from_text() {
    let page = "<!doctype html><p class=x id='a>b'>1 < 2 &lt;b&gt;<!-- <i> --><br/><style>a<b{}</style><img SRC=\"<u>\" onerror>";
    assert_eq!(tags(page), ["!doctype html", "p class id", "br", "style", "/style", "img src onerror"]);
}
