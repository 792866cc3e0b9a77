//! Moving house: everything that one ledger holds into another that is empty, whatever their databases.

use super::error::{ErrorKind, LedgerError};
use super::value::{Row, Value};
use super::{Ledger, sql};

/// So many rows are read at a time.
const PAGE: usize = 2_000;
/// So many values go into one statement at the most.
const VALUES_MAX: usize = 2_000;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Text,
    Bytes,
}

/// A table of the schema.
struct Table {
    name: &'static str,
    key: &'static str,
    columns: &'static [(&'static str, Kind)],
}

use Kind::{Bytes, Int, Text};

/// Every table but the leases, which nobody takes along. A test holds this list to the migrations.
const TABLES: [Table; 9] = [
    Table {
        name: "msgrecon_flows",
        key: "flow",
        columns: &[("flow", Text), ("begin_at", Int), ("asked_start", Int), ("watermark", Int)],
    },
    Table {
        name: "msgrecon_runs",
        key: "run",
        columns: &[
            ("run", Text),
            ("as_of", Int),
            ("started_at", Int),
            ("finished_at", Int),
            ("version", Text),
            ("scheduled", Int),
            ("state", Text),
            ("span_from", Int),
            ("span_until", Int),
            ("outcome", Text),
            ("verdict", Text),
            ("complete", Int),
            ("exit_code", Int),
            ("differences", Int),
        ],
    },
    Table {
        name: "msgrecon_run_flows",
        key: "run, flow",
        columns: &[
            ("run", Text),
            ("flow", Text),
            ("as_of", Int),
            ("scheduled", Int),
            ("finished", Int),
            ("windows", Int),
            ("outcome", Text),
            ("verdict", Text),
            ("differences", Int),
            ("opened", Int),
            ("resolved", Int),
        ],
    },
    Table {
        name: "msgrecon_documents",
        key: "run, part",
        columns: &[("run", Text), ("part", Int), ("body", Bytes)],
    },
    Table {
        name: "msgrecon_slices",
        key: "flow, from_at, part",
        columns: &[
            ("flow", Text),
            ("from_at", Int),
            ("until_at", Int),
            ("part", Int),
            ("as_of", Int),
            ("body", Bytes),
        ],
    },
    Table {
        name: "msgrecon_windows",
        key: "flow, from_at",
        columns: &[
            ("flow", Text),
            ("from_at", Int),
            ("until_at", Int),
            ("state", Text),
            ("as_of", Int),
            ("first_as_of", Int),
            ("lapsed", Int),
            ("stale", Int),
            ("acked", Int),
            ("lost", Int),
            ("other", Int),
            ("counts", Text),
        ],
    },
    Table {
        name: "msgrecon_differences",
        key: "flow, consumer, id_key",
        columns: &[
            ("flow", Text),
            ("consumer", Text),
            ("id_key", Bytes),
            ("id", Bytes),
            ("kind", Text),
            ("state", Text),
            ("window_from", Int),
            ("home_at", Int),
            ("created_at", Int),
            ("acked_at", Int),
            ("consumed_at", Int),
            ("detail", Text),
            ("first_seen", Int),
            ("last_seen", Int),
            ("times_seen", Int),
            ("checked_at", Int),
            ("found_late", Int),
            ("ack_until", Int),
            ("ack_reason", Text),
            ("resolved_at", Int),
            ("resolution", Text),
            ("history", Text),
            ("kind_since", Int),
        ],
    },
    Table {
        name: "msgrecon_alerts",
        key: "flow, consumer, metric",
        columns: &[("flow", Text), ("consumer", Text), ("metric", Text), ("state", Text), ("body", Text)],
    },
    Table {
        name: "msgrecon_deliveries",
        key: "delivery",
        columns: &[
            ("delivery", Text),
            ("target", Text),
            ("flow", Text),
            ("run", Text),
            ("as_of", Int),
            ("created_at", Int),
            ("state", Text),
            ("attempts", Int),
            ("tried_at", Int),
            ("problem", Text),
            ("body", Text),
        ],
    },
];

