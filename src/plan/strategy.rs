//! How both sides of a flow are read: by what somebody wants, what the layout allows and what the link carries. Pure.

use crate::config::{AfterAck, Config, Dialect, Flow, TimeFormat, Wanted};
use crate::model::Span;
use crate::model::run::Strategy;

/// Below this many bytes a second (45 Mbit/s) a sketch is done before the rows are here.
pub const SKETCH_BELOW: u64 = 5_600_000;
/// Below this many bytes a second (200 Mbit/s) shortened ids are worth what they cost the servers.
pub const PACKED_BELOW: u64 = 25_000_000;
/// Fewer rows than this are read faster than they are added up.
pub const SKETCH_ROWS_MIN: u64 = 200_000;

/// What is known of a flow before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// What the slowest link to its sources carries; `None` where nobody has measured it.
    pub bytes_per_second: Option<u64>,
    /// Rows of its largest side in the range; `None` where nobody knows.
    pub rows: Option<u64>,
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
        Wanted::Auto => Choice { strategy: by_link(known), hint: None },
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
        no_sketch: sketch_obstacle(flow, config, range),
        no_packed: packed_obstacle(flow, config),
    }
}

fn by_link(known: &Known) -> Strategy {
    let slower = |than: u64| known.bytes_per_second.is_some_and(|measured| measured < than);
    let many = known.rows.is_some_and(|rows| rows > SKETCH_ROWS_MIN);
    if slower(SKETCH_BELOW) && many && known.no_sketch.is_none() {
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

/// SQLite lies on this machine: there is no link to spare, and it knows no MD5.
fn server(config: &Config, database: &str) -> Option<String> {
    let sqlite = config.databases.get(database).is_some_and(|it| it.dialect == Dialect::Sqlite);
    sqlite.then(|| format!("database `{database}` is SQLite, which has no link to spare and knows no MD5"))
}

fn pattern(format: &TimeFormat, key: &str) -> Option<String> {
    let text = matches!(format, TimeFormat::Pattern(_) | TimeFormat::Iso8601);
    text.then(|| format!("`{key}` is text, which servers do not compare exactly as time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(bytes_per_second: Option<u64>, rows: Option<u64>) -> Known {
        Known { bytes_per_second, rows, no_sketch: None, no_packed: None }
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
            assert_eq!((choice.strategy, choice.hint), (right, None), "{link:?} {rows:?}");
        }
        let slow = measured(mbit(10), Some(5_000_000));
        let no_sketch = Known { no_sketch: Some("x".to_owned()), ..slow.clone() };
        assert_eq!(choose(Wanted::Auto, &no_sketch).strategy, Strategy::Packed);
        let neither = Known { no_packed: Some("y".to_owned()), ..no_sketch };
        assert_eq!(choose(Wanted::Auto, &neither), Choice { strategy: Strategy::Stream, hint: None });
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
