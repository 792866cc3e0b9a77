//! What the ledger says of a flow before a scheduled run judges it: what is due, and what a run that died has left.

use super::Keeping;
use super::due::Due;
use crate::book::Slice;
use crate::config::Flow;
use crate::ledger::{Begun, Judged, KeptSlice, Ledger, LedgerError, Since};
use crate::model::life::LastRun;
use crate::model::time::DAY;
use crate::model::window::holding;
use crate::model::{Micros, Span, Window};
use crate::plan::yesterday_begins;
use crate::schedule::{Agenda, Known, agenda, aligned, fits, over, settled_until};
use chrono_tz::Tz;
use std::collections::BTreeSet;

/// What is known of a flow before a run judges it.
pub(super) struct Before {
    pub(super) begun: Begun,
    pub(super) last: Option<LastRun>,
    pub(super) agenda: Agenda,
    /// Slices that an earlier run has judged and not reported.
    pub(super) kept: Vec<Slice>,
    pub(super) since: Since,
}

/// Reads what the ledger knows, and decides what to do.
pub(super) async fn before(flow: &Flow, due: &Due, keeping: Keeping<'_>) -> Result<Before, LedgerError> {
    let (name, zone, as_of) = (&flow.name, keeping.zone, due.as_of);
    let (asked, default) = starts(flow, due, zone);
    let mut ledger = keeping.ledger.lock().await;
    let begun = ledger.begin_flow(keeping.lease, name, asked, default).await?;
    let last = ledger.last_run(name, as_of).await?;
    let (judged, mut agenda) = look_ahead(flow, due, begun, &mut ledger, zone).await?;
    let kept = keep(flow, as_of, &judged, &mut agenda, &mut ledger, zone).await?;
    let again = ledger.ran_at(name, as_of).await?;
    let mut since = Since::new(as_of, last.as_ref(), again);
    since.first_judged = judged.iter().map(|window| (window.span.from, window.first_as_of)).collect();
    Ok(Before { begun, last, agenda, kept, since })
}

/// Where somebody wants a flow to begin, and where it begins otherwise.
pub(super) fn starts(flow: &Flow, due: &Due, zone: Tz) -> (Option<Micros>, Micros) {
    let asked = due.start.or(flow.start).map(|at| aligned(flow, zone, at));
    (asked, aligned(flow, zone, yesterday_begins(zone, due.as_of)))
}

/// The windows that the ledger holds near the watermark, and those to judge. Only reads.
pub(super) async fn look_ahead(
    flow: &Flow,
    due: &Due,
    begun: Begun,
    ledger: &mut Ledger,
    zone: Tz,
) -> Result<(Vec<Judged>, Agenda), LedgerError> {
    let (name, as_of) = (&flow.name, due.as_of);
    let from = begun.watermark.min(as_of).plus(-flow.recheck).plus(-2 * DAY);
    let mut judged = ledger.windows(name, Span::new(from, Micros(i64::MAX))).await?;
    judged.extend(stale(flow, zone, ledger).await?);
    let homeless = homeless(ledger, name).await?;
    let known: Vec<_> = judged.iter().map(known).collect();
    let agenda = agenda(flow, zone, as_of, begun.watermark, &known, &homeless, due.windows_max);
    Ok((judged, agenda))
}

/// The begins of windows that hold open differences, and were never judged or in another size.
pub(super) async fn homeless(ledger: &mut Ledger, flow: &str) -> Result<Vec<Micros>, LedgerError> {
    let open = ledger.open_windows(flow).await?;
    let held: BTreeSet<_> =
        ledger.counted(flow, &open).await?.iter().map(|window| window.window.0.from).collect();
    Ok(open.into_iter().filter(|from| !held.contains(from)).collect())
}

/// The windows in which something has changed, and where windows had another length then all of their day.
pub(super) async fn stale(flow: &Flow, zone: Tz, ledger: &mut Ledger) -> Result<Vec<Judged>, LedgerError> {
    let mut windows = ledger.stale_windows(&flow.name).await?;
    let old = windows.iter().filter(|window| !fits(flow, zone, window.span));
    let days: BTreeSet<_> = old.map(|window| holding(window.span.from, DAY, zone).0).collect();
    for day in days {
        windows.extend(ledger.windows(&flow.name, day).await?);
    }
    Ok(windows)
}

pub(super) fn known(window: &Judged) -> Known {
    Known { span: window.span, as_of: window.as_of, stale: window.stale }
}

/// Takes over what a run has judged that died before it could report. What has to be judged again anyway, or was not
/// judged to its end, goes back on the agenda; the ledger keeps it until that is done.
async fn keep(
    flow: &Flow,
    as_of: Micros,
    judged: &[Judged],
    agenda: &mut Agenda,
    ledger: &mut Ledger,
    zone: Tz,
) -> Result<Vec<Slice>, LedgerError> {
    let mut kept = Vec::new();
    let mut wanted: BTreeSet<Window> = agenda.windows.iter().copied().collect();
    for known in ledger.slices(&flow.name).await? {
        let slice: Option<Slice> = serde_json::from_slice(&known.body).ok();
        let slice = slice.filter(|slice| {
            let windows: Vec<_> = slice.report.windows.iter().map(|(window, _)| *window).collect();
            let again = windows.iter().any(|window| wanted.contains(window));
            let whole = windows.iter().all(|window| is_current(window, &known, judged));
            slice.report.complete && whole && (known.as_of == as_of || !again)
        });
        if let Some(slice) = slice {
            slice.report.windows.iter().for_each(|(window, _)| {
                wanted.remove(window);
            });
            kept.push(slice);
        } else {
            let windows = judged.iter().filter(|row| known.span.contains(row.span.from));
            let settled = settled_until(flow, as_of);
            wanted.extend(windows.flat_map(|row| over(flow, zone, row.span, settled)));
        }
    }
    agenda.windows = wanted.into_iter().collect();
    Ok(kept)
}

/// Whether the ledger still holds the window as this slice has judged it.
fn is_current(window: &Window, slice: &KeptSlice, judged: &[Judged]) -> bool {
    let row = judged.iter().find(|row| row.span == window.0);
    // A window below what was read of the ledger is behind the watermark and the recheck span: nobody judged it since.
    row.is_none_or(|row| row.as_of == slice.as_of && !row.stale)
}