impl Table {
    fn columns(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    fn read(&self) -> String {
        self.filled(sql::COPY_READ).replace("/*:key*/", self.key)
    }

    fn write(&self, rows: usize) -> String {
        sql::rows(&self.filled(sql::COPY_WRITE), rows, self.columns.len())
    }

    fn filled(&self, sql: &str) -> String {
        sql.replace("/*:table*/", self.name).replace("/*:columns*/", &self.columns())
    }

    fn values(&self, row: &Row) -> Vec<Value> {
        let of = |(place, (_, kind)): (usize, &(&str, Kind))| match kind {
            Kind::Int => row.int(place).into(),
            Kind::Text => row.text(place).into(),
            Kind::Bytes => row.bytes(place).into(),
        };
        self.columns.iter().enumerate().map(of).collect()
    }
}

impl Ledger {
    /// Takes over everything that another ledger holds, all or nothing; gives the rows of each table.
    ///
    /// # Errors
    /// A ledger that fails, or one to copy into that is not empty.
    pub async fn copy_from(&mut self, other: &mut Self) -> Result<Vec<(&'static str, u64)>, LedgerError> {
        self.transaction(async |ledger| {
            let mut copied = Vec::new();
            for table in &TABLES {
                if !ledger.store.fetch(&table.read(), &[1_i64.into(), 0_i64.into()]).await?.is_empty() {
                    let message = "it is not empty: a ledger is copied only into a new one";
                    return Err(LedgerError::new(ErrorKind::Configuration, message).at(ledger.place()));
                }
                copied.push((table.name, ledger.copy_table(other, table).await?));
            }
            Ok(copied)
        })
        .await
    }

    async fn copy_table(&mut self, other: &mut Self, table: &Table) -> Result<u64, LedgerError> {
        let mut copied = 0;
        loop {
            let page = [
                i64::try_from(PAGE).unwrap_or(i64::MAX).into(),
                i64::try_from(copied).unwrap_or(i64::MAX).into(),
            ];
            let rows = other.store.fetch(&table.read(), &page).await?;
            // A document's piece may be long, and servers bound the length of a statement.
            let together = if table.columns.iter().any(|(name, _)| *name == "body") {
                1
            } else {
                VALUES_MAX / table.columns.len()
            };
            for rows in rows.chunks(together) {
                let values: Vec<_> = rows.iter().flat_map(|row| table.values(row)).collect();
                self.store.execute(&table.write(rows.len()), &values).await?;
            }
            copied += rows.len() as u64;
            if rows.len() < PAGE {
                return Ok(copied);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The columns of each table, as a migration names them.
    fn columns(migration: &str) -> BTreeMap<String, Vec<String>> {
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut table = None;
        for line in migration.lines() {
            if let Some(rest) = line.strip_prefix("CREATE TABLE IF NOT EXISTS ") {
                table = Some(rest.trim_end_matches(" (").to_owned());
            } else if let (Some(name), Some(rest)) = (&table, line.strip_prefix("    ")) {
                let word = rest.split(' ').next().unwrap().to_owned();
                if word.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                    tables.entry(name.clone()).or_default().push(word);
                }
            } else {
                table = None;
            }
            let added = line.split_once("ALTER TABLE ").filter(|(_, rest)| rest.contains("ADD COLUMN"));
            if let Some((_, rest)) = added {
                let words: Vec<_> = rest.split(' ').collect();
                let added = words.iter().rposition(|word| *word == "BIGINT" || *word == "INTEGER").unwrap();
                tables.entry(words[0].to_owned()).or_default().push(words[added - 1].to_owned());
            }
        }
        tables
    }

    #[test]
    fn every_column_of_every_table_is_taken_along() {
        let migrations = [
            concat!(
                include_str!("../../migrations/sqlite/0001_ledger.sql"),
                include_str!("../../migrations/sqlite/0002_alerts.sql")
            ),
            concat!(
                include_str!("../../migrations/postgres/0001_ledger.sql"),
                include_str!("../../migrations/postgres/0002_alerts.sql")
            ),
            concat!(
                include_str!("../../migrations/mysql/0001_ledger.sql"),
                include_str!("../../migrations/mysql/0002_alerts.sql")
            ),
        ];
        for migration in migrations {
            let mut there = columns(migration);
            there.remove("msgrecon_leases").unwrap();
            assert_eq!(there.len(), TABLES.len());
            for table in &TABLES {
                let mut mine: Vec<_> = table.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
                let mut theirs = there.remove(table.name).unwrap();
                mine.sort();
                theirs.sort();
                assert_eq!(mine, theirs, "{}", table.name);
            }
        }
    }
}
