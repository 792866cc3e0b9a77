//! Whom to tell of which flows.

use crate::config::Config;
use crate::config::notify::{Route, When};

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
    /// Whether it is told of reminders.
    pub(super) fn wants_reminders(&self) -> bool {
        self.route.when != When::OnChange
    }
}
