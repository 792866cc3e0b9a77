//! What is particular to PostgreSQL.

use super::cell::{Cell, ColumnType, Kind};
use super::database::{AnySessions, Opened, Server, Sessions};
use super::error::Failure;
use super::sql::{Fragment, Query, Statement, Value, render};
use crate::config::{self, Dialect};
use crate::connect;
use crate::model::Micros;
use secrecy::ExposeSecret as _;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow, PgTypeInfo, PgTypeKind};
use sqlx::{Arguments as _, ConnectOptions as _, Row as _, TypeInfo as _};
use sqlx::{PgConnection, Postgres};

/// 2000-01-01T00:00:00Z, from which PostgreSQL counts.
const EPOCH: i64 = 946_684_800_000_000;

/// Connects and proves that the session is read-only and in UTC.
pub async fn open(config: &config::Database) -> Opened {
    let options = match connect::postgres(config.url.expose_secret()) {
        Ok(options) => options,
        Err(error) => return Opened { place: String::new(), sessions: Err(error.into()) },
    };
    let host =
        options.get_socket().map_or(options.get_host().to_owned(), |socket| socket.display().to_string());
    let name = options.get_database().unwrap_or(options.get_username()).to_owned();
    let place = format!("{}@{host}:{}/{name}", options.get_username(), options.get_port());
    let login = Login { options, timeout: config.statement_timeout_ms };
    let sessions = Sessions::begin(login, config.max_connections).await;
    Opened { place, sessions: sessions.map(AnySessions::Postgres).map_err(Failure::from) }
}

async fn session(connection: &mut PgConnection, timeout: u64) -> Result<(), sqlx::Error> {
    let row = sqlx::query(make(Query::SessionLimits, &[])?.sql()).fetch_one(&mut *connection).await?;
    let theirs =
        Postgres::cell(&row, 0, Kind::Integer(8, true)).integer().and_then(|it| u64::try_from(it).ok());
    let limit = super::smaller_limit(timeout, theirs.unwrap_or(0)).to_string();
    let begin = make(Query::SessionBegin, &[("milliseconds", Fragment::value(Value::Text(limit.clone())))])?;
    sqlx::query(begin.sql()).bind(limit).execute(&mut *connection).await?;
    let rows = sqlx::raw_sql(make(Query::SessionCheck, &[])?.sql()).fetch_all(&mut *connection).await?;
    let said: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let expected = [("read_only", "on"), ("time_zone", "UTC")];
    match expected.iter().find(|(name, value)| !said.iter().any(|(n, v)| n == name && v == value)) {
        None => Ok(()),
        Some((name, value)) => Err(sqlx::Error::Protocol(super::refusal(name, value))),
    }
}

fn make(query: Query, slots: &[(&str, Fragment)]) -> Result<Statement, sqlx::Error> {
    render(query, Dialect::Postgres, slots).map_err(|error| sqlx::Error::Protocol(error.to_string()))
}

/// Where to, as whom, and after how many milliseconds the server shall cancel a statement (0: never).
pub struct Login {
    options: PgConnectOptions,
    timeout: u64,
}

impl Server for Postgres {
    type Login = Login;

    async fn start(login: &Login) -> Result<PgConnection, sqlx::Error> {
        let mut connection = login.options.connect().await?;
        session(&mut connection, login.timeout).await?;
        Ok(connection)
    }

    fn column_type(info: &PgTypeInfo) -> ColumnType {
        let kind = match info.oid().map(|oid| oid.0) {
            Some(16) => Kind::Bool,
            Some(20) => Kind::Integer(8, true),
            Some(21) => Kind::Integer(2, true),
            Some(23) => Kind::Integer(4, true),
            Some(26) => Kind::Integer(4, false),
            Some(18 | 19 | 25 | 705 | 1043) => Kind::Text,
            Some(1042) => Kind::Padded,
            Some(17) => Kind::Bytes,
            Some(700) => Kind::Real(4),
            Some(701) => Kind::Real(8),
            Some(1700) => Kind::Decimal,
            Some(1082) => Kind::Date,
            Some(1114) => Kind::Local,
            Some(1184) => Kind::Instant,
            Some(2950) => Kind::Uuid,
            Some(114 | 3802) => Kind::Structured,
            _ => match info.kind() {
                PgTypeKind::Array(_) | PgTypeKind::Composite(_) | PgTypeKind::Range(_) => Kind::Structured,
                _ => Kind::Other,
            },
        };
        ColumnType { kind, name: info.name().to_lowercase() }
    }

