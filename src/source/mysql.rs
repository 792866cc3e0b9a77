//! What is particular to MySQL and MariaDB.

use super::cell::{Cell, ColumnType, Kind};
use super::database::{AnySessions, Opened, Server, Sessions};
use super::error::Failure;
use super::sql::{Fragment, Query, Statement, Value, render};
use crate::config::{self, Dialect};
use crate::connect;
use crate::model::Micros;
use chrono::{NaiveDate, NaiveTime};
use secrecy::ExposeSecret as _;
use sqlx::error::BoxDynError;
use sqlx::mysql::{MySqlArguments, MySqlConnectOptions, MySqlRow, MySqlTypeInfo};
use sqlx::{Arguments as _, ConnectOptions as _, Row as _, TypeInfo as _, ValueRef as _};
use sqlx::{MySql, MySqlConnection};

/// Connects and proves that the session is read-only and in UTC.
pub async fn open(config: &config::Database) -> Opened {
    let options = match connect::mysql(config.url.expose_secret()) {
        Ok(options) => options,
        Err(error) => return Opened { place: String::new(), sessions: Err(error.into()) },
    };
    let host =
        options.get_socket().map_or(options.get_host().to_owned(), |socket| socket.display().to_string());
    let name = options.get_database().unwrap_or("");
    let place = format!("{}@{host}:{}/{name}", options.get_username(), options.get_port());
    let login = Login { options, timeout: config.statement_timeout_ms };
    let sessions = Sessions::begin(login, config.max_connections).await;
    Opened { place, sessions: sessions.map(AnySessions::Mysql).map_err(Failure::from) }
}

async fn session(connection: &mut MySqlConnection, timeout: u64) -> Result<(), sqlx::Error> {
    let limits = settings(connection, Query::SessionLimits).await?;
    let begin = make(Query::SessionBegin, &[("limit", Fragment::text(limit(timeout, &limits)))])?;
    sqlx::raw_sql(begin.sql()).execute(&mut *connection).await?;
    let said = settings(connection, Query::SessionCheck).await?;
    let is = |name: &str, value: &str| said.iter().any(|(n, v)| n.eq_ignore_ascii_case(name) && v == value);
    if !is("transaction_read_only", "ON") && !is("tx_read_only", "ON") {
        return Err(sqlx::Error::Protocol(super::refusal("transaction_read_only", "ON")));
    }
    if !is("time_zone", "+00:00") {
        return Err(sqlx::Error::Protocol(super::refusal("time_zone", "+00:00")));
    }
    Ok(())
}

/// The statement that limits statements: MySQL counts milliseconds, MariaDB seconds, and others know neither.
fn limit(timeout: u64, limits: &[(String, String)]) -> String {
    let theirs = |name: &str| {
        limits.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    if let Some(seconds) = theirs("max_statement_time") {
        let milliseconds =
            std::time::Duration::try_from_secs_f64(seconds.parse().unwrap_or(0.0)).unwrap_or_default();
        let limit = super::smaller_limit(timeout, u64::try_from(milliseconds.as_millis()).unwrap_or(0));
        return format!("SET SESSION max_statement_time = {}.{:03};", limit / 1_000, limit % 1_000);
    }
    if let Some(milliseconds) = theirs("max_execution_time") {
        let limit = super::smaller_limit(timeout, milliseconds.parse().unwrap_or(0));
        return format!("SET SESSION max_execution_time = {limit};");
    }
    String::new()
}

async fn settings(
    connection: &mut MySqlConnection,
    query: Query,
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let rows = sqlx::raw_sql(make(query, &[])?.sql()).fetch_all(&mut *connection).await?;
    let text = |row: &MySqlRow, index| row.try_get_unchecked::<String, _>(index).unwrap_or_default();
    Ok(rows.iter().map(|row| (text(row, 0), text(row, 1))).collect())
}

fn make(query: Query, slots: &[(&str, Fragment)]) -> Result<Statement, sqlx::Error> {
    render(query, Dialect::Mysql, slots).map_err(|error| sqlx::Error::Protocol(error.to_string()))
}

/// Where to, as whom, and after how many milliseconds the server shall cancel a statement (0: never).
pub struct Login {
    options: MySqlConnectOptions,
    timeout: u64,
}

impl Server for MySql {
    type Login = Login;

    async fn start(login: &Login) -> Result<MySqlConnection, sqlx::Error> {
        let mut connection = login.options.connect().await?;
        session(&mut connection, login.timeout).await?;
        Ok(connection)
    }

    fn column_type(info: &MySqlTypeInfo) -> ColumnType {
        ColumnType { kind: kind(info), name: info.name().to_lowercase() }
    }

    fn cell(row: &MySqlRow, index: usize, kind: Kind) -> Cell<'_> {
        let Ok(value) = row.try_get_raw(index) else { return Cell::Null };
        let null = value.is_null();
        match row.try_get_unchecked::<&[u8], _>(index) {
            // The driver takes a zero date for NULL, but still has its bytes.
            Ok(_) if null => Cell::ZeroTime,
            Ok(raw) => cell(raw, kind),
            Err(_) => Cell::Null,
        }
    }

    fn bind(arguments: &mut MySqlArguments, value: &Value) -> Result<(), BoxDynError> {
        match value {
            Value::Int(number) => arguments.add(*number),
            Value::Uint(number) => arguments.add(*number),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            Value::Instant(at) | Value::Local(at) => arguments.add(Micros(*at).to_utc().naive_utc()),
            Value::Ints(_) | Value::Texts(_) | Value::Blobs(_) => Err("MySQL knows no arrays".into()),
        }
    }
}

