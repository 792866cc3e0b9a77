//! One session with the ledger's database, whichever it is: statements with bound values in, rows of plain values out.

use super::error::{ErrorKind, LedgerError, busy};
use super::turns::Turns;
use super::value::{Row, Value};
use crate::config::Dialect;
use crate::connect;
use futures_util::TryStreamExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::mysql::MySqlArguments;
use sqlx::postgres::PgArguments;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Arguments as _, AssertSqlSafe, ConnectOptions as _, Connection as _};
use sqlx::{MySqlConnection, PgConnection, SqliteConnection};
use std::time::Duration;

/// How long to wait for another writer, a connection, or an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait before asking again for what cannot be waited for.
const TURN: Duration = Duration::from_millis(50);

enum Link {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
    Mysql(Box<MySqlConnection>),
    /// Broken off, so that the server takes back what was under way and lets go of its locks.
    Gone(Dialect),
}

/// One session. A statement that hangs, or a transaction that cannot be ended, ends it: what is under way then is nobody's
/// to guess.
pub struct Store {
    link: Link,
    place: String,
    in_transaction: bool,
    broken: Option<LedgerError>,
}

macro_rules! on_link {
    ($link:expr, $connection:ident => $work:expr) => {
        match $link {
            Link::Sqlite($connection) => $work,
            Link::Postgres($connection) => $work,
            Link::Mysql($connection) => $work,
            Link::Gone(_) => Err(sqlx::Error::PoolClosed.into()),
        }
    };
}

macro_rules! bound {
    ($arguments:ty, $values:expr) => {{
        let mut arguments = <$arguments>::default();
        for value in $values {
            match value {
                Value::Int(number) => arguments.add(*number),
                Value::Text(text) => arguments.add(text.as_deref()),
                Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            }
            .map_err(sqlx::Error::Encode)?;
        }
        arguments
    }};
}

impl Store {
    /// Connects. A SQLite file that is not there is made only where `create` says so.
    pub async fn open(url: &SecretString, create: bool) -> Result<Self, LedgerError> {
        connect::check(url.expose_secret())
            .map_err(|wrong| LedgerError::new(ErrorKind::Configuration, wrong))?;
        match dialect(url) {
            Dialect::Sqlite => sqlite(url.expose_secret(), create).await,
            Dialect::Postgres => postgres(url.expose_secret()).await,
            Dialect::Mysql => mysql(url.expose_secret()).await,
        }
    }

    pub fn dialect(&self) -> Dialect {
        match self.link {
            Link::Sqlite(_) => Dialect::Sqlite,
            Link::Postgres(_) => Dialect::Postgres,
            Link::Mysql(_) => Dialect::Mysql,
            Link::Gone(dialect) => dialect,
        }
    }

    /// Where it leads, without the password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Brings the schema up to date.
    pub async fn migrate(&mut self, migrator: &sqlx::migrate::Migrator) -> Result<(), LedgerError> {
        let outcome =
            on_link!(&mut self.link, connection => migrator.run_direct(None, &mut **connection, false).await);
        outcome.map_err(|error| LedgerError::from(error).at(&self.place))
    }

    /// Runs a statement; gives the number of rows that it changed. Outside of a transaction, where it is one by itself, it
    /// is made again if another session was in the way.
    pub async fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, LedgerError> {
        let mut turns = Turns::new();
        loop {
            match self.execute_once(sql, values).await {
                Err(error) if !self.in_transaction && turns.another(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    async fn execute_once(&mut self, sql: &str, values: &[Value]) -> Result<u64, LedgerError> {
        self.still_there()?;
        let sql = self.spelled(sql);
        let work = async {
            Ok::<_, sqlx::Error>(match &mut self.link {
                Link::Sqlite(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(SqliteArguments, values));
                    query.execute(&mut **link).await?.rows_affected()
                }
                Link::Postgres(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(PgArguments, values));
                    query.execute(&mut **link).await?.rows_affected()
                }
                Link::Mysql(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(MySqlArguments, values));
                    query.execute(&mut **link).await?.rows_affected()
                }
                Link::Gone(_) => return Err(sqlx::Error::PoolClosed),
            })
        };
        let outcome = tokio::time::timeout(2 * PATIENCE, work).await;
        self.outcome(outcome)
    }

    /// Runs a query; gives its rows.
    pub async fn fetch(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, LedgerError> {
        self.still_there()?;
        let sql = self.spelled(sql);
        let work = async {
            Ok::<_, sqlx::Error>(match &mut self.link {
                Link::Sqlite(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(SqliteArguments, values));
                    query.fetch(&mut **link).map_ok(Row::Sqlite).try_collect().await?
                }
                Link::Postgres(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(PgArguments, values));
                    query.fetch(&mut **link).map_ok(Row::Postgres).try_collect().await?
                }
                Link::Mysql(link) => {
                    let query = sqlx::query_with(AssertSqlSafe(sql), bound!(MySqlArguments, values));
                    query.fetch(&mut **link).map_ok(Row::Mysql).try_collect().await?
                }
                Link::Gone(_) => return Err(sqlx::Error::PoolClosed),
            })
        };
        let outcome = tokio::time::timeout(2 * PATIENCE, work).await;
        self.outcome(outcome)
    }

    /// Begins a transaction that means to write.
    pub async fn begin(&mut self) -> Result<(), LedgerError> {
        let begin = match self.dialect() {
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres | Dialect::Mysql => "BEGIN",
        };
        self.command(begin).await?;
        self.in_transaction = true;
        Ok(())
    }

