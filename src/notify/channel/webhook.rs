//! Any endpoint that takes signed JSON: Standard Webhooks 1.0.

use super::letter::Letter;
use super::size::Size;
use super::{Answer, Micros, NotDelivered, Post, Service, document};
use crate::model::time::SECOND;
use crate::notify::signature;
use secrecy::ExposeSecret as _;
use serde_json::Value;

/// "Keep payloads under 20 kB".
const BYTES_MAX: usize = 19_500;

pub(super) const SERVICE: Service = Service { bodies, post, judge: Answer::by_status };

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    vec![Size::fit(|size| document::document(letter, size), |made| made.to_string().len() <= BYTES_MAX)]
}

/// The id is the same whenever the same digest is sent: receivers know by it what they have already.
fn post(letter: &Letter<'_>, body: &Value, at: Micros) -> Result<Post, NotDelivered> {
    let body = body.to_string().into_bytes();
    let id = format!("msg_{}", letter.digest.key);
    let seconds = at.0.div_euclid(SECOND);
    let mut headers = vec![("webhook-id", id.clone()), ("webhook-timestamp", seconds.to_string())];
    if let Some(secret) = &letter.keys.secret {
        let signed = signature::standard_webhook(secret.expose_secret(), &id, seconds, &body);
        let wrong = |why| NotDelivered::for_good(format!("channel {}: {why}", letter.channel.name));
        headers.push(("webhook-signature", signed.map_err(wrong)?));
    }
    headers.extend(letter.bearer());
    Ok(Post { headers, ..Post::json(body) })
}
