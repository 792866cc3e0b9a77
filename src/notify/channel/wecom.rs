//! WeCom, group robot: Markdown of at most 4,096 bytes. What went wrong is a code in an answer of status 200
//! (developer.work.weixin.qq.com, document 91770).

use super::letter::{EVERYBODY, Letter};
use super::markup::{Markup, bold, code, link, plain};
use super::outline::paragraphs;
use super::size::{Size, clip};
use super::{Answer, Answered, Micros, NotDelivered, Post, Service};
use crate::notify::brief::Tone;
use serde_json::{Value, json};

const BYTES_MAX: usize = 4_096;
const TEXT_BYTES_MAX: usize = 2_048;
const TITLE_MAX: usize = 200;
/// Too many messages in a minute or at once; and a system that is busy.
const BUSY: [i64; 3] = [45_009, 45_033, -1];

const MARKUP: Markup = Markup { plain, bold, code: |text| code(&angles(text)), link, line_end: "\n" };

pub(super) const SERVICE: Service = Service { bodies, post, judge };

/// Markdown calls users by their ids only; whoever has a number, and everybody, is called by a second message.
fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    let mentions = letter.mentions();
    let (others, users): (Vec<_>, Vec<_>) = mentions.iter().partition(|id| *id == EVERYBODY || is_mobile(id));
    let content = Size::fit(|size| content(letter, &users, size), |made| made.len() <= BYTES_MAX);
    let mut bodies = vec![json!({ "msgtype": "markdown", "markdown": { "content": content } })];
    if !others.is_empty() {
        let call: Vec<_> =
            others.iter().map(|id| if *id == EVERYBODY { "@all" } else { id.as_str() }).collect();
        let text = clip(&letter.brief.subject, TEXT_BYTES_MAX, char::len_utf8);
        bodies.push(json!({ "msgtype": "text", "text": { "content": text, "mentioned_mobile_list": call } }));
    }
    bodies
}

fn content(letter: &Letter<'_>, users: &[&String], size: Size) -> String {
    let title = plain(&clip(&letter.brief.subject, TITLE_MAX.min(size.chars.max(80)), |_| 1));
    let colour = match letter.brief.tone {
        Tone::Good => "info",
        Tone::Warn | Tone::Bad => "warning",
    };
    let mut texts = vec![format!("### <font color=\"{colour}\">{title}</font>")];
    let called: Vec<_> = users.iter().map(|id| format!("<@{id}>")).collect();
    texts.extend((!called.is_empty()).then(|| called.join(" ")));
    texts.extend(paragraphs(letter, &MARKUP, size));
    texts.join("\n\n")
}

fn is_mobile(id: &str) -> bool {
    id.len() >= 8 && id.trim_start_matches('+').bytes().all(|byte| byte.is_ascii_digit())
}

fn angles(text: &str) -> String {
    text.replace('<', "＜").replace('>', "＞")
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(_: &Letter<'_>, body: &Value, _: Micros) -> Result<Post, NotDelivered> {
    Ok(Post::json(body.to_string().into_bytes()))
}

fn judge(answer: &Answer) -> Answered {
    answer.by_code("errcode", "errmsg", &BUSY)
}
