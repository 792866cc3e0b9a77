//! DingTalk, custom robot: Markdown. The signature is in the query; somebody is only called whose number is in the text
//! too; what went wrong is a code in an answer of status 200 (open.dingtalk.com, "Custom robot access").

use super::letter::{EVERYBODY, Letter};
use super::markup::{Markup, bold, link, plain};
use super::outline::paragraphs;
use super::size::{Size, clip};
use super::{Answer, Answered, Micros, NotDelivered, Post, Service};
use crate::notify::signature;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

/// "message too long, exceed 20000 bytes".
const BYTES_MAX: usize = 19_500;
const TITLE_MAX: usize = 200;
/// Too many messages in a minute: nothing is taken for ten; and a system that is busy.
const BUSY: [i64; 2] = [130_101, -1];

const MARKUP: Markup = Markup { plain, bold, code: plain, link, line_end: "  \n" };

pub(super) const SERVICE: Service = Service { bodies, post, judge };

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    vec![Size::fit(|size| message(letter, size), |made| made.to_string().len() <= BYTES_MAX)]
}

fn message(letter: &Letter<'_>, size: Size) -> Value {
    let title = clip(&letter.brief.subject, TITLE_MAX.min(size.chars.max(80)), |_| 1);
    let mentions = letter.mentions();
    let (everybody, mobiles): (Vec<_>, Vec<_>) = mentions.iter().partition(|id| *id == EVERYBODY);
    let called: Vec<_> = mobiles.iter().map(|mobile| format!("@{mobile}")).collect();
    let mut texts = vec![format!("### {}", plain(&title))];
    texts.extend(paragraphs(letter, &MARKUP, size));
    texts.extend((!called.is_empty()).then(|| called.join(" ")));
    let mut text = texts.join("\n\n");
    // The robot takes nothing without its word.
    if let Some(keyword) = letter.channel.keyword.as_ref().filter(|word| !text.contains(*word)) {
        text.extend(["\n\n", keyword]);
    }
    json!({
        "msgtype": "markdown",
        "markdown": { "title": title, "text": text },
        "at": { "atMobiles": mobiles, "isAtAll": !everybody.is_empty() },
    })
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(letter: &Letter<'_>, body: &Value, at: Micros) -> Result<Post, NotDelivered> {
    let mut post = Post::json(body.to_string().into_bytes());
    if let Some(secret) = &letter.keys.secret {
        let millis = at.0.div_euclid(1_000);
        let sign = signature::dingtalk(secret.expose_secret(), millis);
        post.query = vec![("timestamp", millis.to_string()), ("sign", sign)];
    }
    Ok(post)
}

fn judge(answer: &Answer) -> Answered {
    answer.by_code("errcode", "errmsg", &BUSY)
}
