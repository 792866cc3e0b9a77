//! What the link to a database carries: measured once, by values of known size, on one connection.
//!
//! A statement with a tiny value takes a round trip and what the server needs; what a large one takes beyond that is the
//! link's. A connection begins slowly, so that small values make a long link look slow: larger ones follow while that makes
//! a difference. What disturbs only makes a value take longer, so that the fastest one counts.

use super::answer::{drain, silence};
use super::{AnySessions, Database, Server, Sessions};
use crate::clock::Stopwatch;
use crate::config::Dialect;
use crate::source::error::Failure;
use crate::source::sql::{self, Fragment, Query, Statement, Value};
use sqlx::{Executor, IntoArguments};
use std::time::Duration;

/// The first value, in bytes; ...
const FIRST: u64 = 64 * 1024;
/// ... each further one is so many times as large ...
const GROWTH: u64 = 4;
/// ... up to this, which every server's packets hold by default.
const LARGEST: u64 = 1024 * 1024;
/// No other value is asked for once so much time has gone by, ...
const ENOUGH: Duration = Duration::from_millis(500);
/// ... and none is waited for longer: then that much is known, that it carries less.
const PATIENCE: Duration = Duration::from_secs(1);
/// A value that came no faster than this many hundredths of the best before it tells that larger ones will not either.
const FASTER: u64 = 125;
/// Nothing is faster, as far as clocks tell.
const SHORTEST: Duration = Duration::from_micros(1);

/// What was measured, if it was.
pub(super) type Once = tokio::sync::OnceCell<Option<u64>>;

/// A link as it is measured: pure.
#[derive(Debug)]
struct Probe {
    /// What a tiny value takes.
    idle: Duration,
    /// Nobody wants to know how much more it carries than this.
    enough: u64,
    size: u64,
    spent: Duration,
    best: u64,
    over: bool,
    all_came: bool,
}

impl Probe {
    fn new(idle: Duration, enough: u64) -> Self {
        Self { idle, enough, size: FIRST, spent: Duration::ZERO, best: 0, over: false, all_came: true }
    }

    /// The size of the next value, in bytes; `None` once enough is known.
    fn next(&self) -> Option<u64> {
        (!self.over).then_some(self.size)
    }

    /// It came, and took so long.
    fn came(&mut self, took: Duration) {
        let rate = per_second(self.size, took.saturating_sub(self.idle));
        self.spent += took;
        let slower = rate < self.best / 100 * FASTER;
        self.best = self.best.max(rate);
        self.over = self.best >= self.enough || slower || self.spent >= ENOUGH;
        self.size = (self.size * GROWTH).min(LARGEST);
    }

    /// It did not come within this time.
    fn stayed_away(&mut self, waited: Duration) {
        self.best = self.best.max(per_second(self.size, waited));
        (self.over, self.all_came) = (true, false);
    }
}

fn per_second(bytes: u64, took: Duration) -> u64 {
    let micros = took.max(SHORTEST).as_micros();
    u64::try_from(u128::from(bytes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

impl Database {
    /// About how many bytes a second come from the database, measured the first time that somebody asks; no more exactly
    /// than that they are `enough`. `None` where there is no link, or the server does not answer such a question.
    pub async fn bytes_per_second(&self, enough: u64) -> Option<u64> {
        if self.dialect() == Dialect::Sqlite {
            return None;
        }
        let measure = async || {
            let measured = self.measured(enough).await;
            measured.inspect_err(|error| tracing::debug!("the link is not measured: {}", error.message)).ok()
        };
        *self.0.link.get_or_init(measure).await
    }

    async fn measured(&self, enough: u64) -> Result<u64, Failure> {
        let pass = self.0.gate.pass(self).await?;
        let rate = match &self.0.sessions {
            AnySessions::Sqlite(sessions) => over(sessions, self.dialect(), enough, self.0.limit).await,
            AnySessions::Postgres(sessions) => over(sessions, self.dialect(), enough, self.0.limit).await,
            AnySessions::Mysql(sessions) => over(sessions, self.dialect(), enough, self.0.limit).await,
        };
        pass.gave(0).await;
        let rate = rate?;
        tracing::info!(database = self.name(), bytes_per_second = rate, "link measured");
        Ok(rate)
    }
}

/// Measures on one connection, which gets faster as it is used.
async fn over<D>(
    sessions: &Sessions<D>,
    dialect: Dialect,
    enough: u64,
    limit: Duration,
) -> Result<u64, Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut session = sessions.take().await?;
    let probed = tokio::time::timeout(limit, probed::<D>(&mut session.connection, dialect, enough)).await;
    let probe = probed.unwrap_or_else(|_| Err(silence(limit)));
    // Else the rest of a value may still be under way on it.
    if probe.as_ref().is_ok_and(|probe| probe.all_came) {
        sessions.keep(session);
    }
    probe.map(|probe| probe.best)
}

async fn probed<D>(connection: &mut D::Connection, dialect: Dialect, enough: u64) -> Result<Probe, Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    // The first one is prepared too.
    timed::<D>(connection, dialect, 1).await?;
    let mut probe = Probe::new(timed::<D>(connection, dialect, 1).await?, enough);
    while let Some(bytes) = probe.next() {
        let took = tokio::time::timeout(PATIENCE, timed::<D>(connection, dialect, bytes)).await;
        if let Ok(took) = took {
            probe.came(took?);
        } else {
            probe.stayed_away(PATIENCE);
        }
    }
    Ok(probe)
}

/// How long a value of so many bytes takes.
async fn timed<D>(connection: &mut D::Connection, dialect: Dialect, bytes: u64) -> Result<Duration, Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let statement = statement(dialect, bytes)?;
    let (stopwatch, mut came) = (Stopwatch::start(), 0);
    let mut count = |row: &dyn super::Fields| {
        came += row.cell(0).text().map_or(0, |text| text.len() as u64);
        Ok(())
    };
    drain::<D>(connection, &statement, &mut count).await?;
    if came == bytes {
        return Ok(stopwatch.elapsed());
    }
    Err(Failure::other(format!("{came} bytes came instead of {bytes}")))
}

