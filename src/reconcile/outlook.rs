//! What a scheduled run would do, read from the ledger without a lease; and what it has left undone.

use super::before::{known, look_ahead, starts};
use super::due::Due;
use crate::config::Flow;
use crate::ledger::{Begun, Ledger, LedgerError};
use crate::model::time::DAY;
use crate::model::{Micros, Span, Window};
use crate::schedule::{Agenda, Known, agenda, due_windows, settled_until};
use chrono_tz::Tz;

/// What a scheduled run would do for one flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Where it begins, and up to where it is judged.
    pub begun: Begun,
    /// No scheduled run has judged the flow yet.
    pub is_new: bool,
    /// Windows that it would judge.
    pub agenda: Agenda,
    /// Those of them that were never judged.
    pub due: Vec<Window>,
}

/// What [`super::reconcile_due`] would do for a flow. `None`: there is no ledger yet.
///
/// # Errors
/// A ledger that fails.
pub async fn outlook(
    flow: &Flow,
    due: &Due,
    ledger: Option<&mut Ledger>,
    zone: Tz,
) -> Result<Outlook, LedgerError> {
    let (asked, default) = starts(flow, due, zone);
    let settled = settled_until(flow, due.as_of);
    let Some(ledger) = ledger else {
        let first = asked.unwrap_or(default);
        let begun = Begun { begin: first, watermark: first };
        let agenda = agenda(flow, zone, due.as_of, first, &[], &[], due.windows_max);
        return Ok(Outlook { begun, is_new: true, due: agenda.windows.clone(), agenda });
    };
    let is_new = ledger.begun(&flow.name).await?.is_none();
    let begun = ledger.would_begin(&flow.name, asked, default).await?;
    let (judged, agenda) = look_ahead(flow, due, begun, ledger, zone).await?;
    let held: Vec<_> = judged.iter().map(known).collect();
    let mut due_now = due_windows(flow, zone, Span::new(begun.watermark, settled), &held);
    due_now.truncate(due.windows_max);
    Ok(Outlook { begun, is_new, agenda, due: due_now })
}

/// The windows of a flow from its watermark on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Settled ones that were never judged, in time order.
    pub due: Vec<Window>,
    /// How many of them lie before a window that was judged: holes, which a watermark never jumps.
    pub holes: usize,
}

/// What is settled and was never judged, from the watermark on: what lies below it was judged, whether the ledger still
/// holds it or not.
///
/// # Errors
/// A ledger that fails.
pub async fn undone(
    flow: &Flow,
    watermark: Micros,
    as_of: Micros,
    ledger: &mut Ledger,
    zone: Tz,
) -> Result<Undone, LedgerError> {
    let span = Span::new(watermark.plus(-2 * DAY), Micros(i64::MAX));
    let held: Vec<Known> = ledger.windows(&flow.name, span).await?.iter().map(known).collect();
    let due = due_windows(flow, zone, Span::new(watermark, settled_until(flow, as_of)), &held);
    let last = held.iter().map(|window| window.span.from).max();
    let holes = due.iter().filter(|window| last.is_some_and(|last| window.0.from < last)).count();
    Ok(Undone { due, holes })
}