fn kind(info: &MySqlTypeInfo) -> Kind {
    match info.name() {
        // The name hides the sign of a TINYINT(1).
        "BOOLEAN" => Kind::Integer(1, *info != <u8 as sqlx::Type<MySql>>::type_info()),
        "TINYINT" => Kind::Integer(1, true),
        "TINYINT UNSIGNED" => Kind::Integer(1, false),
        "SMALLINT" => Kind::Integer(2, true),
        "SMALLINT UNSIGNED" | "YEAR" => Kind::Integer(2, false),
        "MEDIUMINT" | "INT" => Kind::Integer(4, true),
        "MEDIUMINT UNSIGNED" | "INT UNSIGNED" => Kind::Integer(4, false),
        "BIGINT" => Kind::Integer(8, true),
        "BIGINT UNSIGNED" => Kind::Integer(8, false),
        "FLOAT" => Kind::Real(4),
        "DOUBLE" => Kind::Real(8),
        "DECIMAL" => Kind::Decimal,
        "BIT" => Kind::Bits,
        "DATE" => Kind::Date,
        "DATETIME" => Kind::Local,
        "TIMESTAMP" => Kind::Instant,
        "JSON" | "GEOMETRY" => Kind::Structured,
        "BINARY" | "VARBINARY" | "TINYBLOB" | "BLOB" | "MEDIUMBLOB" | "LONGBLOB" => Kind::Bytes,
        "CHAR" | "VARCHAR" | "TINYTEXT" | "TEXT" | "MEDIUMTEXT" | "LONGTEXT" | "ENUM" | "SET" => Kind::Text,
        _ => Kind::Other,
    }
}

/// A value in the binary protocol.
fn cell(raw: &[u8], kind: Kind) -> Cell<'_> {
    match kind {
        Kind::Integer(_, signed) => integer(raw, signed).map_or(Cell::Null, Cell::Integer),
        Kind::Bits if raw.len() <= 8 => {
            Cell::Integer(raw.iter().fold(0, |number, byte| number << 8 | i128::from(*byte)))
        }
        Kind::Real(4) => raw.try_into().map_or(Cell::Null, |raw| Cell::Real(f32::from_le_bytes(raw).into())),
        Kind::Real(_) => raw.try_into().map_or(Cell::Null, |raw| Cell::Real(f64::from_le_bytes(raw))),
        Kind::Decimal | Kind::Text => Cell::Text(raw),
        Kind::Bytes => Cell::Bytes(raw),
        Kind::Instant => clock_time(raw, Cell::Instant),
        Kind::Local => clock_time(raw, Cell::Local),
        _ => Cell::Null,
    }
}

