//! A database of its own for each test, and configurations to read it with.

use msgrecon::config::{self, Dialect, Expression, IdColumn, IdEncoding, Table, TimeColumn, TimeFormat};
use msgrecon::model::{Micros, Span};
use msgrecon::source::{Database, EventTable, ReceiptTable, SourceError};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use std::sync::atomic::{AtomicU32, Ordering};

/// 2026-03-03T00:00:00Z.
pub const AS_OF: Micros = Micros(1_772_496_000_000_000);
/// 2026-03-02, the day that is read.
pub const DAY: Span = Span { from: Micros(AS_OF.0 - 86_400_000_000), until: AS_OF };

/// One database with nothing in it.
pub struct Bench {
    pub dialect: Dialect,
    pub url: String,
    admin: Option<String>,
    name: String,
    folder: tempfile::TempDir,
}

/// One for each database that is there.
pub async fn benches() -> Vec<Bench> {
    let mut benches = vec![Bench::new(Dialect::Sqlite, None).await];
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        benches.extend(bench(dialect).await);
    }
    benches
}

/// One of this dialect, if it is there.
pub async fn bench(dialect: Dialect) -> Option<Bench> {
    let variable = match dialect {
        Dialect::Sqlite => return Some(Bench::new(dialect, None).await),
        Dialect::Postgres => "MSGRECON_TEST_POSTGRES_URL",
        Dialect::Mysql => "MSGRECON_TEST_MYSQL_URL",
    };
    if let Ok(url) = std::env::var(variable) {
        return Some(Bench::new(dialect, Some(url)).await);
    }
    assert!(std::env::var("MSGRECON_TEST_REQUIRE").map_or(true, |it| it != "1"), "{variable} is not set");
    eprintln!("left out: {variable} is not set");
    None
}

impl Bench {
    async fn new(dialect: Dialect, admin: Option<String>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("msgrecon_sources_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = tempfile::tempdir().unwrap();
        let url = match &admin {
            None => format!("sqlite://{}/source.db", folder.path().display()),
            Some(admin) => {
                execute(dialect, admin, &format!("CREATE DATABASE {name}")).await.unwrap();
                with_database(admin, &name)
            }
        };
        let bench = Self { dialect, url, admin, name, folder };
        if dialect == Dialect::Sqlite {
            bench.run("PRAGMA user_version = 1").await;
        }
        bench
    }

    /// Runs statements as an account that may write.
    pub async fn run(&self, sql: &str) {
        if sql.is_empty() {
            return;
        }
        let url = match self.dialect {
            Dialect::Sqlite => format!("{}?mode=rwc", self.url),
            _ => self.url.clone(),
        };
        execute(self.dialect, &url, sql)
            .await
            .unwrap_or_else(|error| panic!("{:?}: {sql}: {error}", self.dialect));
    }

    /// The text for this dialect.
    pub fn pick<'a>(&self, sqlite: &'a str, postgres: &'a str, mysql: &'a str) -> &'a str {
        match self.dialect {
            Dialect::Sqlite => sqlite,
            Dialect::Postgres => postgres,
            Dialect::Mysql => mysql,
        }
    }

    pub fn config(&self) -> config::Database {
        config::Database {
            name: "shop".to_owned(),
            dialect: self.dialect,
            url: self.url.clone().into(),
            time_zone: Some(chrono_tz::UTC),
            statement_timeout_ms: 10_000,
            max_connections: 2,
            fresh_until: None,
            strategy: None,
            pace: config::Pace::default(),
        }
    }

    pub async fn open(&self) -> Database {
        Database::connect(&self.config()).await.unwrap()
    }

    /// The event table, opened by this bench's own database.
    pub async fn events(&self, events: &config::Events) -> Result<EventTable, SourceError> {
        EventTable::open(&self.open().await, &events.tables[0], events, &[None], AS_OF).await
    }

    pub async fn receipts(&self, consumer: &config::Consumer) -> Result<ReceiptTable, SourceError> {
        ReceiptTable::open(&self.open().await, &consumer.tables[0], consumer, AS_OF).await
    }

    /// Another account with this password; it may connect and nothing else.
    pub async fn account(&self, password: &str) -> (String, String) {
        let user = format!("{}_u", self.name).replace("msgrecon_sources", "mrs");
        let create = self.pick(
            "",
            "CREATE ROLE {u} LOGIN PASSWORD '{p}'",
            "CREATE USER '{u}'@'%' IDENTIFIED BY '{p}'",
        );
        self.run(&create.replace("{u}", &user).replace("{p}", password)).await;
        if self.dialect == Dialect::Mysql {
            self.run(&format!("GRANT CREATE VIEW ON `{}`.* TO '{user}'@'%'", self.name)).await;
        }
        let (scheme, rest) = self.url.split_once("://").unwrap();
        let host = rest.split_once('@').unwrap().1;
        (user.clone(), format!("{scheme}://{user}:{password}@{host}"))
    }

    /// Removes the database, and an account that was made for it.
    pub async fn remove(self, user: Option<&str>) {
        let Some(admin) = &self.admin else { return drop(self.folder) };
        let force = self.pick("", " WITH (FORCE)", "");
        execute(self.dialect, admin, &format!("DROP DATABASE {}{force}", self.name)).await.unwrap();
        if let Some(user) = user {
            let drop = self.pick("", "DROP ROLE {u}", "DROP USER '{u}'@'%'").replace("{u}", user);
            execute(self.dialect, admin, &drop).await.unwrap();
        }
    }
}

