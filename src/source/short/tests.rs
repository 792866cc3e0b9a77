use super::*;
use crate::config::{Dialect, IdEncoding, TimeFormat};
use crate::model::{Micros, Span};
use crate::source::axis::Axis;
use crate::source::cell::Kind;
use crate::source::decode::time::TimeReader;
use chrono_tz::Tz;
use proptest::prelude::*;

fn form(dialect: Dialect, times: Kind, ids: Kind, format: &TimeFormat, encoding: IdEncoding) -> ShortForm {
    declared(dialect, (times, ""), ids, format, encoding)
}

fn declared(
    dialect: Dialect,
    (times, declared): (Kind, &str),
    ids: Kind,
    format: &TimeFormat,
    encoding: IdEncoding,
) -> ShortForm {
    let usable = Span::new(Micros::EARLIEST_USABLE, Micros(4_000_000_000_000_000));
    let reader = TimeReader::new(format, Some(Tz::UTC), usable).unwrap();
    let axis = Axis::of(times, format, Some(Tz::UTC), true, Micros(1_772_500_000_000_000));
    let times = ShortTime::new(dialect, "t", (times, declared), axis, &reader).unwrap();
    ShortForm::new(ShortId::new(dialect, "id", ids, encoding).unwrap(), times, None)
}

fn mysql(ids: Kind, encoding: IdEncoding) -> ShortForm {
    form(Dialect::Mysql, Kind::Local, ids, &TimeFormat::Native, encoding)
}

const AT: &str = "2026-03-02 10:00:00";
const TWO: [&str; 2] = ["a@2026-03-02T10:00:00Z", "b@2026-03-02T10:00:01.500Z"];

#[test]
fn pieces_become_rows_and_nothing_is_guessed() {
    let text = mysql(Kind::Text, IdEncoding::Text);
    let two = format!("a\x1f{AT}\x1fb\x1f{AT}.5\x1f").replace(":00.5", ":01.5");
    let two = two.as_bytes();
    assert_eq!(ids(&text, two, 2).unwrap(), TWO);
    assert_eq!(ids(&text, format!("\x1f{AT}\x1f").as_bytes(), 1).unwrap(), ["@2026-03-02T10:00:00Z"]);
    assert_eq!(ids(&text, b"", 0).unwrap(), Vec::<String>::new());
    assert_eq!(ids(&text, &two[..21], 2), Err(Misfit::Few));
    assert_eq!(ids(&text, &two[..two.len() - 1], 2), Err(Misfit::Few), "cut off behind the last time");
    assert_eq!(ids(&text, &two[..two.len() - 3], 2), Err(Misfit::Few), "or in it");
    assert_eq!(ids(&text, two, 1), Err(Misfit::Other), "there is more than was counted");
    let within = format!("a\x1fx\x1f{AT}\x1f");
    assert_eq!(ids(&text, within.as_bytes(), 1), Err(Misfit::Other), "an id holds the separator");
    let within = format!("a\x1f{AT}\x1fx\x1f{AT}\x1f");
    assert_eq!(ids(&text, within.as_bytes(), 1), Err(Misfit::Other), "and what looks like a time");
}

/// Every time is equally long.
fn mysql_declared(ids: Kind, encoding: IdEncoding) -> ShortForm {
    declared(Dialect::Mysql, (Kind::Local, "datetime(3)"), ids, &TimeFormat::Native, encoding)
}

#[test]
fn a_time_of_known_length_needs_nothing_before_it() {
    let text = mysql_declared(Kind::Text, IdEncoding::Text);
    let two = format!("a{AT}.000\x1fb{AT}.500\x1f").replace(":00.5", ":01.5");
    let two = two.as_bytes();
    assert_eq!(ids(&text, two, 2).unwrap(), TWO);
    assert_eq!(ids(&text, format!("{AT}.000\x1f").as_bytes(), 1).unwrap(), ["@2026-03-02T10:00:00Z"]);
    for cut in 0..two.len() {
        assert_eq!(ids(&text, &two[..cut], 2), Err(Misfit::Few), "cut off behind {cut} bytes");
    }
    assert_eq!(ids(&text, two, 1), Err(Misfit::Other), "there is more than was counted");
    let bytes = mysql_declared(Kind::Bytes, IdEncoding::UuidBytes);
    let value = [&[0x1f; 16], AT.as_bytes(), b".000"].concat();
    assert_eq!(
        ids(&bytes, &value, 1).unwrap(),
        ["1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f@2026-03-02T10:00:00Z"]
    );
    assert_eq!(ids(&bytes, &value[..38], 1), Err(Misfit::Few));
}

