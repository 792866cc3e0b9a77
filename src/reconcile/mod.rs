//! The straight line: plan → read → pair → confirm → classify → judge → record. What is reported and told to people comes
//! after, and takes the finished [`Run`].
//!
//! ```text
//! range     a range that somebody asks for        due       what the ledger says is due, slice by slice
//! lanes     flows side by side                    before    what the ledger says is due, and what a dead run has left
//! session   a flow with its tables open           record    differences on their way to ledger and list
//! read      the first pass: both sides, in time order
//! slicer    how long the next slice is              tempo     by how long the ones before took
//! part      a table's part of a slice               gathered  all tables' parts, into the books
//! readers   how many statements run at once
//! confirm   the second pass: suspects by id       outcome   from flows to the finished run
//! sketch    the first pass over a slow link: sums of ids, and the rows of buckets that differ
//! link      what the links carry, where that decides which of them it is
//! packed    the first pass over a slower link: ends of digests of ids, looked up where they do not pair
//! way       which of them it is                   intake    who takes in what is read
//! again     differences looked up by hand         outlook   what a scheduled run would do, and has left undone
//! ```

mod again;
mod before;
mod confirm;
mod describe;
mod due;
mod gathered;
mod intake;
mod lanes;
mod link;
mod outcome;
mod outlook;
mod packed;
mod part;
mod range;
mod read;
mod readers;
mod record;
mod session;
mod sketch;
mod slicer;
mod sources;
mod tempo;
mod way;

pub use again::{Again, Now};
pub use describe::{Described, statements};
pub use due::{Due, reconcile_due};
pub use outlook::{Outlook, Undone, outlook, undone};
pub use range::{reconcile, reconcile_range};

use crate::clock::Stopwatch;
use crate::ledger::{ErrorKind, Lease, Ledger, LedgerError, Place};
use crate::model::{Run, Span};
use chrono_tz::Tz;
use record::Recorder;
use session::Session;
use std::collections::BTreeSet;
use tokio::sync::Mutex;

/// So many open differences are looked up again at a time.
const AGAIN: usize = 1_000;

/// How far a run is, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// Reading a flow's tables: this share of its range is done (0 to 1), with so many rows.
    Reading {
        /// The flow.
        flow: &'a str,
        /// 0 to 1.
        share: f64,
        /// Rows of all sides so far.
        rows: u64,
    },
    /// Looking up suspects.
    Confirming {
        /// The flow.
        flow: &'a str,
        /// Suspects decided.
        done: usize,
        /// Suspects in all, as far as they are known.
        of: usize,
        /// How many were looked up a second.
        per_second: u64,
    },
    /// All of a flow is done.
    Done {
        /// The flow.
        flow: &'a str,
    },
}

/// Which of two failures of the ledger counts: another run that has taken over before anything else, then the first.
fn graver(one: Option<LedgerError>, other: Option<LedgerError>) -> Option<LedgerError> {
    let lost = |error: &LedgerError| error.kind == ErrorKind::Lost;
    if other.as_ref().is_some_and(lost) && !one.as_ref().is_some_and(lost) { other } else { one.or(other) }
}

/// Called often; must be quick.
pub type Watch<'a> = &'a (dyn Fn(Step<'_>) + Sync);

/// The ledger that a run writes to, and the lease under which it does.
#[derive(Clone, Copy)]
pub struct Keeping<'l> {
    /// The ledger, for the flow whose turn it is: flows that are read side by side write through one session, each
    /// transaction to its end, so that they never wait for each other's rows.
    pub ledger: &'l Mutex<&'l mut Ledger>,
    /// On every flow of the run.
    pub lease: &'l Lease,
    /// Cuts the days.
    pub zone: Tz,
}

/// A run, and whether the ledger has it.
pub struct Reconciled {
    /// What was found.
    pub run: Run,
    /// Why it is not recorded, or only in part.
    pub unrecorded: Option<LedgerError>,
}

/// Looks up every open difference that nobody has looked at as of now, in batches; of one span of windows, or all.
async fn look_again(session: &Session<'_>, windows: Option<Span>, recorder: &mut Recorder<'_>) {
    let mut after = Place::default();
    let (stopwatch, mut done) = (Stopwatch::start(), 0);
    while !recorder.is_lost()
        && let Some(writer) = recorder.writer()
    {
        let before = writer.since.looked_before;
        let mut ledger = writer.ledger.lock().await;
        let page = ledger.unchecked(&session.flow.name, windows, before, &after, AGAIN).await;
        drop(ledger);
        let Some(page) = recorder.note(page) else { return };
        let Some(last) = page.last() else { return };
        after = Place::after(last);
        done += page.len();
        let ids: BTreeSet<_> = page.iter().map(|entry| entry.id.clone()).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        match session.check(&ids).await {
            Ok(checked) => recorder.settle(page, checked).await,
            Err(error) => {
                return tracing::warn!(
                    flow = session.flow.name,
                    "open differences could not be looked up again: {error}"
                );
            }
        }
        session.looked_again(done, stopwatch.elapsed());
    }
}
