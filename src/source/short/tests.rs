use super::*;
use crate::config::{Dialect, IdEncoding, TimeFormat};
use crate::model::{Micros, Span};
use crate::source::axis::Axis;
use crate::source::cell::Kind;
use crate::source::decode::time::TimeReader;
use chrono_tz::Tz;

fn form(kind: Kind, encoding: IdEncoding) -> ShortForm {
    let usable = Span::new(Micros::EARLIEST_USABLE, Micros(4_000_000_000_000_000));
    let reader = TimeReader::new(&TimeFormat::Native, Some(Tz::UTC), usable).unwrap();
    let times = ShortTime::new(Dialect::Mysql, "t", Kind::Local, Axis::Instant, &reader).unwrap();
    let ids = ShortId::new(Dialect::Mysql, "id", kind, encoding).unwrap();
    // As the other dialects give them: ids and times in a value each.
    ShortForm { together: false, ..ShortForm::new(Dialect::Mysql, ids, times, None) }
}

const TWO: &[u8] = b"2026-03-02 10:00:00\x1f2026-03-02 10:00:01.5";

#[test]
fn ids_and_times_may_alternate() {
    let together = ShortForm { together: true, ..form(Kind::Text, IdEncoding::Text) };
    let two = b"a\x1f2026-03-02 10:00:00\x1fb\x1f2026-03-02 10:00:01.5\x1f";
    let right = ["a@2026-03-02T10:00:00Z", "b@2026-03-02T10:00:01.500Z"];
    assert_eq!(ids(&together, two, b"", 2).unwrap(), right);
    assert_eq!(ids(&together, &two[..21], b"", 2), Err(Misfit::Few));
    assert_eq!(
        ids(&together, &two[..two.len() - 1], b"", 2),
        Err(Misfit::Few),
        "cut off behind the last time"
    );
    assert_eq!(ids(&together, &two[..two.len() - 3], b"", 2), Err(Misfit::Few), "or in it");
    assert_eq!(ids(&together, two, b"", 1), Err(Misfit::Other));
    assert_eq!(ids(&together, b"a\x1fx\x1f2026-03-02 10:00:00\x1f", b"", 1), Err(Misfit::Other));
    let sixteen = ShortForm { together: true, ..form(Kind::Bytes, IdEncoding::UuidBytes) };
    let one = b"0123456789abcde\x1f2026-03-02 10:00:00\x1f";
    assert!(ids(&sixteen, one, b"", 1).unwrap()[0].ends_with("@2026-03-02T10:00:00Z"));
}

fn ids(form: &ShortForm, ids: &[u8], times: &[u8], fitting: usize) -> Result<Vec<String>, Misfit> {
    form.bulk(ids, times, fitting)
        .map(|bulk| bulk.rows().iter().map(|row| format!("{}@{}", bulk.id(row), row.at)).collect())
}

#[test]
fn pieces_become_rows_and_nothing_is_guessed() {
    let text = form(Kind::Text, IdEncoding::Text);
    let right = ["a@2026-03-02T10:00:00Z", "b@2026-03-02T10:00:01.500Z"];
    assert_eq!(ids(&text, b"a\x1fb", TWO, 2).unwrap(), right);
    assert_eq!(ids(&text, b"\x1f", TWO, 2).unwrap()[0], "@2026-03-02T10:00:00Z");
    assert_eq!(ids(&text, b"", b"", 0).unwrap(), Vec::<String>::new());
    assert_eq!(ids(&text, b"a", TWO, 2), Err(Misfit::Few), "the list of ids was cut off");
    assert_eq!(ids(&text, b"a\x1fb", &TWO[..19], 2), Err(Misfit::Few), "the list of times was cut off");
    assert_eq!(ids(&text, b"a\x1fb", &TWO[..25], 2), Err(Misfit::Other), "in the middle of a time");
    assert_eq!(ids(&text, b"a\x1fb\x1fc", TWO, 2), Err(Misfit::Other), "an id holds the separator");
    assert_eq!(ids(&text, b"a\x1fb", TWO, 1), Err(Misfit::Other), "there is more than was counted");
}

#[test]
fn ids_are_read_by_their_encoding() {
    let number = form(Kind::Text, IdEncoding::Integer);
    assert!(ids(&number, b"007\x1fx", TWO, 2).unwrap()[0].starts_with("7@"));
    let uuid = form(Kind::Text, IdEncoding::Uuid);
    let loose = b"{6CCD780C-BABA-1026-9564-5B8C656024DB}\x1fx";
    assert!(ids(&uuid, loose, TWO, 2).unwrap()[0].starts_with("6ccd780c-baba-1026-9564-5b8c656024db@"));
    let swapped = form(Kind::Bytes, IdEncoding::UuidBytesLe);
    let bytes: Vec<u8> = (0..32).collect();
    assert!(ids(&swapped, &bytes, TWO, 2).unwrap()[0].starts_with("03020100-0504-0706-0809-0a0b0c0d0e0f@"));
    assert_eq!(ids(&swapped, &bytes[..31], TWO, 2), Err(Misfit::Few), "half a UUID");
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
