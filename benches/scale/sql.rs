//! The data, made by the servers themselves, and the statements that other tools read them by.
//!
//! Message `i` of the day was acked at `i / N` of it and consumed 0.1 to 0.5 s later. Before and after the day there
//! are messages too, since a table does not begin at midnight. Of the day's, 137 have no receipt, and 41 receipts have
//! no event.

use crate::common::mysql_numbers;
use crate::common::place::Dialect;

pub const MISSING: u64 = 137;
pub const ORPHANS: u64 = 41;
pub const DATABASES: u64 = 4;

/// Messages around the day for each 5,000,000 of it: ten minutes' worth.
const AROUND: u64 = 34_717;

/// The statements of one table, for rows `first`, `first + step`, … of all.
#[derive(Clone, Copy)]
pub struct Rows {
    pub dialect: Dialect,
    /// Messages of the day.
    pub count: u64,
    pub first: u64,
    pub step: u64,
}

pub fn around(count: u64) -> u64 {
    (count * AROUND + 2_500_000) / 5_000_000
}

impl Rows {
    fn before(self) -> u64 {
        around(self.count) / 2
    }

    /// A table of all `i` that this table holds.
    fn numbers(self) -> String {
        let all = self.count + around(self.count);
        let rows = all.saturating_sub(self.first).div_ceil(self.step);
        let (first, step, before) = (self.first, self.step, self.before());
        let counted = match self.dialect {
            Dialect::Mysql => mysql_numbers(rows),
            Dialect::Postgres => format!("generate_series(0::bigint, {rows} - 1) numbers(i)"),
            Dialect::Sqlite => format!(
                "(WITH RECURSIVE number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < {rows} - 1) SELECT i FROM number)"
            ),
        };
        format!("(SELECT i * {step} + {first} - {before} AS i FROM {counted}) row_numbers")
    }

    /// The text of a UUID made of an expression.
    fn uuid(self, of: &str) -> String {
        match self.dialect {
            Dialect::Postgres => format!("md5(({of})::text)::uuid::text"),
            Dialect::Mysql => {
                format!(
                    "INSERT(INSERT(INSERT(INSERT(MD5({of}), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-')"
                )
            }
            // No digest there, so the number itself is scattered by multiplying.
            Dialect::Sqlite => format!(
                "(SELECT printf('%s-%s-%s-%s-%s', substr(h, 1, 8), substr(h, 9, 4), substr(h, 13, 4), substr(h, 17, 4), substr(h, 21, 12)) \
                 FROM (SELECT printf('%08x%08x%08x%08x', (x * 2654435761) & 4294967295, ((x * 2246822519) >> 3) & 4294967295, \
                 ((x * 3266489917) >> 5) & 4294967295, x & 4294967295) AS h FROM (SELECT {of} AS x)))"
            ),
        }
    }

    /// The instant so many microseconds after the day's begin.
    fn at(self, micros: &str) -> String {
        match self.dialect {
            Dialect::Postgres => {
                format!("'2026-03-02T00:00:00Z'::timestamptz + ({micros}) * interval '1 microsecond'")
            }
            Dialect::Mysql => format!("TIMESTAMPADD(MICROSECOND, {micros}, '2026-03-02 00:00:00')"),
            Dialect::Sqlite => format!("{DAY_MICROS} + ({micros})"),
        }
    }

    fn sent(self) -> String {
        let divide = if self.dialect == Dialect::Mysql { "DIV" } else { "/" };
        format!("(i * 86400000000) {divide} {}", self.count)
    }

    pub fn events(self, table: &str) -> Vec<String> {
        let (uuid, created, sent) =
            (self.uuid("i"), self.at(&format!("{} - 200000", self.sent())), self.at(&self.sent()));
        let insert =
            format!("INSERT INTO {table} SELECT {uuid}, 1, {created}, {sent} FROM {}", self.numbers());
        let indexes = match self.dialect {
            // InnoDB keeps rows in the order of the key, so an index that does not hold a column costs a search each.
            Dialect::Mysql => {
                "ADD KEY (sent_at, msg_id, status, created_at), ADD KEY (created_at), ADD KEY (status)"
            }
            _ => "sent_at,created_at,status",
        };
        self.table(table, &event_columns(self.dialect), vec![insert], indexes)
    }

    /// `salt` makes ids that no event has.
    pub fn receipts(self, table: &str, salt: u64) -> Vec<String> {
        let (before, count) = (self.before(), self.count);
        let day = i64::try_from(before).unwrap();
        let lost = (count / MISSING).max(1);
        let consumed = self.at(&format!("{} + 100000 + ((i + {day}) * 7919) % 400000", self.sent()));
        let divide = if self.dialect == Dialect::Mysql { "DIV" } else { "/" };
        let kept = if salt == 0 {
            format!("WHERE i < 0 OR i >= {count} OR i % {lost} <> 0 OR i {divide} {lost} >= {MISSING}")
        } else {
            String::new()
        };
        let insert = format!(
            "INSERT INTO {table} SELECT 'points', {}, {consumed} FROM {} {kept}",
            self.uuid(&format!("i + {salt}")),
            self.numbers()
        );
        let mut inserts = vec![insert];
        if salt == 0 && self.first == 0 {
            inserts.push(self.orphans(table));
        }
        let indexes = if self.dialect == Dialect::Mysql { "ADD KEY (consumed_at)" } else { "consumed_at" };
        self.table(table, &receipt_columns(self.dialect), inserts, indexes)
    }

