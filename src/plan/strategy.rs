//! How both sides of a flow are read: by what somebody wants, what the layout allows and what the link carries. Pure.

use crate::config::{AfterAck, Config, Dialect, Flow, TimeFormat, Wanted};
use crate::model::Span;
use crate::model::run::Strategy;

/// Below this many bytes a second (20 Mbit/s) sums are there before the packed rows are, though they cost the servers more:
/// of 5,000,000 messages the sums took PostgreSQL and MariaDB about 45 s on two cores, and packed rows are 130 MB.
pub const SKETCH_BELOW: u64 = 2_500_000;
/// Below this many bytes a second (200 Mbit/s) shortened ids are worth what they cost the servers.
pub const PACKED_BELOW: u64 = 25_000_000;
/// Fewer rows than this are read faster than they are added up.
pub const SKETCH_ROWS_MIN: u64 = 200_000;

/// Fewer events than this are read before a link is measured.
pub const MEASURED_ROWS_MIN: u64 = 20_000;

/// What is known of a flow before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What the slowest link to its sources carries; `None` where nobody has measured it.
    pub bytes_per_second: Option<u64>,
    /// About how many of its events lie in the range; `None` where nobody knows.
    pub rows: Option<u64>,
    /// Somebody has set bounds to lateness or latencies, which sums do not show.
    pub times_judged: bool,
    /// Why no sketch can be used, if none can.
    pub no_sketch: Option<String>,
    /// Why ids cannot be packed, if they cannot.
    pub no_packed: Option<String>,
}

/// How a flow is read, and why not as somebody wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How it is read.
    pub strategy: Strategy,
    /// What a person should know of it: why a wanted strategy is not used.
    pub hint: Option<String>,
}

/// Decides how a flow is read. What cannot be used is never used, whoever wants it, and the choice says why.
#[must_use]
pub fn choose(wanted: Wanted, known: &Known) -> Choice {
    match wanted {
        Wanted::Auto => by_itself(known),
        Wanted::Stream => Choice { strategy: Strategy::Stream, hint: None },
        Wanted::Packed => unless(Strategy::Packed, known.no_packed.as_deref()),
        Wanted::Sketch => unless(Strategy::Sketch, known.no_sketch.as_deref()),
    }
}

/// What is known of a flow by its configuration alone, over a range (`None`: over any).
#[must_use]
pub fn known(flow: &Flow, config: &Config, range: Option<Span>) -> Known {
    Known {
        bytes_per_second: None,
        rows: None,
        times_judged: times_judged(flow),
        no_sketch: sketch_obstacle(flow, config, range),
        no_packed: packed_obstacle(flow, config),
    }
}

/// Whether anything is to be decided by what the link carries, so that it is worth measuring. `known.rows` is looked at
/// where it is known.
#[must_use]
pub fn depends_on_link(wanted: Wanted, known: &Known) -> bool {
    let few = known.rows.is_some_and(|rows| rows < MEASURED_ROWS_MIN);
    wanted == Wanted::Auto && !few && (known.no_packed.is_none() || can_sketch(known))
}

fn can_sketch(known: &Known) -> bool {
    known.no_sketch.is_none() && !known.times_judged
}

/// Bounds that are never reached because nobody measures would pass for calm.
fn times_judged(flow: &Flow) -> bool {
    let of_consumers = flow.consumers.iter().flat_map(|consumer| consumer.thresholds.keys());
    let mut metrics = flow.thresholds.keys().chain(of_consumers);
    metrics.any(|metric| ["late", "clock_skew"].contains(&metric.as_str()) || metric.starts_with("latency_"))
}

fn by_itself(known: &Known) -> Choice {
    let strategy = by_link(known);
    let rate = known.bytes_per_second.filter(|_| strategy != Strategy::Stream);
    Choice {
        strategy,
        hint: rate.map(|rate| {
            format!(
                "`auto` took strategy `{}`: the slowest link to the sources carries {}",
                strategy.name(),
                mbits(rate)
            )
        }),
    }
}

