//! Databases for a test, a story inside them, and a run over them.

use msgrecon::config::{self, Config, Dialect};
use msgrecon::model::{Difference, FlowReport, Micros, Run};
use msgrecon::plan::{Request, plan};
use msgrecon::reconcile::reconcile;
use msgrecon::story::{Half, Layout, Story, Want, statements};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

pub const DIALECTS: [Dialect; 3] = [Dialect::Sqlite, Dialect::Postgres, Dialect::Mysql];

/// The server's URL; `None` says on stderr why its tests are skipped. Where all servers must be there, it panics.
pub fn server(dialect: Dialect) -> Option<String> {
    let name = match dialect {
        Dialect::Sqlite => return Some(String::new()),
        Dialect::Postgres => "MSGRECON_TEST_POSTGRES_URL",
        Dialect::Mysql => "MSGRECON_TEST_MYSQL_URL",
    };
    let url = std::env::var(name).ok();
    let required = std::env::var("MSGRECON_TEST_REQUIRE").is_ok_and(|value| value == "1");
    assert!(url.is_some() || !required, "{name} is not set, and all servers are required");
    if url.is_none() {
        eprintln!("skipped: {name} is not set; `tests/run` starts a server of its own");
    }
    url
}

/// A database of its own on a server, or a file.
pub struct Place {
    pub dialect: Dialect,
    pub url: String,
    name: String,
    server: String,
    _folder: Option<TempDir>,
}

impl Place {
    /// A new, empty database; `None` where there is no such server.
    pub async fn new(dialect: Dialect) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = server(dialect)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("msgrecon_{}_{number}", std::process::id());
        if dialect == Dialect::Sqlite {
            let folder = tempfile::tempdir().unwrap();
            let url = format!("sqlite://{}", folder.path().join("data.db").display());
            let place = Self { dialect, url, name, server, _folder: Some(folder) };
            // An empty file is an empty database.
            place.execute(&["CREATE TABLE made (nr INTEGER)"]).await;
            return Some(place);
        }
        let (account, _) = server.rsplit_once('/').unwrap();
        let place =
            Self { dialect, url: format!("{account}/{name}"), name: name.clone(), server, _folder: None };
        place.execute_on(&place.server, &[&format!("CREATE DATABASE {name}")]).await;
        Some(place)
    }

    /// Runs statements in the database.
    pub async fn execute<S: AsRef<str>>(&self, statements: &[S]) {
        let statements: Vec<_> = statements.iter().map(AsRef::as_ref).collect();
        self.execute_on(&self.url, &statements).await;
    }

    async fn execute_on(&self, url: &str, statements: &[&str]) {
        match self.dialect {
            Dialect::Sqlite => {
                let options =
                    url.parse::<sqlx::sqlite::SqliteConnectOptions>().unwrap().create_if_missing(true);
                let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
                for statement in statements {
                    connection
                        .execute(AssertSqlSafe(*statement))
                        .await
                        .unwrap_or_else(|e| panic!("{e}: {statement}"));
                }
                connection.close().await.unwrap();
            }
            Dialect::Postgres => {
                let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
                for statement in statements {
                    connection
                        .execute(AssertSqlSafe(*statement))
                        .await
                        .unwrap_or_else(|e| panic!("{e}: {statement}"));
                }
                connection.close().await.unwrap();
            }
            Dialect::Mysql => {
                let mut connection = sqlx::MySqlConnection::connect(url).await.unwrap();
                for statement in statements {
                    connection
                        .execute(AssertSqlSafe(*statement))
                        .await
                        .unwrap_or_else(|e| panic!("{e}: {statement}"));
                }
                connection.close().await.unwrap();
            }
        }
    }

    /// Drops a story's tables.
    pub async fn clear(&self) {
        let drop = |table| format!("DROP TABLE IF EXISTS {table}");
        self.execute(&["event", "consumed_message", "dead_letter"].map(drop)).await;
    }

    /// Builds one half of a story in the database.
    pub async fn tell(&self, story: &Story, half: Half, unique: bool) {
        self.execute(&statements(story, self.dialect, Layout { unique, half })).await;
    }

    /// The database's part of a configuration; its zone is UTC.
    pub fn toml(&self, name: &str) -> String {
        format!("[databases.{name}]\nurl = '{}'\ntime_zone = \"UTC\"\n\n", self.url)
    }

    /// Removes the database from its server. A test that fails leaves it there to be looked at.
    pub async fn remove(self) {
        if self.dialect != Dialect::Sqlite {
            let force = if self.dialect == Dialect::Postgres { " WITH (FORCE)" } else { "" };
            self.execute_on(&self.server, &[&format!("DROP DATABASE {}{force}", self.name)]).await;
        }
    }
}

