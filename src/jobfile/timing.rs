//! When a job starts, and every bound that follows from it.

use super::expression::Expression;
use crate::config::Flow;
use crate::model::time::{DAY, HOUR, MINUTE, SECOND, human};
use crate::schedule::settle;

/// The intervals that every scheduler can be told, in minutes: they divide the hour or the day, so that each day is like
/// the others.
const INTERVALS: [i64; 13] = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440];
/// Unless somebody asks for it, no job starts more often: something that does should be a service.
const USUAL_MIN: i64 = 15 * MINUTE;
/// Late commits arrive within this.
const MARGIN: i64 = 3 * MINUTE;
/// A run that takes longer hangs, however rarely it starts.
const RUN_MAX: i64 = 6 * HOUR;

/// A time that cannot be told to a scheduler: which, and what can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimingError(pub(super) String);

/// When a job starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// As cron and Kubernetes take it.
    pub(super) starts: Expression,
    /// When somebody looks whether it does.
    pub(super) probe: Expression,
    /// The shortest time from one start to the next, in microseconds.
    pub interval: i64,
    /// Why, as a comment.
    pub(super) why: String,
}

impl Timing {
    /// What suits the flows: as often as the shortest window ends, once everything in it must have arrived.
    #[must_use]
    pub fn of_flows(flows: &[Flow]) -> Self {
        let window = flows.iter().map(|flow| flow.window).min().unwrap_or(HOUR);
        let wanted = window.max(USUAL_MIN) / MINUTE;
        let fits = INTERVALS.into_iter().rev().find(|minutes| *minutes <= wanted);
        Self::regular(fits.unwrap_or(60), flows, "")
    }

    /// So often, in microseconds.
    ///
    /// # Errors
    /// An interval that does not divide the hour or the day.
    pub fn every(interval: i64, flows: &[Flow]) -> Result<Self, TimingError> {
        let fits = INTERVALS.into_iter().find(|minutes| minutes * MINUTE == interval);
        let Some(minutes) = fits else {
            let known: Vec<_> = INTERVALS.iter().map(|minutes| super::duration(minutes * MINUTE)).collect();
            return Err(TimingError(format!(
                "--every {} does not divide the hour or the day; it can be {}, and --cron takes any other times",
                human(interval),
                known.join(", ")
            )));
        };
        Ok(Self::regular(minutes, flows, &format!("Every {}, as --every asks. ", human(interval))))
    }

    /// At the times of a crontab.
    ///
    /// # Errors
    /// What is no such expression, or starts more often than every five minutes.
    pub fn cron(text: &str) -> Result<Self, TimingError> {
        let starts = Expression::parse(text)?;
        let interval = starts.interval() * MINUTE;
        if interval < INTERVALS[0] * MINUTE {
            return Err(TimingError(format!(
                "--cron \"{text}\" starts more often than every 5m; windows are not due that often"
            )));
        }
        let probe = Expression::regular(60, starts.first_minute() + 30);
        Ok(Self { starts, probe, interval, why: "# The times that --cron asks for.".to_owned() })
    }

    fn regular(minutes: i64, flows: &[Flow], asked: &str) -> Self {
        let window = flows.iter().map(|flow| flow.window).min().unwrap_or(HOUR);
        let settle = flows.iter().filter(|flow| flow.window == window).map(settle).max().unwrap_or(0);
        let offset = (settle + MARGIN + MINUTE - 1) / MINUTE;
        let why = format!(
            "# {asked}Windows of {} are due {} after their end (`grace` or `stuck_after`), and {} more let late commits arrive.",
            human(window),
            human(settle),
            human(MARGIN)
        );
        Self {
            starts: Expression::regular(minutes, offset),
            probe: Expression::regular(minutes, offset + minutes / 2),
            interval: minutes * MINUTE,
            why,
        }
    }

    /// A run is ended after so many seconds: before the next start, so that one that hangs does not hold that up.
    #[must_use]
    pub fn run_max(&self) -> i64 {
        (self.interval * 5 / 6).min(RUN_MAX) / SECOND
    }

    /// So many seconds late a start is still worth it; later the next one is near.
    #[must_use]
    pub fn late_max(&self) -> i64 {
        (self.interval / 2).min(DAY) / SECOND
    }

    /// So many seconds pass until another try.
    #[must_use]
    pub fn pause(&self) -> i64 {
        (self.interval / 12).clamp(30 * SECOND, 10 * MINUTE) / SECOND
    }

    /// Tries are counted over so many seconds: by the next start they are forgotten.
    #[must_use]
    pub fn tries_span(&self) -> i64 {
        (self.interval * 3 / 4).min(RUN_MAX) / SECOND
    }

    /// Starts are spread over so many seconds.
    #[must_use]
    pub fn spread(&self) -> i64 {
        (self.interval / 30).clamp(10 * SECOND, 15 * MINUTE) / SECOND
    }

    /// A window that has waited so long, in microseconds, has waited for two runs.
    #[must_use]
    pub fn overdue(&self) -> i64 {
        2 * self.interval
    }
}
