//! Whom to tell of which flows.

use crate::config::Config;
use crate::config::notify::{Route, When};
use crate::model::{Alert, AlertState};

/// Somebody who is told: by mail, or through a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Deliveries are kept under it: `mail`, `mail:OWNER`, `channel:NAME`.
    pub name: String,
    /// Whose flows, where the target is one owner's.
    pub owner: Option<String>,
    /// The flows that it is told of, in the order of the configuration.
    pub flows: Vec<String>,
    /// When, and of which level.
    pub route: Route,
    /// It is told everything that fires on every run.
    pub wants_all: bool,
    /// After so many microseconds without a word it is told that all is quiet.
    pub all_quiet: Option<i64>,
}

/// All targets of a configuration: mail first, then the channels.
#[must_use]
pub fn targets(config: &Config) -> Vec<Target> {
    let mut targets = Vec::new();
    if let Some(mail) = &config.notify.mail {
        let owned = |owner: &Option<String>| mail.owners.iter().any(|(name, _)| Some(name) == owner.as_ref());
        let of = |name: String, owner: Option<String>, flows: Vec<String>| Target {
            name,
            owner,
            flows,
            route: mail.route.clone(),
            wants_all: false,
            all_quiet: mail.all_quiet,
        };
        targets.push(of("mail".to_owned(), None, flows(config, &mail.route, |owner| !owned(owner))));
        for (owner, _) in &mail.owners {
            let flows = flows(config, &mail.route, |name| name.as_ref() == Some(owner));
            targets.push(of(format!("mail:{owner}"), Some(owner.clone()), flows));
        }
    }
    targets.extend(config.notify.channels.iter().map(|channel| Target {
        name: format!("channel:{}", channel.name),
        owner: match &channel.route.owners[..] {
            [owner] => Some(owner.clone()),
            _ => None,
        },
        flows: flows(config, &channel.route, |_| true),
        route: channel.route.clone(),
        wants_all: channel.kind.wants_all(),
        all_quiet: None,
    }));
    targets
}

fn flows(config: &Config, route: &Route, also: impl Fn(&Option<String>) -> bool) -> Vec<String> {
    let flows = config.flows.iter().filter(|flow| {
        (route.flows.is_empty() || route.flows.contains(&flow.name))
            && (route.owners.is_empty()
                || flow.owner.as_ref().is_some_and(|name| route.owners.contains(name)))
            && also(&flow.owner)
    });
    flows.map(|flow| flow.name.clone()).collect()
}

impl Target {
    /// Whether an alert is of its flows and its level, or was when it was told. One that is well again concerns only those
    /// who were told of it, however bad it was while nobody was.
    pub(super) fn concerns(&self, alert: &Alert) -> bool {
        let worst = match alert.state {
            AlertState::Cleared => alert.told_level,
            AlertState::Pending | AlertState::Firing => alert.told_level.max(Some(alert.level)),
        };
        self.flows.contains(&alert.key.flow) && self.route.level.is_none_or(|least| worst >= Some(least))
    }

    /// Whether it is told of reminders.
    pub(super) fn wants_reminders(&self) -> bool {
        self.route.when != When::OnChange
    }
}
