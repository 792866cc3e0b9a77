//! Channels: a run and its digest become what each service takes (pure), and are sent to it (edge).
//!
//! ```text
//! letter    run + digest + channel + its secrets: what every service's message is made from
//! outline   the message as paragraphs, as long as the service allows    size   how much of each list it shows
//! markup    what a service takes for markup, and how it writes its own
//! document  the same as JSON, for programs
//! webhook alertmanager slack feishu dingtalk wecom pagerduty command      one service each
//! ```

mod alertmanager;
mod command;
mod dingtalk;
mod document;
mod feishu;
mod letter;
mod markup;
mod outline;
mod pagerduty;
mod size;
mod slack;
mod webhook;
mod wecom;

use super::hide::Hidden;
use super::http::{Answer, Answered, Call, Post, Target};
use super::{Delivered, NotDelivered, Surroundings};
use crate::clock;
use crate::config::notify::{Channel, ChannelKind};
use crate::model::{Digest, Micros, Run};
use crate::report::text::exact;
use letter::{Keys, Letter};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// So many time-outs may pass until nothing is tried again.
const BUDGET: i64 = 4;
/// Longer names of channels are cut in errors.
const NAME_MAX: usize = 60;

/// How a service is spoken to.
struct Service {
    /// What is sent, each in a request of its own; nothing, where the service wants to know nothing of it.
    bodies: fn(&Letter<'_>) -> Vec<Value>,
    /// The request for one of them at an instant: signatures hold the time.
    post: fn(&Letter<'_>, &Value, Micros) -> Result<Post, NotDelivered>,
    /// What its answer means.
    judge: fn(&Answer) -> Answered,
}

/// Tells a channel of a digest. The same digest is told under the same key, however often it is sent.
///
/// # Errors
/// What was wrong: the channel, the host and the answer are named, no secret is.
pub async fn send(channel: &Channel, run: &Run, digest: &Digest, around: &Surroundings) -> Delivered {
    let what = format!("channel {}", exact(&channel.name, NAME_MAX));
    let keys = Keys::read(channel, &what)?;
    let letter = Letter::new(channel, run, digest, around, keys);
    let Some(service) = service(channel.kind) else {
        return command::send(&letter, around).await.map_err(|error| error.within(&what));
    };
    let now = around.now.unwrap_or_else(clock::now);
    let bodies = (service.bodies)(&letter);
    let mut failed = Vec::new();
    for url in &channel.urls {
        let url = match url.read(&what) {
            Ok(url) => url,
            Err(error) => {
                failed.push(error);
                continue;
            }
        };
        failed.extend(to_one(&what, &service, &letter, &bodies, &url, now).await.err());
    }
    together(failed)
}

/// Every body to one URL, until one is not taken.
async fn to_one(
    what: &str,
    service: &Service,
    letter: &Letter<'_>,
    bodies: &[Value],
    url: &SecretString,
    now: Micros,
) -> Delivered {
    let channel = letter.channel;
    let hidden = hidden(letter, url);
    let target = Target::of(what, url, channel.allow_http || channel.kind == ChannelKind::Alertmanager)?;
    let target = match channel.kind {
        ChannelKind::Alertmanager => alertmanager::at(target),
        _ => target,
    };
    let call = Call {
        what,
        timeout: channel.timeout,
        budget: channel.timeout.saturating_mul(BUDGET),
        now,
        hidden: &hidden,
    };
    for body in bodies {
        call.send(&target, |at| (service.post)(letter, body, at), service.judge).await?;
    }
    Ok(())
}

fn service(kind: ChannelKind) -> Option<Service> {
    Some(match kind {
        ChannelKind::Webhook => webhook::SERVICE,
        ChannelKind::Alertmanager => alertmanager::SERVICE,
        ChannelKind::Slack => slack::SERVICE,
        ChannelKind::Feishu => feishu::SERVICE,
        ChannelKind::Dingtalk => dingtalk::SERVICE,
        ChannelKind::Wecom => wecom::SERVICE,
        ChannelKind::Pagerduty => pagerduty::SERVICE,
        ChannelKind::Command => return None,
    })
}

fn hidden(letter: &Letter<'_>, url: &SecretString) -> Hidden {
    let mut hidden = Hidden::default();
    hidden.add_url(url.expose_secret());
    let keys = [&letter.keys.secret, &letter.keys.token];
    keys.into_iter().flatten().for_each(|key| hidden.add(key.expose_secret()));
    hidden
}

/// One failure of several: it is worth another try if one of them is.
fn together(failed: Vec<NotDelivered>) -> Delivered {
    if failed.is_empty() {
        return Ok(());
    }
    let retry = failed.iter().any(|one| one.retry);
    let messages: Vec<_> = failed.into_iter().map(|one| one.message).collect();
    Err(NotDelivered { message: messages.join("; "), retry, over: false })
}

impl NotDelivered {
    /// The same, with where it happened before it.
    fn within(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }
}

#[cfg(test)]
mod tests;
