//! What is particular to SQLite.

use super::cell::{Cell, ColumnType, Kind};
use super::database::{AnySessions, Opened, Server, Sessions};
use super::error::{ErrorKind, Failure};
use super::sql::{Query, Value, clock, render};
use crate::config::{self, Dialect};
use secrecy::ExposeSecret as _;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteRow, SqliteTypeInfo};
use sqlx::{Arguments as _, ConnectOptions as _, Row as _, TypeInfo as _, ValueRef as _};
use sqlx::{Sqlite, SqliteConnection};
use std::time::Duration;

/// How long to wait for a writer's lock.
const BUSY: Duration = Duration::from_secs(30);

/// Opens the file read-only and proves it.
pub async fn open(config: &config::Database) -> Opened {
    let options = match config.url.expose_secret().parse::<SqliteConnectOptions>() {
        Ok(options) => {
            options.read_only(true).create_if_missing(false).busy_timeout(BUSY).disable_statement_logging()
        }
        Err(error) => return Opened { place: String::new(), sessions: Err(error.into()) },
    };
    let place = options.get_filename().display().to_string();
    let sessions = sessions(options, config.max_connections).await;
    Opened { place, sessions: sessions.map(AnySessions::Sqlite) }
}

async fn sessions(options: SqliteConnectOptions, max_connections: u32) -> Result<Sessions<Sqlite>, Failure> {
    let file = options.get_filename();
    if !file.exists() {
        return Err(Failure {
            kind: ErrorKind::Unreachable,
            message: format!("there is no file {}", file.display()),
        });
    }
    Ok(Sessions::begin(options, max_connections).await?)
}

async fn session(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let make =
        |query| render(query, Dialect::Sqlite, &[]).map_err(|error| sqlx::Error::Protocol(error.to_string()));
    sqlx::raw_sql(make(Query::SessionBegin)?.sql()).execute(&mut *connection).await?;
    let row = sqlx::query(make(Query::SessionCheck)?.sql()).fetch_one(&mut *connection).await?;
    if Sqlite::cell(&row, 1, Kind::Dynamic) == Cell::Integer(1) {
        return Ok(());
    }
    Err(sqlx::Error::Protocol("the session does not become read-only; nothing is read from it".to_owned()))
}

impl Server for Sqlite {
    type Login = SqliteConnectOptions;

    async fn start(login: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
        let mut connection = login.connect().await?;
        session(&mut connection).await?;
        Ok(connection)
    }

    fn column_type(info: &SqliteTypeInfo) -> ColumnType {
        ColumnType { kind: Kind::Dynamic, name: info.name().to_owned() }
    }

    fn cell(row: &SqliteRow, index: usize, _: Kind) -> Cell<'_> {
        let Ok(value) = row.try_get_raw(index) else { return Cell::Null };
        if value.is_null() {
            return Cell::Null;
        }
        let cell = match value.type_info().name() {
            "INTEGER" => row.try_get_unchecked::<i64, _>(index).map(|number| Cell::Integer(number.into())),
            "REAL" => row.try_get_unchecked(index).map(Cell::Real),
            "TEXT" => row.try_get_unchecked(index).map(Cell::Text),
            _ => row.try_get_unchecked(index).map(Cell::Bytes),
        };
        cell.unwrap_or(Cell::Null)
    }

    fn bind(arguments: &mut SqliteArguments, value: &Value) -> Result<(), BoxDynError> {
        match value {
            Value::Int(number) => arguments.add(*number),
            Value::Uint(number) => arguments.add(number.to_string()),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            Value::Instant(at) | Value::Local(at) => arguments.add(clock(*at)),
            Value::Ints(_) | Value::Texts(_) | Value::Blobs(_) => Err("SQLite knows no arrays".into()),
        }
    }
}