    fn cell(row: &PgRow, index: usize, kind: Kind) -> Cell<'_> {
        row.try_get_raw(index)
            .ok()
            .and_then(|value| value.as_bytes().ok())
            .map_or(Cell::Null, |raw| cell(raw, kind))
    }

    fn bind(arguments: &mut PgArguments, value: &Value) -> Result<(), BoxDynError> {
        match value {
            Value::Int(number) => arguments.add(*number),
            Value::Uint(number) => arguments.add(number.to_string()),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(bytes.as_slice()),
            Value::Instant(at) => arguments.add(Micros(*at).to_utc()),
            Value::Local(at) => arguments.add(Micros(*at).to_utc().naive_utc()),
            Value::Ints(numbers) => arguments.add(numbers.as_slice()),
            Value::Texts(texts) => arguments.add(texts.as_slice()),
            Value::Blobs(blobs) => arguments.add(blobs.as_slice()),
        }
    }
}

/// A value in the binary format.
fn cell(raw: &[u8], kind: Kind) -> Cell<'_> {
    match (kind, raw.len()) {
        (Kind::Bool, 1) => Cell::Integer(i128::from(raw[0])),
        (Kind::Integer(_, true), _) => signed(raw).map_or(Cell::Null, |number| Cell::Integer(number.into())),
        (Kind::Integer(_, false), 4) => {
            Cell::Integer(signed(raw).map_or(0, |number| i128::from(number) & 0xffff_ffff))
        }
        (Kind::Real(4), 4) => Cell::Real(f32::from_be_bytes([raw[0], raw[1], raw[2], raw[3]]).into()),
        (Kind::Real(_), _) => raw.try_into().map_or(Cell::Null, |raw| Cell::Real(f64::from_be_bytes(raw))),
        (Kind::Padded, _) => Cell::Text(trim_blanks(raw)),
        (Kind::Bytes, _) => Cell::Bytes(raw),
        (Kind::Uuid, _) => raw.try_into().map_or(Cell::Null, Cell::Uuid),
        (Kind::Instant, _) => clock_time(raw).map_or(Cell::BadTime, Cell::Instant),
        (Kind::Local, _) => clock_time(raw).map_or(Cell::BadTime, Cell::Local),
        // JSON is text; of the others nobody asks for a value.
        (Kind::Text | Kind::Structured, _) => Cell::Text(raw),
        // Everything else is cast to text before it is asked for.
        _ => Cell::Null,
    }
}

fn signed(raw: &[u8]) -> Option<i64> {
    match *raw {
        [a, b] => Some(i16::from_be_bytes([a, b]).into()),
        [a, b, c, d] => Some(i32::from_be_bytes([a, b, c, d]).into()),
        _ => raw.try_into().ok().map(i64::from_be_bytes),
    }
}

/// Microseconds since 1970; `None` for the two infinities.
fn clock_time(raw: &[u8]) -> Option<i64> {
    match i64::from_be_bytes(raw.try_into().ok()?) {
        i64::MAX | i64::MIN => None,
        micros => micros.checked_add(EPOCH),
    }
}

fn trim_blanks(raw: &[u8]) -> &[u8] {
    let end = raw.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &raw[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::sql::clock;
    use proptest::prelude::*;

    #[test]
    fn infinity_is_no_time_and_no_overflow() {
        for micros in [i64::MAX, i64::MIN, i64::MAX - 1] {
            assert_eq!(cell(&micros.to_be_bytes(), Kind::Instant), Cell::BadTime, "{micros}");
        }
        assert_eq!(cell(&0_i64.to_be_bytes(), Kind::Instant), Cell::Instant(EPOCH));
        assert_eq!(clock(EPOCH), "2000-01-01 00:00:00");
    }

    #[test]
    fn numbers_of_every_width_and_padded_text() {
        assert_eq!(cell(&(-7_i16).to_be_bytes(), Kind::Integer(2, true)), Cell::Integer(-7));
        assert_eq!(cell(&i64::MAX.to_be_bytes(), Kind::Integer(8, true)), Cell::Integer(i64::MAX.into()));
        assert_eq!(cell(&u32::MAX.to_be_bytes(), Kind::Integer(4, false)), Cell::Integer(u32::MAX.into()));
        assert_eq!(cell(b"ab  ", Kind::Padded), Cell::Text(b"ab"));
        assert_eq!(cell(b"  ", Kind::Padded), Cell::Text(b""));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(raw in proptest::collection::vec(any::<u8>(), 0..20)) {
            for kind in [
                Kind::Bool, Kind::Integer(8, true), Kind::Integer(4, false), Kind::Real(4), Kind::Real(8), Kind::Text,
                Kind::Padded, Kind::Bytes, Kind::Uuid, Kind::Instant, Kind::Local, Kind::Other, Kind::Bits,
            ] {
                cell(&raw, kind);
            }
        }
    }
}
