//! Slack, incoming webhook: blocks, and a text for notifications. Limits: docs.slack.dev, Block Kit; all blocks together
//! are refused above some 13,000 characters (slackapi/bolt-js, issue 2509).

use super::letter::{EVERYBODY, Letter};
use super::markup::{Markup, code, unformatted};
use super::outline::paragraphs;
use super::size::{Size, clip, units};
use super::{Answer, Micros, NotDelivered, Post, Service};
use serde_json::{Value, json};

const HEADER_MAX: usize = 150;
const SECTION_MAX: usize = 2_900;
const ALL_MAX: usize = 11_000;
const FALLBACK_MAX: usize = 1_000;

const MARKUP: Markup = Markup {
    plain: |text| escaped(&unformatted(text)),
    bold: |text| format!("*{text}*"),
    code: |text| escaped(&code(text)),
    link: |label, address| format!("<{}|{label}>", escaped(address).replace('|', "%7C")),
    line_end: "\n",
};

pub(super) const SERVICE: Service = Service { bodies, post, judge: Answer::by_status };

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    let fits = |sections: &Vec<String>| {
        let lengths = sections.iter().map(|section| units(section));
        lengths.clone().all(|length| length <= SECTION_MAX) && lengths.sum::<usize>() <= ALL_MAX
    };
    let sections = Size::fit(|size| paragraphs(letter, &MARKUP, size), fits);
    let subject = &letter.brief.subject;
    // Plain text knows no markup, and is shown as it is.
    let header = clip(subject, HEADER_MAX, char::len_utf16);
    let mut blocks =
        vec![json!({ "type": "header", "text": { "type": "plain_text", "text": header, "emoji": false } })];
    let mentions: Vec<_> = letter.mentions().iter().map(|id| mention(id)).collect();
    if !mentions.is_empty() {
        blocks.push(section(&mentions.join(" ")));
    }
    blocks.extend(sections.iter().map(|text| section(text)));
    let fallback = escaped(&clip(subject, FALLBACK_MAX, char::len_utf16));
    vec![json!({ "text": fallback, "blocks": blocks })]
}

fn section(text: &str) -> Value {
    // Verbatim: nothing in the text becomes a channel, a name or a link by itself.
    json!({ "type": "section", "text": { "type": "mrkdwn", "text": text, "verbatim": true } })
}

fn mention(id: &str) -> String {
    if id == EVERYBODY { "<!channel>".to_owned() } else { format!("<@{id}>") }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(_: &Letter<'_>, body: &Value, _: Micros) -> Result<Post, NotDelivered> {
    Ok(Post::json(body.to_string().into_bytes()))
}