fn with_database(url: &str, name: &str) -> String {
    let (before, parameters) =
        url.split_once('?').map_or((url, String::new()), |(url, it)| (url, format!("?{it}")));
    format!("{}/{name}{parameters}", before.rsplit_once('/').unwrap().0)
}

pub async fn execute(dialect: Dialect, url: &str, sql: &str) -> Result<(), sqlx::Error> {
    let sql = AssertSqlSafe(sql);
    match dialect {
        Dialect::Sqlite => {
            let options: sqlx::sqlite::SqliteConnectOptions = url.parse()?;
            let mut connection = options.connect().await?;
            sqlx::raw_sql(sql).execute(&mut connection).await?;
            connection.close().await
        }
        Dialect::Postgres => {
            let mut connection = sqlx::PgConnection::connect(url).await?;
            sqlx::raw_sql(sql).execute(&mut connection).await?;
            connection.close().await
        }
        Dialect::Mysql => {
            let mut connection = sqlx::MySqlConnection::connect(url).await?;
            sqlx::raw_sql(sql).execute(&mut connection).await?;
            connection.close().await
        }
    }
}

pub fn table(name: &str) -> Table {
    Table(vec![name.to_owned()])
}

pub fn id(column: &str, encoding: IdEncoding) -> IdColumn {
    IdColumn { expression: Expression::Column(column.to_owned()), encoding }
}

pub fn time(column: &str, format: TimeFormat) -> TimeColumn {
    TimeColumn { expression: Expression::Column(column.to_owned()), format, time_zone: None }
}

/// `event(msg_id, created_at, sent_at)` without rules.
pub fn event_config() -> config::Events {
    config::Events {
        database: "shop".to_owned(),
        tables: vec![table("event")],
        filter: None,
        id: id("msg_id", IdEncoding::Text),
        created_at: Some(time("created_at", TimeFormat::Native)),
        acked_at: Some(time("sent_at", TimeFormat::Native)),
        states: Vec::new(),
        attempts: None,
        after_ack: config::AfterAck::Keep,
        allow_full_scan: false,
    }
}

/// `consumed(msg_id, consumed_at)` of the consumer billing.
pub fn consumer_config() -> config::Consumer {
    config::Consumer {
        name: "billing".to_owned(),
        database: "shop".to_owned(),
        tables: vec![table("consumed")],
        consumer_column: None,
        filter: None,
        id: id("msg_id", IdEncoding::Text),
        consumed_at: Some(time("consumed_at", TimeFormat::Native)),
        retention: None,
        aliases: Vec::new(),
        original_id: None,
        since: None,
        until: None,
        expects: None,
        dead_letters: None,
        thresholds: std::collections::BTreeMap::new(),
        allow_full_scan: false,
    }
}

/// `2026-03-02 10:00:00` and the like, in UTC.
pub fn at(text: &str) -> Micros {
    let format = "%Y-%m-%d %H:%M:%S%.f";
    Micros(chrono::NaiveDateTime::parse_from_str(text, format).unwrap().and_utc().timestamp_micros())
}