#[test]
fn on_sqlite_nothing_stands_behind_the_last_time() {
    let text =
        form(Dialect::Sqlite, Kind::Dynamic, Kind::Dynamic, &TimeFormat::EpochMillis, IdEncoding::Text);
    let two = b"a\x1f1772445600000\x1fb\x1f1772445601500";
    assert_eq!(ids(&text, two, 2).unwrap(), TWO);
    assert_eq!(ids(&text, two, 1), Err(Misfit::Other));
    assert_eq!(ids(&text, two, 3), Err(Misfit::Few));
    assert_eq!(ids(&text, b"a\x1f5.0", 1), Err(Misfit::Other));
}

fn postgres(times: Kind, ids: Kind, format: &TimeFormat) -> ShortForm {
    let encoding = if ids == Kind::Uuid { IdEncoding::Uuid } else { IdEncoding::Text };
    form(Dialect::Postgres, times, ids, format, encoding)
}

/// Most ids are canonical UUIDs, some with something before, within or behind them.
fn with_uuids(others: &'static str) -> impl Strategy<Value = String> {
    let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    let odd =
        "[a\x1f]?[0-9a-f]{8}-[0-9a-f\x1f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{11}[a-gF\x1f](\x1f?[a-c]{0,3})";
    prop_oneof![2 => uuid, 1 => odd, 1 => others]
}

proptest! {
    /// Whatever an id holds: it comes as it is, or not at all.
    #[test]
    fn ids_and_times_may_come_apart_whatever_ids_hold(
        rows in proptest::collection::vec((with_uuids("[a-c\x01\x1f]{0,30}"), 0_i64..900_000_000_000_000), 1..9),
    ) {
        let form = postgres(Kind::Instant, Kind::Text, &TimeFormat::Native);
        let value = rows.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join("\x1f");
        let times: Vec<u8> = rows.iter().flat_map(|(_, at)| at.to_be_bytes()).collect();
        let right: Vec<_> = rows.iter().map(|(id, at)| format!("{id}@{}", Micros(at + 946_684_800_000_000))).collect();
        let read = two(&form, value.as_bytes(), &times, rows.len());
        let broken = rows.iter().any(|(id, _)| id.contains('\x1f'));
        prop_assert_eq!(read, if broken { Err(Misfit::Other) } else { Ok(right.clone()) });
        prop_assert!(two(&form, value.as_bytes(), &times, rows.len() - 1).is_err());
        prop_assert!(two(&form, value.as_bytes(), &times, rows.len() + 1).is_err());
        prop_assert!(two(&form, value.as_bytes(), &times[1..], rows.len()).is_err());
    }

    /// Be it what looks like a time, or where a row ends.
    #[test]
    fn written_times_may_stand_behind_them(
        rows in proptest::collection::vec((with_uuids("[a-c\x1f]{0,30}|(a?\x1f?2026-03-02 10:00:00[.]000\x1f?){0,3}"), 0_i64..900_000_000_000), 1..9),
    ) {
        let form = mysql_declared(Kind::Text, IdEncoding::Text);
        let at = |at: &i64| Micros(1_772_445_600_000_000 + at / 1_000 * 1_000);
        let row = |(id, when): &(String, i64)| format!("{id}{}\x1f", at(when).to_utc().format("%Y-%m-%d %H:%M:%S%.3f"));
        let value = rows.iter().map(row).collect::<String>();
        let right: Vec<_> = rows.iter().map(|(id, when)| format!("{id}@{}", at(when))).collect();
        let broken = rows.iter().any(|(id, _)| id.contains('\x1f'));
        match ids(&form, value.as_bytes(), rows.len()) {
            Ok(read) => prop_assert!(!broken && read == right),
            Err(_) => prop_assert!(broken),
        }
        prop_assert!(ids(&form, &value.as_bytes()[..value.len() - 1], rows.len()).is_err());
    }
}

