//! Sections that say whom to tell: held to their form here, so that one file serves commands that notify and commands
//! that do not. Their secrets are read only when something is sent.

use super::value;
use crate::config::tree::{Item, Section};

const MAIL_KEYS: [&str; 8] =
    ["from", "to", "cc", "transport", "password", "password_file", "when", "language"];

const CHANNEL_KEYS: [&str; 12] = [
    "kind",
    "name",
    "url",
    "url_file",
    "secret",
    "secret_file",
    "token",
    "token_file",
    "command",
    "flows",
    "when",
    "language",
];

const CHANNEL_KINDS: [(&str, ()); 8] = [
    ("webhook", ()),
    ("alertmanager", ()),
    ("slack", ()),
    ("feishu", ()),
    ("dingtalk", ()),
    ("wecom", ()),
    ("pagerduty", ()),
    ("command", ()),
];

const WHEN: [(&str, ()); 3] = [("on_problem", ()), ("always", ()), ("on_change", ())];

const LANGUAGES: [(&str, ()); 2] = [("en", ()), ("zh-CN", ())];

/// `[mail]`, `[[channels]]` and `[[silences]]`.
pub(super) fn check(root: &Section<'_>) {
    root.get("mail", mail);
    for item in root.get("channels", Item::items).unwrap_or_default() {
        channel(&item);
    }
    // What a silence says is not fixed yet, so its keys are not looked at.
    for item in root.get("silences", Item::items).unwrap_or_default() {
        item.open_section();
    }
}

fn mail(item: &Item<'_>) -> Option<()> {
    let section = item.section(&MAIL_KEYS)?;
    section.need("from", Item::filled_text);
    section.need("to", one_or_more);
    section.get("cc", one_or_more);
    section.need("transport", Item::filled_text);
    for key in ["password", "password_file"] {
        section.get(key, Item::filled_text);
    }
    section.either("password", "password_file");
    occasions(&section);
    Some(())
}

fn channel(item: &Item<'_>) -> Option<()> {
    let section = item.section(&CHANNEL_KEYS)?;
    section.need("kind", |item| value::choice(item, "kind", &CHANNEL_KINDS));
    for key in ["name", "url", "url_file", "secret", "secret_file", "token", "token_file"] {
        section.get(key, Item::filled_text);
    }
    for (secret, file) in [("url", "url_file"), ("secret", "secret_file"), ("token", "token_file")] {
        section.either(secret, file);
    }
    section.get("command", one_or_more);
    section.get("flows", value::texts);
    occasions(&section);
    Some(())
}

fn occasions(section: &Section<'_>) {
    section.get("when", |item| value::choice(item, "value", &WHEN));
    section.get("language", |item| value::choice(item, "language", &LANGUAGES));
}

fn one_or_more(item: &Item<'_>) -> Option<Vec<String>> {
    if item.is_text() { Some(vec![item.filled_text()?]) } else { value::texts(item) }
}
