use super::*;
use crate::config::{IdEncoding, TimeFormat};
use crate::model::time::{DAY, MINUTE};
use crate::source::id_column::tests::column;
use chrono_tz::Tz;
use proptest::prelude::*;

const AS_OF: Micros = Micros(1_772_500_000_000_000);

fn time(dialect: Dialect, kind: Kind, format: &TimeFormat, zone: Tz) -> Option<PackedTime> {
    PackedTime::of(dialect, "t", kind, Axis::of(kind, format, Some(zone), true, AS_OF))
}

fn packing(time: PackedTime) -> Packing {
    let id = column(Dialect::Postgres, Kind::Uuid, IdEncoding::Text).canonical().unwrap();
    Packing::new(id, time, None)
}

fn span(from: Micros, length: i64) -> Span {
    Span::new(from, from.plus(length))
}

/// What a server sends of an instant.
fn sent(time: &PackedTime, at: Micros, slice: Span) -> [u8; 5] {
    let shown = time.shown(at);
    let number = match time.form {
        Form::Instant | Form::Clock => shown - EPOCH,
        Form::Number => shown,
        Form::Since => shown - time.shown(slice.from),
    };
    number.to_be_bytes()[3..].try_into().unwrap()
}

fn times() -> Vec<(PackedTime, i64)> {
    let (native, shanghai) = (TimeFormat::Native, Tz::Asia__Shanghai);
    let whole = Kind::Integer(8, true);
    let all = [
        (Dialect::Postgres, Kind::Instant, native.clone(), 1),
        (Dialect::Postgres, Kind::Local, native.clone(), 1),
        (Dialect::Postgres, whole, TimeFormat::EpochMicros, 1),
        (Dialect::Postgres, whole, TimeFormat::EpochMillis, 1_000),
        (Dialect::Mysql, Kind::Instant, native.clone(), 1),
        (Dialect::Mysql, Kind::Local, native, 1),
        (Dialect::Mysql, whole, TimeFormat::EpochSeconds, 1_000_000),
        (Dialect::Mysql, whole, TimeFormat::EpochMicros, 1),
    ];
    all.into_iter()
        .map(|(dialect, kind, format, unit)| (time(dialect, kind, &format, shanghai).unwrap(), unit))
        .collect()
}

proptest! {
    #[test]
    fn the_begin_of_a_slice_gives_back_every_instant_in_it(
        from in Micros::EARLIEST_USABLE.0 + 22 * 365 * DAY..4_000_000_000_000_000_i64,
        length in 1..7 * DAY,
        share in 0.0..1.0_f64,
    ) {
        let slice = span(Micros(from), length);
        for (time, unit) in times() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "any place in it")]
            let at = Micros((from + (length as f64 * share) as i64).div_euclid(unit) * unit);
            if !slice.contains(at) {
                continue;
            }
            let low = sent(&time, at, slice).iter().fold(0, |low, byte| low << 8 | i64::from(*byte));
            prop_assert_eq!(time.rebuilt(low, slice), at, "{:?}", time);
        }
    }

    #[test]
    fn no_value_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), fitting in 0..5_usize) {
        for (time, _) in times() {
            let slice = span(AS_OF, MINUTE);
            if let Some(rows) = packing(time).unpacked(&bytes, fitting, slice) {
                prop_assert!(rows.len() == fitting && rows.iter().all(|row| slice.contains(row.at)));
            }
        }
    }
}

#[test]
fn a_value_that_was_cut_off_or_lies_elsewhere_is_not_used() {
    let slice = span(AS_OF, MINUTE);
    let time = time(Dialect::Postgres, Kind::Instant, &TimeFormat::Native, Tz::UTC).unwrap();
    let row = |digest: u64, at: Micros| {
        let mut row = digest.to_be_bytes().to_vec();
        row.extend(sent(&time, at, slice));
        row
    };
    let (first, second) = (row(u64::MAX, AS_OF), row(7, AS_OF.plus(MINUTE - 1)));
    let whole = [first.clone(), second].concat();
    let packing = packing(time.clone());
    let found = packing.unpacked(&whole, 2, slice).unwrap();
    let right = [(u64::MAX, AS_OF), (7, AS_OF.plus(MINUTE - 1))].map(|(digest, at)| PackedRow { digest, at });
    assert_eq!(found, right);
    for (bytes, fitting) in [(&whole[..25], 2), (&whole[..13], 2), (&whole[..], 1), (&[], 1)] {
        assert_eq!(packing.unpacked(bytes, fitting, slice), None, "{} {fitting}", bytes.len());
    }
    assert_eq!(packing.unpacked(&[], 0, slice), Some(Vec::new()));
    assert_eq!(packing.unpacked(&[first, row(7, AS_OF.plus(MINUTE))].concat(), 2, slice), None);
}

#[test]
fn only_exact_times_are_packed() {
    let zoned = |dialect, kind, zone| time(dialect, kind, &TimeFormat::Native, zone).is_some();
    assert!(zoned(Dialect::Postgres, Kind::Local, Tz::Asia__Shanghai));
    assert!(zoned(Dialect::Mysql, Kind::Local, Tz::UTC));
    assert!(!zoned(Dialect::Mysql, Kind::Local, Tz::Europe__Berlin));
    assert!(!zoned(Dialect::Postgres, Kind::Local, Tz::America__New_York));
    assert!(time(Dialect::Postgres, Kind::Decimal, &TimeFormat::EpochMillis, Tz::UTC).is_none());
    assert!(time(Dialect::Mysql, Kind::Text, &TimeFormat::Iso8601, Tz::UTC).is_none());
    assert!(time(Dialect::Sqlite, Kind::Dynamic, &TimeFormat::Native, Tz::UTC).is_none());
}

#[test]
fn a_digest_stands_for_a_row_only_where_it_is_the_only_one() {
    let row = |digest, at| PackedRow { digest, at: Micros(at) };
    let wanted = [row(1, 10), row(2, 10), row(3, 30), row(4, 40)];
    let found = vec![("a", 1, 10), ("b", 2, 10), ("c", 2, 10), ("d", 3, 31), ("e", 4, 40)];
    let picked = picked(&wanted, found, |(_, digest, at)| Some((*digest, Micros(*at))));
    let names: Vec<_> = picked.iter().map(|one| one.map(|(name, ..)| name)).collect();
    assert_eq!(names, [Some("a"), None, None, Some("e")]);
}

#[test]
fn rows_are_asked_for_half_dates_only_where_a_month_begins() {
    let shanghai = time(Dialect::Mysql, Kind::Local, &TimeFormat::Native, Tz::Asia__Shanghai).unwrap();
    let asks = |from: &str, until: &str| {
        let at =
            |text: &str| Micros(text.parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp_micros());
        shanghai.fits(Span::new(at(from), at(until))).is_some()
    };
    // '2026-03-00 12:00:00' stands before the first midnight of March, 16:00 in UTC.
    assert!(asks("2026-02-28T15:00:00Z", "2026-02-28T16:00:00Z"));
    assert!(asks("2026-02-28T15:59:59Z", "2026-02-28T16:00:01Z"));
    assert!(asks("2025-03-05T00:00:00Z", "2026-03-05T00:00:00Z"));
    assert!(!asks("2026-02-28T16:00:00Z", "2026-02-28T17:00:00Z"));
    assert!(!asks("2026-02-28T14:00:00Z", "2026-02-28T15:59:59.999999Z"));
}