/// As links are called.
fn mbits(bytes_per_second: u64) -> String {
    let tenths = bytes_per_second / 12_500;
    if tenths < 100 {
        format!("{}.{} Mbit/s", tenths / 10, tenths % 10)
    } else {
        format!("{} Mbit/s", tenths / 10)
    }
}

fn by_link(known: &Known) -> Strategy {
    let slower = |than: u64| known.bytes_per_second.is_some_and(|measured| measured < than);
    let many = known.rows.is_some_and(|rows| rows > SKETCH_ROWS_MIN);
    if slower(SKETCH_BELOW) && many && can_sketch(known) {
        Strategy::Sketch
    } else if slower(PACKED_BELOW) && known.no_packed.is_none() {
        Strategy::Packed
    } else {
        Strategy::Stream
    }
}

fn unless(strategy: Strategy, obstacle: Option<&str>) -> Choice {
    match obstacle {
        None => Choice { strategy, hint: None },
        Some(why) => Choice { strategy: Strategy::Stream, hint: Some(not_used(strategy, why)) },
    }
}

/// The remark that a wanted strategy was not used.
#[must_use]
pub fn not_used(strategy: Strategy, why: &str) -> String {
    format!("strategy `{}` was not used, and the rows were streamed: {why}", strategy.name())
}

/// What in the configuration keeps a flow from being read by a sketch over a range (`None`: over any); what the tables
/// themselves say comes on top. Every consumer of a flow is read alike, so that one obstacle is enough.
#[must_use]
pub fn sketch_obstacle(flow: &Flow, config: &Config, range: Option<Span>) -> Option<String> {
    let events = &flow.events;
    let mut found = vec![server(config, &events.database)];
    found.push(match &events.acked_at {
        None => Some("`events.acked_at` is not configured, and only acks are compared by digests".to_owned()),
        Some(column) => pattern(&column.format, "events.acked_at"),
    });
    found.push(
        (events.after_ack == AfterAck::Delete).then(|| {
            "event rows vanish at the ack, so that there is nothing to compare by digests".to_owned()
        }),
    );
    for consumer in &flow.consumers {
        let obstacle = server(config, &consumer.database).or_else(|| match &consumer.consumed_at {
            None => {
                Some("`consumed_at` is not configured, so that its receipts belong to no range".to_owned())
            }
            Some(column) => pattern(&column.format, "consumed_at"),
        });
        let obstacle = obstacle.or_else(|| {
            let original = consumer.original_id.is_some();
            original.then(|| "`original_id` gives a receipt one of two ids".to_owned())
        });
        let cut = |span: Span| {
            consumer.since.is_some_and(|since| since > span.from)
                || consumer.until.is_some_and(|until| until < span.until)
        };
        let obstacle = obstacle
            .or_else(|| range.is_some_and(cut).then(|| "its `since` or `until` cuts the range".to_owned()));
        found.push(obstacle.map(|why| format!("consumer `{}`: {why}", consumer.name)));
    }
    found.into_iter().flatten().next()
}

/// What in the configuration keeps a flow from being read packed; what the tables themselves say comes on top. It is as
/// for sums, but for pieces of a range, since every row is placed here.
#[must_use]
pub fn packed_obstacle(flow: &Flow, config: &Config) -> Option<String> {
    sketch_obstacle(flow, config, None)
}

/// SQLite lies on this machine: there is no link to spare, and it knows no SHA-256.
fn server(config: &Config, database: &str) -> Option<String> {
    let sqlite = config.databases.get(database).is_some_and(|it| it.dialect == Dialect::Sqlite);
    sqlite
        .then(|| format!("database `{database}` is SQLite, which has no link to spare and knows no SHA-256"))
}