#[test]
fn numbers_and_sixteen_bytes_come_apart_too() {
    let epoch = TimeFormat::EpochMicros;
    let at = 1_772_445_600_000_000_i64;
    let numbers = postgres(Kind::Integer(8, true), Kind::Text, &epoch);
    let times = [at.to_be_bytes(); 2].concat();
    let right = ["a@2026-03-02T10:00:00Z", "b@2026-03-02T10:00:00Z"];
    assert_eq!(two(&numbers, b"a\x1fb", &times, 2).unwrap(), right);
    assert_eq!(two(&numbers, b"a", &(-at).to_be_bytes(), 1), Err(Misfit::Other), "read as a row");
    assert_eq!(two(&numbers, b"", &[], 0).unwrap(), Vec::<String>::new());
    let uuids = postgres(Kind::Integer(8, true), Kind::Uuid, &epoch);
    let value = [[0x1f; 16], [0; 16]].concat();
    let read = two(&uuids, &value, &times, 2).unwrap();
    assert_eq!(read[0], "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f@2026-03-02T10:00:00Z");
    assert_eq!(two(&uuids, &value[..31], &times, 2), Err(Misfit::Few));
    assert_eq!(two(&uuids, &value, &times[..8], 1), Err(Misfit::Other));
}

fn ids(form: &ShortForm, value: &[u8], fitting: usize) -> Result<Vec<String>, Misfit> {
    form.bulk(value, fitting).map(|bulk| shown(&bulk))
}

fn two(form: &ShortForm, ids: &[u8], times: &[u8], fitting: usize) -> Result<Vec<String>, Misfit> {
    form.of_two(ids, times, fitting).map(|bulk| shown(&bulk))
}

fn shown(bulk: &Bulk) -> Vec<String> {
    bulk.rows().iter().map(|row| format!("{}@{}", bulk.id(row), row.at)).collect()
}

#[test]
fn ids_are_read_by_their_encoding() {
    let one = |form: &ShortForm, id: &[u8]| {
        let between: &[u8] = if form.ids.is_separated() { b"\x1f" } else { b"" };
        ids(form, &[id, between, AT.as_bytes(), b"\x1f"].concat(), 1).map(|ids| ids[0].clone())
    };
    let number = mysql(Kind::Text, IdEncoding::Integer);
    assert!(one(&number, b"007").unwrap().starts_with("7@"));
    let uuid = mysql(Kind::Text, IdEncoding::Uuid);
    let loose = b"{6CCD780C-BABA-1026-9564-5B8C656024DB}";
    assert!(one(&uuid, loose).unwrap().starts_with("6ccd780c-baba-1026-9564-5b8c656024db@"));
    let bytes: Vec<u8> = (0..16).collect();
    let swapped = mysql(Kind::Bytes, IdEncoding::UuidBytesLe);
    assert!(one(&swapped, &bytes).unwrap().starts_with("03020100-0504-0706-0809-0a0b0c0d0e0f@"));
    assert_eq!(ids(&swapped, &bytes[..15], 1), Err(Misfit::Few), "half a UUID");
    let plain = mysql(Kind::Bytes, IdEncoding::UuidBytes);
    assert!(one(&plain, b"0123456789abcde\x1f").unwrap().ends_with("@2026-03-02T10:00:00Z"));
}

#[test]
fn what_cannot_be_put_together_exactly_is_read_by_rows() {
    for (dialect, kind, encoding) in [
        (Dialect::Postgres, Kind::Padded, IdEncoding::Text),
        (Dialect::Postgres, Kind::Bytes, IdEncoding::Text),
        (Dialect::Postgres, Kind::Decimal, IdEncoding::Integer),
        (Dialect::Mysql, Kind::Bits, IdEncoding::Integer),
        (Dialect::Mysql, Kind::Text, IdEncoding::UuidBytes),
    ] {
        assert!(ShortId::new(dialect, "id", kind, encoding).is_none(), "{dialect:?} {kind:?} {encoding:?}");
    }
}
