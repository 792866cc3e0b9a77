//! What the ledger knows + as-of → which windows a scheduled run judges, in which slices: pure.
//!
//! A window is *open* until it ends, *settling* until every message in it must have arrived, then *due*. Once judged it is
//! judged again while late commits may still change it (`recheck`), while a difference in it changes, and never after
//! that: then it is *final*.

use crate::config::Flow;
use crate::model::time::DAY;
use crate::model::window::{cut, holding};
use crate::model::{Micros, Span, Window};
use chrono_tz::Tz;
use std::collections::BTreeSet;

/// No run judges more new windows of a flow, unless it is told to.
pub const WINDOWS_MAX: usize = 1_000;
/// A slice, which is recorded as a whole, has at most so many windows ...
const SLICE_WINDOWS: usize = 24;
/// ... and is at most so long, in microseconds, unless one window is longer.
const SLICE_LENGTH: i64 = DAY;
/// Where receipts may repeat they are read up to now for every slice, so that longer slices cost less.
const SLICE_LENGTH_REPEATED: i64 = 7 * DAY;
/// A short slice has at most so many windows.
const SHORT_WINDOWS: usize = 6;
/// A plan knows so many windows; the rest is for the next runs.
const PLANNED_MAX: usize = 100_000;

/// A window that the ledger holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Which.
    pub span: Span,
    /// Of the run that judged it last.
    pub as_of: Micros,
    /// A difference in it has changed since.
    pub stale: bool,
}

/// What a scheduled run has to do for one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agenda {
    /// The windows to judge, in time order.
    pub windows: Vec<Window>,
    /// How many of them were never judged.
    pub new: usize,
    /// Due windows that are left for the next runs, since this one has its limit.
    pub left: usize,
}

/// Up to here windows are settled as of `as_of`: whatever was acked or written in them had its time.
#[must_use]
pub fn settled_until(flow: &Flow, as_of: Micros) -> Micros {
    as_of.plus(-settle(flow))
}

/// How long after its end a window is due, in microseconds.
#[must_use]
pub fn settle(flow: &Flow) -> i64 {
    flow.grace.max(flow.stuck_after)
}

/// When the next window after `after` is due.
#[must_use]
pub fn next_due(flow: &Flow, zone: Tz, after: Micros) -> Micros {
    holding(after, flow.window, zone).0.until.plus(settle(flow))
}

/// The begin of the window that holds an instant: where a flow may begin.
#[must_use]
pub fn aligned(flow: &Flow, zone: Tz, at: Micros) -> Micros {
    holding(at, flow.window, zone).0.from
}

/// Which windows to judge. `known` are those that the ledger holds from a recheck span before the watermark on, and stale
/// ones; `open` the begins of windows with open differences that it does not hold.
#[must_use]
pub fn agenda(
    flow: &Flow,
    zone: Tz,
    as_of: Micros,
    watermark: Micros,
    known: &[Known],
    open: &[Micros],
    windows_max: usize,
) -> Agenda {
    let settled = settled_until(flow, as_of);
    let mut wanted: BTreeSet<Window> = BTreeSet::new();
    let due = due_windows(flow, zone, Span::new(watermark, settled), known);
    let left = due.len().saturating_sub(windows_max);
    let due: Vec<_> = due.into_iter().take(windows_max).collect();
    wanted.extend(&due);
    let recheck = Span::new(as_of.plus(-flow.recheck), settled);
    // A window that was judged soon after its end, and not since, may have changed, however long ago that was.
    let young = |window: &&Known| {
        window.span.until > recheck.from || window.as_of.since(window.span.until) < flow.recheck
    };
    let again = known.iter().filter(|window| window.stale || young(window));
    again
        .filter(|window| window.as_of <= as_of)
        .for_each(|window| wanted.extend(over(flow, zone, window.span, settled)));
    open.iter().for_each(|from| wanted.extend(whole(flow, zone, *from, settled)));
    replace_whole(&mut wanted, flow, zone, known, settled);
    Agenda { new: due.len(), left, windows: wanted.into_iter().collect() }
}

/// The windows to judge again where these have changed since they were judged; `known` as for [`agenda`].
#[must_use]
pub fn changed(flow: &Flow, zone: Tz, as_of: Micros, stale: &[Span], known: &[Known]) -> Vec<Window> {
    let settled = settled_until(flow, as_of);
    let mut wanted = stale.iter().flat_map(|span| over(flow, zone, *span, settled)).collect();
    replace_whole(&mut wanted, flow, zone, known, settled);
    wanted.into_iter().collect()
}

