//! What a report says of the time before it: new, still open, healed, and how the last windows and days were.

use super::entry::{Entry, State};
use super::error::LedgerError;
use super::windows::Judged;
use super::{Ledger, sql};
use crate::model::life::{Acknowledged, FlowLife, Healed, TrendPoint, Volume};
use crate::model::time::DAY;
use crate::model::window::{local_date, local_day};
use crate::model::{Kind, Micros, Span};
use chrono::Datelike as _;
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};

/// So many weeks are looked back on.
const WEEKS: usize = 9;

/// What a run's report covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// A range that somebody asked for.
    Range(Span),
    /// These windows, by their begin.
    Windows(BTreeSet<Micros>),
}

impl Ledger {
    /// What is known of a flow as of now, compared with the run as of `last`.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn life(
        &mut self,
        flow: &str,
        as_of: Micros,
        last: Option<Micros>,
        zone: Tz,
    ) -> Result<FlowLife, LedgerError> {
        let before = last.unwrap_or(Micros(i64::MIN));
        let mut life = FlowLife::default();
        self.count_open(flow, as_of, before, &mut life).await?;
        // The first run of all has nothing that it could have healed.
        if last.is_some() {
            self.count_healed(flow, before, &mut life).await?;
        }
        life.watermark = self.begun(flow).await?.map(|begun| begun.watermark);
        life.windows = self.last_windows(flow, FlowLife::TREND).await?.iter().map(point).collect();
        let days = self.days(flow, as_of, zone).await?;
        life.volume = volume(&days, zone);
        let skip = days.len().saturating_sub(FlowLife::TREND);
        life.days = days.into_iter().skip(skip).collect();
        Ok(life)
    }

    /// How many of the differences in a run's windows are acknowledged. Those of a range are told by their own time,
    /// since it may begin in the middle of a window; those of no window at all count where the run saw them.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn acknowledged(
        &mut self,
        flow: &str,
        as_of: Micros,
        within: &Within,
    ) -> Result<Vec<Acknowledged>, LedgerError> {
        let span = match within {
            Within::Range(span) => *span,
            Within::Windows(_) => Span::new(Micros(i64::MIN), Micros(i64::MAX)),
        };
        let values = [as_of.into(), flow.into(), as_of.into(), span.from.into(), span.until.into()];
        let mut sums: BTreeMap<(Option<String>, Kind), u64> = BTreeMap::new();
        for row in self.store.fetch(sql::DIFFERENCES_ACKNOWLEDGED, &values).await? {
            let counts = match (row.at(2), within) {
                (None, _) => row.yes(3),
                (Some(_), Within::Range(_)) => true,
                (Some(from), Within::Windows(windows)) => windows.contains(&from),
            };
            if let Some(kind) = Kind::from_name(&row.word(1)).filter(|_| counts) {
                let consumer = Some(row.word(0)).filter(|consumer| !consumer.is_empty());
                *sums.entry((consumer, kind)).or_default() += row.count(4);
            }
        }
        let sums = sums.into_iter();
        Ok(sums.map(|((consumer, kind), count)| Acknowledged { consumer, kind, count }).collect())
    }

    async fn count_open(
        &mut self,
        flow: &str,
        as_of: Micros,
        before: Micros,
        life: &mut FlowLife,
    ) -> Result<(), LedgerError> {
        let values = [as_of.into(), before.into(), flow.into()];
        for row in self.store.fetch(sql::DIFFERENCES_COUNTED, &values).await? {
            match (row.yes(0), row.yes(1)) {
                (true, _) => life.acknowledged += row.count(2),
                (false, true) => life.new += row.count(2),
                (false, false) => life.still_open += row.count(2),
            }
        }
        Ok(())
    }

    async fn count_healed(
        &mut self,
        flow: &str,
        before: Micros,
        life: &mut FlowLife,
    ) -> Result<(), LedgerError> {
        for row in self.store.fetch(sql::DIFFERENCES_HEALED_COUNT, &[flow.into(), before.into()]).await? {
            match State::from_name(&row.word(0)) {
                State::Expired => life.expired += row.count(1),
                _ => life.resolved += row.count(1),
            }
        }
        let limit = i64::try_from(FlowLife::HEALED_MAX).unwrap_or(i64::MAX);
        let rows =
            self.store.fetch(sql::DIFFERENCES_HEALED, &[flow.into(), before.into(), limit.into()]).await?;
        life.healed = rows.iter().map(Entry::of).map(healed).collect();
        Ok(())
    }

    async fn days(&mut self, flow: &str, as_of: Micros, zone: Tz) -> Result<Vec<TrendPoint>, LedgerError> {
        let days = i64::try_from(WEEKS * 7).unwrap_or(i64::MAX);
        let first = local_day(local_date(as_of.plus(-days * DAY), zone), zone);
        let windows = self.windows(flow, Span::new(first.from, as_of)).await?;
        let mut by_day: BTreeMap<Span, Vec<Judged>> = BTreeMap::new();
        for window in windows {
            by_day.entry(local_day(local_date(window.span.from, zone), zone)).or_default().push(window);
        }
        Ok(by_day.iter().map(|(day, windows)| sum(*day, windows)).collect())
    }
}

/// The last day that was judged whole, and the same weekday before.
fn volume(days: &[TrendPoint], zone: Tz) -> Option<Volume> {
    let day = days.iter().rfind(|day| day.complete)?;
    let weekday = |point: &TrendPoint| local_date(point.span.from, zone).weekday();
    let before = days.iter().filter(|one| one.complete && one.span.from < day.span.from);
    let usual = before.filter(|one| weekday(one) == weekday(day)).map(|one| one.acked).collect();
    Some(Volume { day: day.span, acked: day.acked, usual })
}

fn healed(entry: Entry) -> Healed {
    // The kind under which it was open; a late message was something else before.
    let was = entry.history.iter().rev().find(|moment| moment.state == State::Open);
    Healed {
        kind: was.map_or(entry.kind, |moment| moment.kind),
        consumer: entry.consumer,
        id: entry.id,
        window_from: entry.window_from,
        first_seen: entry.first_seen,
        expired: entry.state == State::Expired,
        evidence: entry.resolution.unwrap_or_default(),
    }
}

fn point(window: &Judged) -> TrendPoint {
    TrendPoint {
        span: window.span,
        complete: !window.lapsed,
        acked: window.acked,
        lost: window.lost,
        other: window.other,
    }
}

fn sum(day: Span, windows: &[Judged]) -> TrendPoint {
    let covered: i64 = windows.iter().map(|window| window.span.micros()).sum();
    TrendPoint {
        span: day,
        complete: covered >= day.micros() && windows.iter().all(|window| !window.lapsed),
        acked: windows.iter().map(|window| window.acked).sum(),
        lost: windows.iter().map(|window| window.lost).sum(),
        other: windows.iter().map(|window| window.other).sum(),
    }
}
