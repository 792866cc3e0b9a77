//! The shape and size of what each service is sent; how services answer is tested over the loopback.

mod alerts;
mod chats;
mod programs;

use super::letter::{Keys, Letter};
use super::{Service, service};
use crate::config::notify::{Channel, ChannelKind, Route};
use crate::language::Language;
use crate::model::time::{HOUR, SECOND};
use crate::model::{Digest, Id, Kind, Micros, Run};
use crate::notify::fixture;
use crate::report::fixture as runs;
use serde_json::Value;

pub(super) const CHATS: [ChannelKind; 4] =
    [ChannelKind::Slack, ChannelKind::Feishu, ChannelKind::Dingtalk, ChannelKind::Wecom];

/// A channel of this kind, told of everything.
pub(super) fn channel(kind: ChannelKind) -> Channel {
    Channel {
        name: "ops".to_owned(),
        kind,
        urls: Vec::new(),
        secret: None,
        token: None,
        command: Vec::new(),
        route: Route::default(),
        language: Language::En,
        mention: Vec::new(),
        keyword: None,
        allow_http: false,
        timeout: SECOND,
        interval: Some(HOUR),
    }
}

/// What is sent: each body, and the query that belongs to it.
pub(super) fn sent_with(channel: &Channel, run: &Run, digest: &Digest, keys: fn() -> Keys) -> Vec<Value> {
    let Service { bodies, post, .. } = service(channel.kind).unwrap();
    let letter = Letter::new(channel, run, digest, &fixture::around(run), keys());
    let at = Micros(1_700_000_000 * SECOND);
    let bytes = bodies(&letter).into_iter().map(|body| post(&letter, &body, at).ok().unwrap().body);
    bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap()).collect()
}

/// Without secrets.
pub(super) fn sent(channel: &Channel, run: &Run, digest: &Digest) -> Vec<Value> {
    sent_with(channel, run, digest, Keys::default)
}

/// Ten thousand differences, and names and ids of characters that take four bytes.
pub(super) fn huge() -> (Run, Digest) {
    let mut run = runs::many(10_000);
    let name = "😀".repeat(200);
    run.flows[0].name.clone_from(&name);
    for (place, one) in run.differences.iter_mut().enumerate() {
        one.flow.clone_from(&name);
        one.consumer = Some("𝕏".repeat(200));
        one.id = Some(Id::from_text(&format!("{place}-{}", "𠮷".repeat(300))));
        one.detail = "𝔸".repeat(400);
    }
    let missing = run.differences.len() as u64;
    run.flows[0].consumers.iter_mut().filter_map(|one| one.counts.as_mut()).for_each(|counts| {
        counts.totals.missing = missing;
    });
    let digest = fixture::rich(&run);
    let notices = digest.notices.iter().cycle().take(300).cloned().collect();
    let firing = digest.firing.iter().cycle().take(300).cloned().collect();
    let digest = Digest { notices, firing, ..digest };
    (run, digest)
}

/// A run with one difference whose id and names are these.
pub(super) fn hostile(text: &str) -> (Run, Digest) {
    let mut run = runs::many(1);
    run.flows[0].name = text.to_owned();
    run.flows[0].consumers[0].name = text.to_owned();
    let one = &mut run.differences[0];
    (one.flow, one.consumer, one.id) = (text.to_owned(), Some(text.to_owned()), Some(Id::from_text(text)));
    text.clone_into(&mut one.detail);
    assert_eq!(one.kind, Kind::Missing);
    let digest = fixture::rich(&run);
    (run, digest)
}
