//! Feishu or Lark, custom bot: an interactive card. The signature is in the body, a body has at most 20 KB, and what went
//! wrong is a code in an answer of status 200 (open.feishu.cn, "Custom bot usage guide").

use super::letter::Letter;
use super::markup::{Markup, bold, link, plain};
use super::outline::paragraphs;
use super::size::{Size, clip};
use super::{Answer, Answered, Micros, NotDelivered, Post, Service};
use crate::model::time::SECOND;
use crate::notify::brief::Tone;
use crate::notify::signature;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

/// Room is left for the signature.
const BYTES_MAX: usize = 19_500;
const TITLE_MAX: usize = 200;
/// Too many messages at once.
const BUSY: [i64; 1] = [11_232];

const MARKUP: Markup = Markup { plain, bold, code: plain, link, line_end: "\n" };

pub(super) const SERVICE: Service = Service { bodies, post, judge };

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    vec![Size::fit(|size| card(letter, size), |made| made.to_string().len() <= BYTES_MAX)]
}

fn card(letter: &Letter<'_>, size: Size) -> Value {
    let mut texts = paragraphs(letter, &MARKUP, size);
    // The ids are what the bot's owner has configured: `all`, or of users.
    let mentions: Vec<_> = letter.mentions().iter().map(|id| format!("<at id={id}></at>")).collect();
    if !mentions.is_empty() {
        texts.insert(0, mentions.join(" "));
    }
    let element = |text: &String| json!({ "tag": "div", "text": { "tag": "lark_md", "content": text } });
    let mut elements: Vec<_> =
        texts.iter().flat_map(|text| [element(text), json!({ "tag": "hr" })]).collect();
    elements.pop();
    let template = match letter.brief.tone {
        Tone::Good => "green",
        Tone::Warn => "orange",
        Tone::Bad => "red",
    };
    let title = clip(&letter.brief.subject, TITLE_MAX.min(size.chars.max(80)), |_| 1);
    json!({
        "msg_type": "interactive",
        "card": {
            "config": { "wide_screen_mode": true },
            "header": { "template": template, "title": { "tag": "plain_text", "content": title } },
            "elements": elements,
        },
    })
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(letter: &Letter<'_>, body: &Value, at: Micros) -> Result<Post, NotDelivered> {
    let mut body = body.clone();
    if let Some(secret) = &letter.keys.secret {
        let seconds = at.0.div_euclid(SECOND);
        body["timestamp"] = json!(seconds.to_string());
        body["sign"] = json!(signature::feishu(secret.expose_secret(), seconds));
    }
    Ok(Post::json(body.to_string().into_bytes()))
}

fn judge(answer: &Answer) -> Answered {
    answer.by_code("code", "msg", &BUSY)
}
