//! A ledger that is made anew for each point, and looked at from outside.

use crate::world::Place;
use msgrecon::config::Dialect;
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use sqlx::{PgConnection, SqliteConnection};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What must be the same however often a run died.
const TABLES: [&str; 3] = ["msgrecon_flows", "msgrecon_windows", "msgrecon_differences"];

/// Where a ledger lives.
pub struct Home {
    kind: Kind,
    /// What a fresh ledger holds.
    base: Option<Seen>,
}

enum Kind {
    Sqlite(TempDir),
    Postgres(Box<PgConnection>, Place),
}

/// How far a run has come, as its ledger tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    windows: i64,
    differences: i64,
    finished: i64,
}

/// Where a run was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing of it was recorded.
    Before,
    /// Something was, but no window of it.
    Differences,
    /// Some windows, or all, and not its end.
    Windows,
    /// It was finished.
    Finished,
}

impl Home {
    /// `None` where there is no such server.
    pub async fn new(dialect: Dialect) -> Option<Self> {
        let kind = if dialect == Dialect::Sqlite {
            Kind::Sqlite(tempfile::tempdir().unwrap())
        } else {
            let place = Place::new(dialect).await?;
            Kind::Postgres(Box::new(PgConnection::connect(&place.url).await.unwrap()), place)
        };
        Some(Self { kind, base: None })
    }

    pub fn url(&self) -> String {
        match &self.kind {
            Kind::Sqlite(folder) => format!("sqlite://{}", folder.path().join("ledger.db").display()),
            Kind::Postgres(_, place) => place.url.clone(),
        }
    }

    /// Takes the ledger as it is now for what fresh ones begin with.
    pub async fn keep(&mut self) {
        self.base = Some(self.seen().await);
        match &mut self.kind {
            Kind::Sqlite(folder) => {
                let beside: Vec<_> = beside(folder.path(), "ledger.db").collect();
                assert_eq!(
                    beside.len(),
                    1,
                    "a run that ended leaves one file that can be copied: {beside:?}"
                );
                fs::copy(folder.path().join("ledger.db"), folder.path().join("base.db")).unwrap();
            }
            Kind::Postgres(link, _) => {
                execute(link, "ALTER SCHEMA public RENAME TO base; CREATE SCHEMA public").await;
            }
        }
    }

    /// A fresh ledger: none at all, or one as it was kept.
    pub async fn renew(&mut self, kept: bool) {
        match &mut self.kind {
            Kind::Sqlite(folder) => {
                for path in beside(folder.path(), "ledger.db") {
                    fs::remove_file(path).unwrap();
                }
                if kept {
                    fs::copy(folder.path().join("base.db"), folder.path().join("ledger.db")).unwrap();
                }
            }
            Kind::Postgres(link, _) => {
                execute(link, "DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
                if kept {
                    execute(link, include_str!("copy.sql")).await;
                }
            }
        }
    }

    /// Waits until the server has noticed that its client is gone, which takes it as long as the last statement does.
    async fn settle(&mut self) {
        let Kind::Postgres(link, _) = &mut self.kind else { return };
        let others = "SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let start = Instant::now();
        while !sqlx::raw_sql(others).fetch_all(&mut **link).await.unwrap().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "the killed run's sessions stay");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// How far the run had come that was just killed.
    pub async fn phase(&mut self, kept: bool) -> Phase {
        self.settle().await;
        let base = self.base.filter(|_| kept).unwrap_or_default();
        let seen = self.seen().await;
        if seen.finished > base.finished {
            Phase::Finished
        } else if seen.windows > base.windows {
            Phase::Windows
        } else if seen.differences > base.differences {
            Phase::Differences
        } else {
            Phase::Before
        }
    }

    async fn seen(&mut self) -> Seen {
        let counts = "SELECT (SELECT count(*) FROM msgrecon_windows) || ' ' || (SELECT count(*) FROM msgrecon_differences) \
                      || ' ' || (SELECT count(*) FROM msgrecon_runs WHERE state = 'finished')";
        // Tables that are not there yet hold nothing.
        let Ok(rows) = self.ask(counts).await else { return Seen::default() };
        let counts: Vec<i64> = rows[0].split(' ').map(|count| count.parse().unwrap()).collect();
        Seen { windows: counts[0], differences: counts[1], finished: counts[2] }
    }

    /// All columns of everything that must be the same.
    pub async fn dump(&mut self) -> Vec<String> {
        let mut dump = Vec::new();
        for table in TABLES {
            let columns = match &self.kind {
                Kind::Sqlite(_) => {
                    let columns = format!(
                        "SELECT group_concat('quote(' || name || ')', ' || '' '' || ') FROM pragma_table_info('{table}')"
                    );
                    self.ask(&columns).await.unwrap().remove(0)
                }
                Kind::Postgres(..) => format!("{table}::text"),
            };
            let rows = self.ask(&format!("SELECT {columns} FROM {table} ORDER BY 1")).await.unwrap();
            dump.extend(rows.into_iter().map(|row| format!("{table}: {row}")));
        }
        dump
    }

    /// Nothing that a run needs only while it runs is left.
    pub async fn assert_at_rest(&mut self, what: &str) {
        for (left, question) in [
            ("slices", "SELECT flow FROM msgrecon_slices"),
            ("leases", "SELECT flow FROM msgrecon_leases WHERE holder IS NOT NULL"),
            ("runs", "SELECT run FROM msgrecon_runs WHERE state = 'running'"),
        ] {
            assert_eq!(self.ask(question).await.unwrap(), Vec::<String>::new(), "{what}: {left} are left");
        }
        let locks = "SELECT objid::text FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        match &self.kind {
            Kind::Sqlite(folder) => {
                let left: Vec<_> = beside(folder.path(), "ledger.db-run-").collect();
                assert_eq!(left, Vec::<PathBuf>::new(), "{what}");
            }
            Kind::Postgres(..) => {
                self.settle().await;
                assert_eq!(self.ask(locks).await.unwrap(), Vec::<String>::new(), "{what}");
            }
        }
    }

    /// The answers' first column. A SQLite ledger is asked in a copy, since asking itself would mend its journal.
    async fn ask(&mut self, question: &str) -> Result<Vec<String>, sqlx::Error> {
        match &mut self.kind {
            Kind::Sqlite(folder) => {
                let copy = tempfile::tempdir().unwrap();
                for name in ["ledger.db", "ledger.db-wal"] {
                    if folder.path().join(name).exists() {
                        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
                    }
                }
                let url = format!("sqlite://{}?mode=rwc", copy.path().join("ledger.db").display());
                let mut link = SqliteConnection::connect(&url).await?;
                let rows = sqlx::raw_sql(AssertSqlSafe(question)).fetch_all(&mut link).await?;
                let first = rows.iter().map(|row| row.get(0)).collect();
                link.close().await?;
                Ok(first)
            }
            Kind::Postgres(link, _) => {
                let rows = sqlx::raw_sql(AssertSqlSafe(question)).fetch_all(&mut **link).await?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
        }
    }

    pub async fn remove(self) {
        if let Kind::Postgres(link, place) = self.kind {
            link.close().await.unwrap();
            place.remove().await;
        }
    }
}

async fn execute(link: &mut PgConnection, statements: &'static str) {
    sqlx::raw_sql(statements).execute(link).await.unwrap();
}

fn beside(folder: &Path, start: &str) -> impl Iterator<Item = PathBuf> {
    let paths = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let start = start.to_owned();
    paths.filter(move |path| path.file_name().unwrap().to_string_lossy().starts_with(&start))
}
