//! A story as tables: the statements that build them on each server. Only the demo and tests run them, on databases
//! of their own; a source is never written to.

use super::Story;
use crate::config::Dialect;
use crate::model::Micros;

/// How the tables are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Ids are keys on both sides: the layout that makes duplicates impossible, and invisible.
    pub unique: bool,
    /// Which half to build.
    pub half: Half,
}

/// A side of the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The event table.
    Producer,
    /// The dedup table and the dead letters.
    Consumer,
}

/// Rows are inserted so many at a time.
const ROWS_PER_INSERT: usize = 500;

/// The statements that build one half of the story, in order.
#[must_use]
pub fn statements(story: &Story, dialect: Dialect, layout: Layout) -> Vec<String> {
    match layout.half {
        Half::Producer => producer(story, dialect, layout.unique),
        Half::Consumer => consumer(story, dialect, layout.unique),
    }
}

fn producer(story: &Story, dialect: Dialect, unique: bool) -> Vec<String> {
    let [id, word, at] = types(dialect);
    let key = if unique { "PRIMARY KEY (msg_id)".to_owned() } else { "PRIMARY KEY (nr)".to_owned() };
    let null = if unique { "NOT NULL" } else { "NULL" };
    let mut all = vec![
        format!(
            "CREATE TABLE event (nr INTEGER NOT NULL, topic VARCHAR(40) NOT NULL, msg_id {id} {null}, sort {word} NOT NULL, \
             status {word} NOT NULL, retry_count INTEGER NOT NULL, created_at {at} NULL, sent_at {at} NULL, {key})"
        ),
        "CREATE INDEX event_sent_at ON event (sent_at)".to_owned(),
        "CREATE INDEX event_created_at ON event (created_at)".to_owned(),
    ];
    if !unique {
        all.push("CREATE INDEX event_msg_id ON event (msg_id)".to_owned());
    }
    let rows = story.events.iter().enumerate().map(|(nr, event)| {
        let id = optional(event.id.as_deref(), dialect);
        let (sort, state) = (text(&event.sort, dialect), text(&event.state, dialect));
        let (created, acked) = (time(event.created, dialect), time(event.acked, dialect));
        format!("({nr}, 'orders', {id}, {sort}, {state}, {}, {created}, {acked})", event.attempts)
    });
    all.extend(inserts("event", "nr, topic, msg_id, sort, status, retry_count, created_at, sent_at", rows));
    all
}

fn consumer(story: &Story, dialect: Dialect, unique: bool) -> Vec<String> {
    let [id, word, at] = types(dialect);
    let (null, key) = if unique { ("NOT NULL", "(consumer, msg_id)") } else { ("NULL", "(nr)") };
    let mut all = vec![
        format!(
            "CREATE TABLE consumed_message (nr INTEGER NOT NULL, consumer {word} NOT NULL, msg_id {id} {null}, original_id {id} NULL, \
             consumed_at {at} NULL, PRIMARY KEY {key})"
        ),
        "CREATE INDEX consumed_at ON consumed_message (consumed_at)".to_owned(),
        "CREATE INDEX consumed_msg_id ON consumed_message (msg_id)".to_owned(),
        "CREATE INDEX consumed_original_id ON consumed_message (original_id)".to_owned(),
        format!(
            "CREATE TABLE dead_letter (nr INTEGER NOT NULL PRIMARY KEY, consumer {word} NOT NULL, msg_id {id} NOT NULL, \
             failed_at {at} NOT NULL, discarded_at {at} NULL, error VARCHAR(200) NOT NULL)"
        ),
        "CREATE INDEX dead_msg_id ON dead_letter (msg_id)".to_owned(),
        "CREATE INDEX dead_failed_at ON dead_letter (failed_at)".to_owned(),
    ];
    let rows = story.receipts.iter().enumerate().map(|(nr, row)| {
        let (id, original) =
            (optional(row.id.as_deref(), dialect), optional(row.original.as_deref(), dialect));
        format!("({nr}, {}, {id}, {original}, {})", text(&row.consumer, dialect), time(row.consumed, dialect))
    });
    all.extend(inserts("consumed_message", "nr, consumer, msg_id, original_id, consumed_at", rows));
    let rows = story.dead_letters.iter().enumerate().map(|(nr, row)| {
        let (who, id, why) =
            (text(&row.consumer, dialect), text(&row.id, dialect), text(&row.reason, dialect));
        format!(
            "({nr}, {who}, {id}, {}, {}, {why})",
            time(Some(row.dead), dialect),
            time(row.closed, dialect)
        )
    });
    all.extend(inserts("dead_letter", "nr, consumer, msg_id, failed_at, discarded_at, error", rows));
    all
}

/// Column types of ids and words (both compared byte by byte), and of times.
fn types(dialect: Dialect) -> [&'static str; 3] {
    match dialect {
        Dialect::Sqlite => ["TEXT", "TEXT", "TEXT"],
        Dialect::Postgres => ["TEXT", "VARCHAR(40)", "TIMESTAMPTZ"],
        Dialect::Mysql => [
            "VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "DATETIME(6)",
        ],
    }
}

fn inserts(table: &str, columns: &str, rows: impl Iterator<Item = String>) -> Vec<String> {
    let rows: Vec<_> = rows.collect();
    let insert = |rows: &[String]| format!("INSERT INTO {table} ({columns}) VALUES {}", rows.join(", "));
    rows.chunks(ROWS_PER_INSERT).map(insert).collect()
}

fn optional(value: Option<&str>, dialect: Dialect) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| text(value, dialect))
}

/// A text literal. The bytes go in as hex where a server reads backslashes in literals.
fn text(value: &str, dialect: Dialect) -> String {
    use std::fmt::Write as _;
    match dialect {
        Dialect::Mysql if value.is_empty() => "''".to_owned(),
        Dialect::Mysql => value.bytes().fold("_utf8mb4 0x".to_owned(), |mut literal, byte| {
            let _ = write!(literal, "{byte:02x}");
            literal
        }),
        Dialect::Sqlite | Dialect::Postgres => format!("'{}'", value.replace('\'', "''")),
    }
}

fn time(at: Option<Micros>, dialect: Dialect) -> String {
    let Some(at) = at else { return "NULL".to_owned() };
    let at = at.to_utc();
    match dialect {
        Dialect::Mysql => format!("'{}'", at.format("%Y-%m-%d %H:%M:%S%.6f")),
        Dialect::Sqlite | Dialect::Postgres => format!("'{}'", at.format("%Y-%m-%dT%H:%M:%S%.6fZ")),
    }
}