    fn orphans(self, table: &str) -> String {
        let all = Self { count: ORPHANS, first: 0, step: 1, ..self };
        let uuid = self.uuid("i + 3000000000");
        let numbers = all.numbers();
        format!(
            "INSERT INTO {table} SELECT 'points', {uuid}, {} FROM {numbers} WHERE i >= 0 AND i < {ORPHANS}",
            self.at(&format!("{} + 900000", all.sent()))
        )
    }

    /// The whole: table, rows, indexes, statistics. MySQL fills an empty table in bulk and sorts what it indexes.
    fn table(self, table: &str, columns: &str, inserts: Vec<String>, indexes: &str) -> Vec<String> {
        let mut all =
            vec![format!("DROP TABLE IF EXISTS {table}"), format!("CREATE TABLE {table} ({columns})")];
        if self.dialect == Dialect::Mysql {
            all.push("SET SESSION unique_checks = 0, foreign_key_checks = 0".to_owned());
            all.extend(inserts);
            all.push(format!("ALTER TABLE {table} {indexes}"));
            all.push(format!("ANALYZE TABLE {table}"));
            return all;
        }
        all.extend(inserts);
        // SQLite takes all values of an index for equally frequent, and would read the table for the few that wait.
        let few = |column| self.dialect == Dialect::Sqlite && column == "status";
        let index = |column| {
            let which = if few(column) { " WHERE status = 0" } else { "" };
            format!("CREATE INDEX {table}_{column} ON {table} ({column}){which}")
        };
        all.extend(indexes.split(',').map(index));
        let analyze = if self.dialect == Dialect::Sqlite { "ANALYZE" } else { "VACUUM ANALYZE" };
        all.push(format!("{analyze} {table}"));
        all
    }
}

/// 2026-03-02T00:00:00Z, for SQLite's columns.
const DAY_MICROS: i64 = 1_772_409_600_000_000;

fn event_columns(dialect: Dialect) -> String {
    let (id, time) = types(dialect);
    format!(
        "msg_id {id} NOT NULL PRIMARY KEY, status SMALLINT NOT NULL, created_at {time} NOT NULL, sent_at {time}"
    )
}

fn receipt_columns(dialect: Dialect) -> String {
    let (id, time) = types(dialect);
    format!(
        "consumer VARCHAR(40) NOT NULL, msg_id {id} NOT NULL, consumed_at {time} NOT NULL, PRIMARY KEY (consumer, msg_id)"
    )
}

fn types(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect {
        Dialect::Postgres => ("TEXT", "TIMESTAMPTZ"),
        Dialect::Mysql => ("VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin", "DATETIME(6)"),
        Dialect::Sqlite => ("TEXT", "INTEGER"),
    }
}

/// An instant of the day as a literal; minutes may be negative.
fn literal(dialect: Dialect, minutes: i64) -> String {
    let at = chrono::DateTime::from_timestamp_micros(DAY_MICROS + minutes * 60_000_000).unwrap();
    match dialect {
        Dialect::Postgres => at.format("'%Y-%m-%dT%H:%M:%SZ'").to_string(),
        Dialect::Mysql => at.format("'%Y-%m-%d %H:%M:%S'").to_string(),
        Dialect::Sqlite => at.timestamp_micros().to_string(),
    }
}

fn between(dialect: Dialect, column: &str, from: i64, until: i64) -> String {
    format!("{column} >= {} AND {column} < {}", literal(dialect, from), literal(dialect, until))
}

const DAY: i64 = 24 * 60;
/// Minutes around the day in which receipts of its messages are looked for.
const EDGE: i64 = 10;

/// The condition on `sent_at` of the day's events.
pub fn of_the_day(dialect: Dialect) -> String {
    between(dialect, "sent_at", 0, DAY)
}

/// The condition on `sent_at` of the events next to the day, whose receipts are no orphans.
pub fn next_to_it(dialect: Dialect) -> String {
    let outside = |from, until| between(dialect, "sent_at", from, until);
    format!("({}) OR ({})", outside(-EDGE, 0), outside(DAY, DAY + EDGE))
}

/// The condition on the receipts that may belong to the day.
pub fn consumed_about(dialect: Dialect) -> String {
    format!("consumer = 'points' AND {}", between(dialect, "consumed_at", -EDGE, DAY + EDGE))
}

/// The condition on the receipts of the day itself.
pub fn consumed_in_the_day(dialect: Dialect) -> String {
    between(dialect, "consumed_at", 0, DAY)
}