/// Whether a window was cut as the flow cuts them now.
#[must_use]
pub fn fits(flow: &Flow, zone: Tz, span: Span) -> bool {
    holding(span.from, flow.window, zone).0 == span
}

/// A window that was judged when the flow had windows of another length gives way to all that lie over it, not to one of
/// them alone.
fn replace_whole(wanted: &mut BTreeSet<Window>, flow: &Flow, zone: Tz, known: &[Known], settled: Micros) {
    let old: Vec<_> = known.iter().map(|known| known.span).filter(|span| !fits(flow, zone, *span)).collect();
    loop {
        let before = wanted.len();
        for span in &old {
            let end = Window(Span::new(span.until, span.until));
            if wanted.range(..end).next_back().is_some_and(|last| last.0.until > span.from) {
                wanted.extend(over(flow, zone, *span, settled));
            }
        }
        if wanted.len() == before {
            return;
        }
    }
}

/// The windows over a span, those that are settled.
#[must_use]
pub fn over(flow: &Flow, zone: Tz, span: Span, settled: Micros) -> Vec<Window> {
    let (mut at, mut windows) = (span.from, Vec::new());
    while at < span.until {
        let window = holding(at, flow.window, zone);
        windows.extend(Some(window).filter(|window| window.0.until <= settled && !window.0.is_empty()));
        at = window.0.until.max(at.plus(1));
    }
    windows
}

/// The window that holds an instant, if it is settled.
fn whole(flow: &Flow, zone: Tz, at: Micros, settled: Micros) -> Option<Window> {
    let window = holding(at, flow.window, zone);
    (window.0.until <= settled && !window.0.is_empty()).then_some(window)
}

/// Settled windows of a span that are not wholly covered by what was judged.
#[must_use]
pub fn due_windows(flow: &Flow, zone: Tz, span: Span, known: &[Known]) -> Vec<Window> {
    if span.is_empty() {
        return Vec::new();
    }
    let begin = aligned(flow, zone, span.from);
    let windows = cut(Span::new(begin, span.until), flow.window, zone, PLANNED_MAX);
    let mut covered: Vec<_> = known.iter().map(|window| window.span).collect();
    covered.sort();
    let settled = windows.into_iter().filter(|window| holding(window.0.from, flow.window, zone) == *window);
    settled.filter(|window| window.0.until > span.from && !covers(&covered, window.0)).collect()
}

/// Whether spans in time order cover one to its last instant.
fn covers(spans: &[Span], wanted: Span) -> bool {
    let mut at = wanted.from;
    // Windows are at most two days long, so few can reach into this one.
    let first = spans.partition_point(|span| span.from < wanted.from.plus(-2 * DAY));
    for span in spans[first..].iter().take_while(|span| span.from < wanted.until) {
        if span.from <= at && span.until > at {
            at = span.until;
        }
    }
    at >= wanted.until
}

/// Windows that are judged again for what has changed in them, as slices of few neighbours each: in such windows many
/// messages may have to be looked up one by one.
#[must_use]
pub fn short_slices(windows: &[Window], repeated: bool) -> Vec<Vec<Window>> {
    let slices = slices(windows, repeated).into_iter();
    if repeated {
        return slices.collect();
    }
    slices.flat_map(|slice| slice.chunks(SHORT_WINDOWS).map(<[Window]>::to_vec).collect::<Vec<_>>()).collect()
}

/// Windows in time order as slices of neighbours. `repeated` says that receipts may repeat.
#[must_use]
pub fn slices(windows: &[Window], repeated: bool) -> Vec<Vec<Window>> {
    let length = if repeated { SLICE_LENGTH_REPEATED } else { SLICE_LENGTH };
    let count = if repeated { usize::MAX } else { SLICE_WINDOWS };
    let mut slices: Vec<Vec<Window>> = Vec::new();
    for window in windows {
        let fits = |slice: &&mut Vec<Window>| {
            let next = slice.last().is_some_and(|last| last.0.until == window.0.from);
            let long = slice.first().is_some_and(|first| window.0.until.since(first.0.from) > length);
            next && !long && slice.len() < count
        };
        match slices.last_mut().filter(fits) {
            Some(slice) => slice.push(*window),
            None => slices.push(vec![*window]),
        }
    }
    slices
}

#[cfg(test)]
mod tests;
