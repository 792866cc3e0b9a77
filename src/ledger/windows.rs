//! The windows that were judged: what was counted in them, as of when.

use super::error::LedgerError;
use super::flows::LONGEST;
use super::value::{Row, Value};
use super::{Ledger, sql};
use crate::model::tally::EventTotals;
use crate::model::{Micros, Span, Totals, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// At most so many windows are looked at in one go; as many as a plan may have.
const WINDOWS_MAX: i64 = 100_001;
/// Columns of a window.
const COLUMNS: usize = 12;
/// So many windows go into one statement.
const ROWS_MAX: usize = 100;

/// A window that was judged, with everything that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedWindow {
    /// Which.
    pub window: Window,
    /// The producer's counts.
    pub events: EventTotals,
    /// Each consumer's, in the order of the configuration.
    pub consumers: Vec<(String, Totals)>,
    /// Judged as far as it ever can be, and not to its last row.
    pub lapsed: bool,
}

impl JudgedWindow {
    /// Missing and dead-lettered messages, and all other differences.
    fn differences(&self) -> (u64, u64) {
        let of = |totals: &Totals| totals.missing + totals.dead_lettered;
        let lost: u64 = self.consumers.iter().map(|(_, totals)| of(totals)).sum();
        let all: u64 = self.consumers.iter().map(|(_, totals)| totals.differences()).sum();
        (lost, (all + self.events.differences()).saturating_sub(lost))
    }
}

/// A window that was judged, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Which.
    pub span: Span,
    /// No scheduled run looks at it again.
    pub is_final: bool,
    /// Of the run that judged it last.
    pub as_of: Micros,
    /// Of the run that judged it first.
    pub first_as_of: Micros,
    /// Judged as far as it ever can be, and not to its last row.
    pub lapsed: bool,
    /// A difference in it has changed since.
    pub stale: bool,
    /// Messages acked in it.
    pub acked: u64,
    /// Missing and dead-lettered ones.
    pub lost: u64,
    /// All other differences.
    pub other: u64,
}

impl Judged {
    fn of(row: &Row) -> Self {
        Self {
            span: Span::new(row.instant(0), row.instant(1)),
            is_final: row.word(2) == "final",
            as_of: row.instant(3),
            first_as_of: row.instant(4),
            lapsed: row.yes(5),
            stale: row.yes(6),
            acked: row.count(7),
            lost: row.count(8),
            other: row.count(9),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Counts {
    events: EventTotals,
    consumers: Vec<(String, Totals)>,
}

impl Ledger {
    /// The windows that begin in a span, in time order.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn windows(&mut self, flow: &str, span: Span) -> Result<Vec<Judged>, LedgerError> {
        let values = [flow.into(), span.from.into(), span.until.into(), WINDOWS_MAX.into()];
        Ok(self.store.fetch(sql::WINDOWS, &values).await?.iter().map(Judged::of).collect())
    }

    /// The windows in which a difference has changed since they were judged, in time order.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn stale_windows(&mut self, flow: &str) -> Result<Vec<Judged>, LedgerError> {
        let rows = self.store.fetch(sql::WINDOWS_STALE, &[flow.into(), WINDOWS_MAX.into()]).await?;
        Ok(rows.iter().map(Judged::of).collect())
    }

    /// The last windows, oldest first.
    pub(super) async fn last_windows(
        &mut self,
        flow: &str,
        count: usize,
    ) -> Result<Vec<Judged>, LedgerError> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = self.store.fetch(sql::WINDOWS_LAST, &[flow.into(), count.into()]).await?;
        Ok(rows.iter().rev().map(Judged::of).collect())
    }

    /// What was counted in the windows that begin at these instants, in time order.
    ///
    /// # Errors
    /// A ledger that fails, or counts that cannot be read.
    pub async fn counted(&mut self, flow: &str, begins: &[Micros]) -> Result<Vec<JudgedWindow>, LedgerError> {
        let mut found = Vec::new();
        for begins in begins.chunks(sql::LIST_MAX) {
            let mut values: Vec<Value> = vec![flow.into()];
            values.extend(begins.iter().map(|at| Value::from(*at)));
            let question = sql::listed(sql::WINDOWS_COUNTS, begins.len());
            for row in self.store.fetch(&question, &values).await? {
                let counts: Counts = self.read_json(&row.word(3), "a window")?;
                found.push(JudgedWindow {
                    window: Window(Span::new(row.instant(0), row.instant(1))),
                    events: counts.events,
                    consumers: counts.consumers,
                    lapsed: row.yes(2),
                });
            }
        }
        Ok(found)
    }