    /// Ends it; what it wrote stays.
    pub async fn commit(&mut self) -> Result<(), LedgerError> {
        self.command("COMMIT").await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Ends it; what it wrote is gone. A session that cannot even do that is of no use any more.
    pub async fn rollback(&mut self) -> Result<(), LedgerError> {
        let outcome = self.command("ROLLBACK").await;
        self.in_transaction = false;
        if let Err(error) = &outcome {
            self.broken.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    async fn command(&mut self, sql: &'static str) -> Result<(), LedgerError> {
        self.still_there()?;
        let work = async {
            on_link!(&mut self.link, link => sqlx::raw_sql(sql).execute(&mut **link).await.map(|_| ()))
        };
        let outcome = tokio::time::timeout(2 * PATIENCE, work).await;
        self.outcome(outcome)
    }

    /// Ends the session in order.
    pub async fn close(self) {
        let farewell = async {
            match self.link {
                Link::Sqlite(link) => link.close().await,
                Link::Postgres(link) => link.close().await,
                Link::Mysql(link) => link.close().await,
                Link::Gone(_) => Ok(()),
            }
        };
        // What is recorded is recorded; a server that does not answer any more is left to itself.
        let _ = tokio::time::timeout(PATIENCE, farewell).await;
    }

    fn still_there(&self) -> Result<(), LedgerError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn outcome<T>(
        &mut self,
        outcome: Result<Result<T, sqlx::Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, LedgerError> {
        let error = match outcome {
            Ok(Ok(value)) => return Ok(value),
            // The server says so and listens again; a transaction is taken back by whoever began it.
            Ok(Err(error @ sqlx::Error::Database(_))) => {
                return Err(LedgerError::from(error).at(&self.place));
            }
            Ok(Err(error)) => LedgerError::from(error),
            Err(_) => {
                LedgerError::new(ErrorKind::Away, format!("no answer within {} s", 2 * PATIENCE.as_secs()))
            }
        }
        .at(&self.place);
        self.broken = Some(error.clone());
        self.link = Link::Gone(self.dialect());
        Err(error)
    }

    /// Without the header, whose questions end like placeholders; and PostgreSQL numbers those.
    fn spelled(&self, sql: &str) -> String {
        let lines: Vec<_> = sql.lines().filter(|line| !line.starts_with("--")).collect();
        let sql = lines.join("\n");
        if self.dialect() != Dialect::Postgres {
            return sql;
        }
        let mut numbered = String::with_capacity(sql.len() * 2);
        for (place, part) in sql.split('?').enumerate() {
            if place > 0 {
                numbered.push('$');
                numbered.push_str(&place.to_string());
            }
            numbered.push_str(part);
        }
        numbered
    }
}

/// Which server speaks behind a URL; the configuration has checked the scheme.
pub fn dialect(url: &SecretString) -> Dialect {
    match url.expose_secret().split(':').next() {
        Some("postgres" | "postgresql") => Dialect::Postgres,
        Some("mysql" | "mariadb") => Dialect::Mysql,
        _ => Dialect::Sqlite,
    }
}

/// WAL, so that `status` and `history` read while a run writes; a commit survives the death of the process at once, and
/// that of the machine up to the last few commits, which the next run makes again.
async fn sqlite(url: &str, create: bool) -> Result<Store, LedgerError> {
    let options: SqliteConnectOptions = url.parse()?;
    let place = options.get_filename().display().to_string();
    if !create && !options.get_filename().exists() {
        let message = "there is no such file; the first `msgrecon run` makes it";
        return Err(LedgerError::new(ErrorKind::Absent, message).at(&place));
    }
    let options = options
        .create_if_missing(create)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(PATIENCE)
        .disable_statement_logging();
    let link = opened(&options).await.map_err(|error| LedgerError::from(error).at(&place))?;
    Ok(Store { link: Link::Sqlite(Box::new(link)), place, in_transaction: false, broken: None })
}

/// Opens the file; where it is only somebody else's turn, tries again for a while.
async fn opened(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut left = PATIENCE;
    loop {
        match options.connect().await {
            Err(sqlx::Error::Database(error)) if busy(error.as_ref()) && !left.is_zero() => {
                left = left.saturating_sub(TURN);
                tokio::time::sleep(TURN).await;
            }
            outcome => return outcome,
        }
    }
}

async fn postgres(url: &str) -> Result<Store, LedgerError> {
    let options = connect::postgres(url)?;
    let host =
        options.get_socket().map_or(options.get_host().to_owned(), |socket| socket.display().to_string());
    let name = options.get_database().unwrap_or(options.get_username()).to_owned();
    let place = format!("{}@{host}:{}/{name}", options.get_username(), options.get_port());
    let link = in_time(options.connect(), &place).await?;
    Ok(Store { link: Link::Postgres(Box::new(link)), place, in_transaction: false, broken: None })
}

async fn mysql(url: &str) -> Result<Store, LedgerError> {
    let options = connect::mysql(url)?;
    let host =
        options.get_socket().map_or(options.get_host().to_owned(), |socket| socket.display().to_string());
    let name = options.get_database().unwrap_or("");
    let place = format!("{}@{host}:{}/{name}", options.get_username(), options.get_port());
    let link = in_time(options.connect(), &place).await?;
    Ok(Store { link: Link::Mysql(Box::new(link)), place, in_transaction: false, broken: None })
}

async fn in_time<T>(
    work: impl Future<Output = Result<T, sqlx::Error>>,
    place: &str,
) -> Result<T, LedgerError> {
    let outcome = tokio::time::timeout(PATIENCE, work).await;
    let outcome = outcome.unwrap_or_else(|_| {
        Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time")))
    });
    outcome.map_err(|error| LedgerError::from(error).at(place))
}
