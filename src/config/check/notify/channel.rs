//! `[[channels]]`.

use super::{Named, command, names, one_or_more, route, secret};
use crate::config::check::value;
use crate::config::notify::{Channel, ChannelKind, Route, Secret};
use crate::config::tree::{Item, Section};
use crate::language::Language;
use crate::model::time::SECOND;
use std::collections::BTreeSet;

const KEYS: [&str; 20] = [
    "name",
    "kind",
    "url",
    "url_file",
    "urls",
    "secret",
    "secret_file",
    "token",
    "token_file",
    "command",
    "flows",
    "owners",
    "when",
    "level",
    "language",
    "mention",
    "keyword",
    "allow_http",
    "timeout",
    "interval",
];

/// PagerDuty's own, unless set.
const PAGERDUTY: &str = "https://events.pagerduty.com/v2/enqueue";

/// All channels, in the order of the file.
pub(super) fn channels(items: &[Item<'_>], named: &Named<'_>) -> Vec<Channel> {
    let channels: Vec<_> = items.iter().map(|item| channel(item, named)).collect();
    let mut seen = BTreeSet::new();
    for (item, channel) in items.iter().zip(&channels) {
        let Some(channel) = channel else { continue };
        if !seen.insert(channel.name.clone()) {
            item.problem::<()>(format!(
                "the name {} is used twice; give each of them a `name`",
                channel.name
            ));
        }
    }
    channels.into_iter().flatten().collect()
}

fn channel(item: &Item<'_>, named: &Named<'_>) -> Option<Channel> {
    let section = item.section(&KEYS)?;
    let kind = section.need("kind", |item| value::choice(item, "kind", &ChannelKind::ALL))?;
    let name = section.get("name", crate::config::check::name).unwrap_or_else(|| kind.name().to_owned());
    let urls = urls(&section, kind, named);
    if kind == ChannelKind::Pagerduty
        && section.item("token").or_else(|| section.item("token_file")).is_none()
    {
        section.missing::<()>(
            "token",
            "is missing; PagerDuty wants the routing key of an integration, as `token` or `token_file`",
        );
    }
    Some(Channel {
        kind,
        name,
        urls,
        secret: secret(&section, "secret", named),
        token: secret(&section, "token", named),
        command: program(&section, kind).unwrap_or_default(),
        route: Route {
            owners: section.get("owners", |item| names(item, "owner", &named.owners)).unwrap_or_default(),
            ..route(&section, named)
        },
        language: section
            .get("language", |item| value::choice(item, "language", &Language::ALL))
            .unwrap_or_default(),
        mention: section.get("mention", one_or_more).unwrap_or_default(),
        keyword: section.get("keyword", Item::filled_text),
        allow_http: section.get("allow_http", Item::truth).unwrap_or(false),
        timeout: section.get("timeout", value::duration).unwrap_or(15 * SECOND),
        interval: section.get("interval", value::duration),
    })
}

fn urls(section: &Section<'_>, kind: ChannelKind, named: &Named<'_>) -> Vec<Secret> {
    if kind == ChannelKind::Alertmanager && section.item("urls").is_some() {
        let texts = section.get("urls", value::texts).unwrap_or_default();
        return texts.into_iter().map(|text| Secret::Text(text.into())).collect();
    }
    section
        .get("urls", |item| item.problem::<()>("only alertmanager takes several; give `url` or `url_file`"));
    match (kind, secret(section, "url", named)) {
        (_, Some(url)) => vec![url],
        (ChannelKind::Command, None) => Vec::new(),
        (ChannelKind::Pagerduty, None) => vec![Secret::Text(PAGERDUTY.into())],
        (_, None) if section.item("url").or_else(|| section.item("url_file")).is_none() => {
            section.missing::<()>("url", "is missing; give `url` or `url_file`");
            Vec::new()
        }
        (_, None) => Vec::new(),
    }
}

fn program(section: &Section<'_>, kind: ChannelKind) -> Option<Vec<String>> {
    match (kind, section.item("command")) {
        (ChannelKind::Command, _) => section.need("command", command),
        (_, Some(item)) => item.problem("only channels of kind `command` take one"),
        (_, None) => None,
    }
}