    pub(super) fn read_json<T: serde::de::DeserializeOwned>(
        &self,
        text: &str,
        what: &str,
    ) -> Result<T, LedgerError> {
        serde_json::from_str(text).map_err(|error| {
            let message = format!("{what} in it cannot be read ({error}); restore it from a backup");
            LedgerError::new(super::ErrorKind::Configuration, message).at(self.store.place())
        })
    }

    /// Puts windows in the place of those that they overlap, unless a later as-of has judged those; in a transaction. What
    /// a window in another size held beside them is not judged any more, so that the watermark goes back to it.
    pub(super) async fn put_windows(
        &mut self,
        flow: &str,
        as_of: Micros,
        windows: &[JudgedWindow],
    ) -> Result<(), LedgerError> {
        let (Some(first), Some(last)) = (windows.first(), windows.last()) else { return Ok(()) };
        let around = Span::new(first.window.0.from.plus(-LONGEST), last.window.0.until);
        let known = self.windows(flow, around).await?;
        let overlaps = |window: &JudgedWindow, row: &Judged| {
            row.span.from < window.window.0.until && window.window.0.from < row.span.until
        };
        let newer =
            |window: &JudgedWindow| known.iter().any(|row| row.as_of > as_of && overlaps(window, row));
        let kept: Vec<_> = windows.iter().filter(|window| !newer(window)).collect();
        let first_seen: BTreeMap<_, _> = known.iter().map(|row| (row.span.from, row.first_as_of)).collect();
        for window in &kept {
            let span = window.window.0;
            if known.iter().any(|row| overlaps(window, row)) {
                let values =
                    [flow.into(), span.from.plus(-LONGEST).into(), span.until.into(), span.from.into()];
                self.store.execute(sql::WINDOWS_DROP, &values).await?;
            }
        }
        for rows in kept.chunks(ROWS_MAX) {
            let mut values = Vec::with_capacity(rows.len() * COLUMNS);
            for window in rows {
                let first = first_seen.get(&window.window.0.from).copied().unwrap_or(as_of).min(as_of);
                values.extend(row_of(flow, as_of, first, window)?);
            }
            self.store.execute(&sql::rows(sql::WINDOWS_ADD, rows.len(), COLUMNS), &values).await?;
        }
        let put: Vec<_> = kept.iter().map(|window| window.window.0).collect();
        let holes = known.iter().filter_map(|row| uncovered(row.span, &put));
        match holes.min() {
            Some(hole) => self.go_back(flow, hole).await,
            None => Ok(()),
        }
    }

    /// Marks windows to be judged again, unless this as-of has just judged them; in a transaction.
    pub(super) async fn mark_stale(
        &mut self,
        flow: &str,
        as_of: Micros,
        begins: &[Micros],
    ) -> Result<(), LedgerError> {
        for begins in begins.chunks(sql::LIST_MAX) {
            let mut values: Vec<Value> = vec![flow.into(), as_of.into()];
            values.extend(begins.iter().map(|at| Value::from(*at)));
            self.store.execute(&sql::listed(sql::WINDOWS_SET_STALE, begins.len()), &values).await?;
        }
        Ok(())
    }
}

/// Where a span begins that is taken apart: by spans in time order that cover only a part of it.
fn uncovered(span: Span, by: &[Span]) -> Option<Micros> {
    let touches = |other: &&Span| other.from < span.until && span.from < other.until;
    let mut at = span.from;
    for part in by.iter().filter(touches) {
        if part.from > at {
            return Some(at);
        }
        at = at.max(part.until);
    }
    (at > span.from && at < span.until).then_some(at)
}

fn row_of(
    flow: &str,
    as_of: Micros,
    first: Micros,
    window: &JudgedWindow,
) -> Result<[Value; COLUMNS], LedgerError> {
    let (lost, other) = window.differences();
    let counts = Counts { events: window.events, consumers: window.consumers.clone() };
    let counts = serde_json::to_string(&counts).map_err(|error| {
        LedgerError::new(super::ErrorKind::Away, format!("counts cannot be written: {error}"))
    })?;
    Ok([
        flow.into(),
        window.window.0.from.into(),
        window.window.0.until.into(),
        "judged".into(),
        as_of.into(),
        first.into(),
        window.lapsed.into(),
        false.into(),
        window.events.acked.cast_signed().into(),
        lost.cast_signed().into(),
        other.cast_signed().into(),
        counts.into(),
    ])
}