fn integer(raw: &[u8], signed: bool) -> Option<i128> {
    let wide: u64 = match *raw {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => u64::from_le_bytes(raw.try_into().ok()?),
    };
    let beyond = 64 - 8 * u32::try_from(raw.len()).ok()?;
    let number = i128::from(wide);
    // The top bit of the value's own width is its sign.
    Some(if signed && wide << beyond >> 63 == 1 { number - (1_i128 << (64 - beyond)) } else { number })
}

/// A date-time: its length, then year, month, day, hour, minute, second, microseconds, as far as they are not 0.
fn clock_time<'a>(raw: &[u8], make: impl Fn(i64) -> Cell<'a>) -> Cell<'a> {
    let mut parts = [0_u8; 11];
    match raw.split_first() {
        Some((_, rest)) if rest.len() <= parts.len() => parts[..rest.len()].copy_from_slice(rest),
        _ => return Cell::BadTime,
    }
    if parts == [0; 11] {
        return Cell::ZeroTime;
    }
    let [_, _, month, day, hour, minute, second, ..] = parts;
    let number = |from: usize, until: usize| {
        parts[from..until].iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
    };
    let year = i32::try_from(number(0, 2)).unwrap_or(0);
    let date = NaiveDate::from_ymd_opt(year, month.into(), day.into());
    let micros = number(7, 11);
    let time = NaiveTime::from_hms_micro_opt(hour.into(), minute.into(), second.into(), micros);
    match (date, time) {
        (Some(date), Some(time)) => make(date.and_time(time).and_utc().timestamp_micros()),
        _ => Cell::BadTime,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_are_read_zero_dates_are_not_yet_and_half_dates_are_bad() {
        let full = [11, 0xea, 7, 3, 2, 10, 0, 0, 0x40, 0xe2, 1, 0];
        let cases: [(&[u8], Cell<'_>); 6] = [
            (&full, Cell::Local(1_772_445_600_123_456)),
            (&full[..8], Cell::Local(1_772_445_600_000_000)),
            (&[4, 0xea, 7, 3, 2], Cell::Local(1_772_409_600_000_000)),
            (&[0], Cell::ZeroTime),
            (&[4, 0xea, 7, 0, 15], Cell::BadTime),
            (&[4, 0xea, 7, 3, 0], Cell::BadTime),
        ];
        for (raw, expected) in cases {
            assert_eq!(cell(raw, Kind::Local), expected, "{raw:?}");
        }
    }

    #[test]
    fn numbers_keep_width_and_sign() {
        let cases: [(&[u8], bool, i128); 6] = [
            (&[0xff], true, -1),
            (&[0xff], false, 255),
            (&(-2_i32).to_le_bytes(), true, -2),
            (&u64::MAX.to_le_bytes(), false, u64::MAX.into()),
            (&u64::MAX.to_le_bytes(), true, -1),
            (&i64::MIN.to_le_bytes(), true, i64::MIN.into()),
        ];
        for (raw, signed, number) in cases {
            assert_eq!(cell(raw, Kind::Integer(8, signed)), Cell::Integer(number), "{raw:?}");
        }
        assert_eq!(cell(&[1, 0], Kind::Bits), Cell::Integer(256));
    }

    #[test]
    fn the_smaller_limit_wins_in_the_servers_own_unit() {
        let says = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let cases = [
            (60_000, says("max_statement_time", "0.000000"), "SET SESSION max_statement_time = 60.000;"),
            (60_000, says("max_statement_time", "0.200000"), "SET SESSION max_statement_time = 0.200;"),
            (60_000, says("max_execution_time", "0"), "SET SESSION max_execution_time = 60000;"),
            (0, says("max_execution_time", "500"), "SET SESSION max_execution_time = 500;"),
            (60_000, Vec::new(), ""),
        ];
        for (ours, theirs, statement) in cases {
            assert_eq!(limit(ours, &theirs), statement);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(raw in proptest::collection::vec(any::<u8>(), 0..20)) {
            for kind in [
                Kind::Integer(8, true), Kind::Integer(1, false), Kind::Bits, Kind::Real(4), Kind::Real(8), Kind::Decimal,
                Kind::Text, Kind::Bytes, Kind::Instant, Kind::Local, Kind::Other,
            ] {
                cell(&raw, kind);
            }
        }
    }
}