/// The flow of a story's tables: producer in database `p`, consumers in database `c`.
pub struct Flow {
    /// Lines of `[[flows]]`.
    pub rules: String,
    /// Lines of each `[[flows.consumers]]`.
    pub consumer: String,
    pub consumers: Vec<&'static str>,
    pub dead_letters: bool,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            rules: "window = \"1h\"\ngrace = \"15m\"\nlate_after = \"60m\"\nstuck_after = \"10m\"\n"
                .to_owned(),
            consumer: String::new(),
            consumers: vec!["billing"],
            dead_letters: true,
        }
    }
}

impl Flow {
    pub fn toml(&self) -> String {
        let mut text = format!(
            "[[flows]]\nname = \"orders\"\n{}\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\nwhere = \"topic = 'orders'\"\n\
             id = \"msg_id\"\ncreated_at = \"created_at\"\nacked_at = \"sent_at\"\nacked = \"status = 'acked'\"\n\
             pending = \"status = 'pending'\"\nfailed = \"status = 'failed'\"\nattempts = \"retry_count\"\n\n",
            self.rules
        );
        for name in &self.consumers {
            let _ = write!(
                text,
                "[[flows.consumers]]\nname = \"{name}\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nconsumer = \"consumer\"\n\
                 id = \"msg_id\"\noriginal_id = \"original_id\"\nconsumed_at = \"consumed_at\"\n{}\n",
                self.consumer
            );
            if self.dead_letters {
                let _ = write!(
                    text,
                    "[flows.consumers.dead_letters]\ntable = \"dead_letter\"\nwhere = \"consumer = '{name}'\"\nid = \"msg_id\"\n\
                     dead_at = \"failed_at\"\nclosed = \"discarded_at IS NOT NULL\"\nreason = \"error\"\n\n"
                );
            }
        }
        text
    }
}

/// An instant from RFC 3339.
pub fn at(text: &str) -> Micros {
    Micros(
        chrono::DateTime::parse_from_rfc3339(text)
            .unwrap_or_else(|e| panic!("{e}: {text}"))
            .timestamp_micros(),
    )
}

/// A configuration from its text.
pub fn load(text: &str) -> Config {
    config::parse(text, Path::new("msgrecon.toml"), &|_| None, &|_| Ok(String::new()))
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// A run in this process.
pub async fn run(text: &str, request: &Request, as_of: &str) -> Run {
    let config = load(text);
    let plan = plan(&config, request, &[], at(as_of)).unwrap();
    reconcile(&plan, &config, "test".to_owned(), &|_| {}).await
}

/// One local day in this process.
pub async fn run_day(text: &str, day: &str, as_of: &str) -> Run {
    run(text, &Request::Date(day.parse().unwrap()), as_of).await
}

/// The program itself, in a folder with this configuration.
pub fn program(folder: &Path, config: &str, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("msgrecon.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_msgrecon"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

/// What a run found, as a story says what it wants.
pub fn found(run: &Run) -> Vec<Want> {
    let want = |difference: &Difference| Want {
        id: difference.id.as_ref().map(ToString::to_string).unwrap_or_default(),
        consumer: difference.consumer.clone(),
        kind: difference.kind,
    };
    let mut found: Vec<_> = run.differences.iter().map(want).collect();
    found.sort();
    found
}

/// `kind id` of each difference, in the report's order: for short expectations.
pub fn brief(run: &Run) -> Vec<String> {
    found(run).iter().map(|want| format!("{} {}", want.kind, want.id)).collect()
}

/// The only flow's report.
pub fn flow(run: &Run) -> &FlowReport {
    &run.flows[0]
}

/// A consumer's totals.
pub fn totals(run: &Run, consumer: &str) -> msgrecon::model::Totals {
    let report = flow(run).consumers.iter().find(|report| report.name == consumer).unwrap();
    report.counts.as_ref().unwrap_or_else(|| panic!("{consumer} was not judged: {:?}", run.problems)).totals
}