fn statement(dialect: Dialect, bytes: u64) -> Result<Statement, Failure> {
    let bytes = Fragment::value(Value::Int(i64::try_from(bytes).unwrap_or(i64::MAX)));
    Ok(sql::render(Query::ProbeLink, dialect, &[("bytes", bytes)])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: u64 = 25_000_000;
    /// What a connection may have under way at first.
    const WINDOW: u64 = 14_600;

    /// A link of so many Mbit/s and this round trip, over which a connection starts slowly; gives what is measured, how
    /// long that takes, and how many bytes.
    fn measured(mbits: u64, round_trip: Duration) -> (u64, Duration, u64) {
        let (rate, mut window, mut bytes) = (mbits * 125_000, WINDOW, 0);
        let mut probe = Probe::new(round_trip, FAST);
        while let Some(size) = probe.next() {
            let (mut left, mut took) = (size, round_trip);
            while left > window {
                left -= window;
                took += round_trip.max(Duration::from_micros(window * 1_000_000 / rate));
                window *= 2;
            }
            took += Duration::from_micros(left * 1_000_000 / rate);
            if took > PATIENCE {
                probe.stayed_away(PATIENCE);
            } else {
                probe.came(took);
            }
            bytes += size;
        }
        (probe.best, probe.spent, bytes)
    }

    #[test]
    fn a_link_is_measured_well_enough_to_decide_and_soon() {
        for (mbits, round_trip) in [(1, 20), (10, 20), (10, 1), (30, 20), (100, 1), (100, 20)] {
            let (rate, spent, _) = measured(mbits, Duration::from_millis(round_trip));
            let percent = rate * 100 / (mbits * 125_000);
            assert!(
                (50..=130).contains(&percent),
                "{mbits} Mbit/s, {round_trip} ms: {percent} % are measured"
            );
            assert!(spent < Duration::from_millis(1_500), "{mbits} Mbit/s: {spent:?}");
        }
    }

    #[test]
    fn a_fast_link_costs_little_and_a_long_one_is_not_taken_for_slow() {
        let (rate, spent, bytes) = measured(10_000, Duration::from_micros(200));
        assert!(
            rate >= FAST && spent < Duration::from_millis(5) && bytes <= 5 * FIRST,
            "{rate} {spent:?} {bytes}"
        );
        let (rate, spent, _) = measured(1_000, Duration::from_millis(20));
        assert!(rate >= FAST && spent < Duration::from_secs(1), "{rate} {spent:?}");
    }

    #[test]
    fn a_link_round_the_world_is_taken_for_slower_than_it_is_and_still_soon() {
        let (rate, spent, _) = measured(100, Duration::from_millis(200));
        assert!(rate < FAST && spent < Duration::from_millis(1_500), "{rate} {spent:?}");
    }

    #[test]
    fn what_does_not_come_in_time_is_known_to_be_slow() {
        let mut probe = Probe::new(Duration::from_millis(20), FAST);
        probe.stayed_away(PATIENCE);
        assert_eq!((probe.next(), probe.best), (None, FIRST));
    }
}