fn pattern(format: &TimeFormat, key: &str) -> Option<String> {
    let text = matches!(format, TimeFormat::Pattern(_) | TimeFormat::Iso8601);
    text.then(|| format!("`{key}` is text, which servers do not compare exactly as time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(bytes_per_second: Option<u64>, rows: Option<u64>) -> Known {
        Known { bytes_per_second, rows, times_judged: false, no_sketch: None, no_packed: None }
    }

    #[test]
    fn the_link_and_the_sizes_decide_where_nobody_does() {
        let mbit = |bits: u64| Some(bits * 125_000);
        for (link, rows, right) in [
            (None, Some(5_000_000), Strategy::Stream),
            (mbit(1_000), Some(5_000_000), Strategy::Stream),
            (mbit(100), Some(5_000_000), Strategy::Packed),
            (mbit(10), Some(5_000_000), Strategy::Sketch),
            (mbit(10), Some(200_000), Strategy::Packed),
            (mbit(10), None, Strategy::Packed),
        ] {
            let choice = choose(Wanted::Auto, &measured(link, rows));
            assert_eq!(choice.strategy, right, "{link:?} {rows:?}");
            assert_eq!(choice.hint.is_some(), right != Strategy::Stream, "what is not usual is said");
        }
        let slow = measured(mbit(10), Some(5_000_000));
        let no_sketch = Known { no_sketch: Some("x".to_owned()), ..slow.clone() };
        assert_eq!(choose(Wanted::Auto, &no_sketch).strategy, Strategy::Packed);
        let judged = Known { times_judged: true, ..slow.clone() };
        assert_eq!(
            choose(Wanted::Auto, &judged).strategy,
            Strategy::Packed,
            "bounds of latencies are judged"
        );
        assert_eq!(choose(Wanted::Sketch, &judged).strategy, Strategy::Sketch, "whoever asks for it knows");
        let hint = choose(Wanted::Auto, &slow).hint;
        let right = "`auto` took strategy `sketch`: the slowest link to the sources carries 10 Mbit/s";
        assert_eq!(hint.as_deref(), Some(right));
        let neither = Known { no_packed: Some("y".to_owned()), ..no_sketch };
        assert_eq!(choose(Wanted::Auto, &neither), Choice { strategy: Strategy::Stream, hint: None });
    }

    #[test]
    fn a_link_is_measured_only_where_it_decides() {
        let open = measured(None, Some(1_000_000));
        assert!(depends_on_link(Wanted::Auto, &open));
        assert!(depends_on_link(Wanted::Auto, &Known { rows: None, ..open.clone() }));
        assert!(!depends_on_link(Wanted::Auto, &Known { rows: Some(5_000), ..open.clone() }), "a quiet day");
        assert!(
            [Wanted::Stream, Wanted::Packed, Wanted::Sketch].iter().all(|one| !depends_on_link(*one, &open))
        );
        let no_packed = Known { no_packed: Some("x".to_owned()), ..open };
        assert!(depends_on_link(Wanted::Auto, &no_packed));
        assert!(!depends_on_link(Wanted::Auto, &Known { times_judged: true, ..no_packed.clone() }));
        assert!(!depends_on_link(Wanted::Auto, &Known { no_sketch: Some("y".to_owned()), ..no_packed }));
    }

    #[test]
    fn links_are_named_as_people_name_them() {
        for (rate, name) in [
            (1_250_000, "10 Mbit/s"),
            (64_000, "0.5 Mbit/s"),
            (1_112_500, "8.9 Mbit/s"),
            (12_600_000, "100 Mbit/s"),
        ] {
            assert_eq!(mbits(rate), name);
        }
    }

    #[test]
    fn what_is_wanted_is_used_if_it_can_be_and_else_the_reason_is_said() {
        let fast = measured(Some(u64::MAX), Some(10));
        for (wanted, right) in [
            (Wanted::Stream, Strategy::Stream),
            (Wanted::Packed, Strategy::Packed),
            (Wanted::Sketch, Strategy::Sketch),
        ] {
            assert_eq!(choose(wanted, &fast), Choice { strategy: right, hint: None });
        }
        let obstacle = Known { no_sketch: Some("ids may repeat".to_owned()), ..fast };
        let choice = choose(Wanted::Sketch, &obstacle);
        let right = "strategy `sketch` was not used, and the rows were streamed: ids may repeat";
        assert_eq!((choice.strategy, choice.hint.as_deref()), (Strategy::Stream, Some(right)));
    }
}
