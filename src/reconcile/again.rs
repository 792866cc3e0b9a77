//! Differences looked up again by hand: what is true now, and nothing is recorded.

use super::Watch;
use super::session::Session;
use super::sources::Databases;
use crate::config::Config;
use crate::ledger::Entry;
use crate::model::window::holding;
use crate::model::{Difference, Id, Kind, Micros};
use crate::plan::FlowPlan;
use crate::source::SourceError;
use std::collections::{BTreeMap, BTreeSet};

/// What became of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    /// It still is one, perhaps of another kind.
    Differs(Box<Difference>),
    /// It is none any more, and why.
    Healed(String),
    /// This cannot be told now, and why.
    Unknown(String),
}

/// A flow's tables, opened to look differences up again.
pub struct Again<'a> {
    session: Session<'a>,
    databases: Databases,
    as_of: Micros,
    config: &'a Config,
}

/// Nobody watches: a batch is done soon.
const UNWATCHED: Watch<'static> = &|_| {};

impl<'a> Again<'a> {
    /// Opens the tables of a flow ([`FlowPlan::unread`]). A consumer that cannot be read is told of for each of its
    /// differences.
    ///
    /// # Errors
    /// Events that cannot be read.
    pub async fn open(plan: &'a FlowPlan, as_of: Micros, config: &'a Config) -> Result<Self, SourceError> {
        let databases = Databases::connect(std::slice::from_ref(plan), config).await;
        match Session::open(plan, as_of, config, &databases, UNWATCHED).await {
            Ok(session) => Ok(Self { session, databases, as_of, config }),
            Err(error) => {
                databases.close().await;
                Err(error)
            }
        }
    }

    /// What became of these differences of the flow, in their order.
    ///
    /// # Errors
    /// Events that cannot be read.
    pub async fn check(&self, entries: &[Entry]) -> Result<Vec<Now>, SourceError> {
        let ids: BTreeSet<&Id> = entries.iter().map(|entry| &entry.id).collect();
        let ids: Vec<_> = ids.into_iter().cloned().collect();
        let checked = self.session.check(&ids).await?;
        let found: BTreeMap<_, _> = checked.found.iter().map(|one| ((&one.consumer, &one.id), one)).collect();
        let of = |entry: &Entry| match found.get(&(&entry.consumer, &Some(entry.id.clone()))) {
            Some(one) => self.differs(entry, one, checked.unread()),
            None => match checked.heal(entry.consumer.as_deref(), &entry.id, entry.kind) {
                Some((evidence, _)) => Now::Healed(evidence),
                None => Now::Unknown(self.why(entry.consumer.as_deref().or(checked.unread()))),
            },
        };
        Ok(entries.iter().map(of).collect())
    }

    /// A message that waits for the relay may have been delivered, as only the consumers can tell.
    fn differs(&self, entry: &Entry, now: &Difference, unread: Option<&str>) -> Now {
        let waits = matches!(now.kind, Kind::Stuck | Kind::PublishFailed);
        match unread.filter(|_| waits) {
            Some(consumer) => Now::Unknown(self.why(Some(consumer))),
            None => Now::Differs(Box::new(self.known(entry, now))),
        }
    }

    /// What was found now, with what the ledger knows of it.
    fn known(&self, entry: &Entry, now: &Difference) -> Difference {
        let (window, zone) = (self.session.flow.window, self.config.time_zone);
        let home = now.age.map(|age| self.as_of.plus(-age));
        Difference {
            window_from: home.map(|home| holding(home, window, zone).0.from),
            first_seen: entry.first_seen,
            times_seen: entry.times_seen,
            after_first_check: entry.found_late,
            status: entry.status(self.as_of, Some(entry.last_seen)),
            ..now.clone()
        }
    }

    /// Why nothing can be told, where a consumer may be the reason.
    fn why(&self, consumer: Option<&str>) -> String {
        let failure = consumer.and_then(|consumer| self.session.failure_of(consumer));
        failure.unwrap_or_else(|| "the sources do not decide it now".to_owned())
    }

    /// Ends the sessions with the databases.
    pub async fn close(self) {
        drop(self.session);
        self.databases.close().await;
    }
}
