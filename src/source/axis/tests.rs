use super::*;
use proptest::prelude::*;

const AS_OF: Micros = Micros(1_772_500_000_000_000);

fn axes() -> Vec<Axis> {
    let zoned = |zone| Axis::of(Kind::Local, &TimeFormat::Native, Some(zone), true, AS_OF);
    vec![
        Axis::Instant,
        zoned(Tz::UTC),
        zoned(Tz::Asia__Shanghai),
        zoned(Tz::Europe__Berlin),
        Axis::of(Kind::Integer(8, true), &TimeFormat::EpochSeconds, None, true, AS_OF),
        Axis::of(Kind::Integer(8, true), &TimeFormat::EpochMillis, None, true, AS_OF),
        Axis::of(Kind::Decimal, &TimeFormat::EpochSeconds, None, true, AS_OF),
        Axis::of(Kind::Dynamic, &TimeFormat::Native, None, true, AS_OF),
    ]
}

#[test]
fn zones_that_never_change_are_exact() {
    let hour = |axis| match axis {
        Axis::Local { offset, margin } => (offset / HOUR, margin / HOUR),
        other => panic!("{other:?}"),
    };
    let zoned = |zone| Axis::of(Kind::Local, &TimeFormat::Native, Some(zone), true, AS_OF);
    assert_eq!(hour(zoned(Tz::UTC)), (0, 0));
    assert_eq!(hour(zoned(Tz::Asia__Shanghai)), (8, 0));
    assert_eq!(hour(zoned(Tz::Europe__Berlin)), (1, 3));
}

#[test]
fn epoch_bounds_round_up_at_both_ends() {
    let seconds = Axis::Epoch { unit: SECOND, margin: 0 };
    for (at, bound) in [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (-1, 0)] {
        assert_eq!(seconds.bound(Micros(at)), Value::Int(bound), "{at}");
    }
}

#[test]
fn rows_are_asked_for_half_dates_where_a_month_begins_in_the_span_or_behind_it() {
    let march = 1_772_323_200_000_000;
    let asks = |zone, dialect, from: i64, until: i64| {
        let axis = Axis::of(Kind::Local, &TimeFormat::Native, Some(zone), true, AS_OF);
        let (span, usable) =
            (Span::new(Micros(march + from), Micros(march + until)), Span::new(Micros(0), AS_OF));
        axis.usable_within("t", dialect, usable, span) != "(1 = 1)".into()
    };
    let cases =
        [(-2, -1, false), (-1, 0, true), (-1, 1, true), (0, 1, false), (1, 2, false), (-HOUR, DAY, true)];
    for (from, until, expected) in cases {
        assert_eq!(asks(Tz::UTC, Dialect::Mysql, from, until), expected, "{from} {until}");
        assert!(!asks(Tz::UTC, Dialect::Postgres, from, until));
        let (from, until) = (from - 8 * HOUR, until - 8 * HOUR);
        assert_eq!(
            asks(Tz::Asia__Shanghai, Dialect::Mysql, from, until),
            expected,
            "on the column's own clock"
        );
    }
}

#[test]
fn patterns_and_text_numbers_are_read_whole() {
    let pattern = TimeFormat::Pattern("%d/%m/%Y".to_owned());
    assert_eq!(Axis::of(Kind::Text, &pattern, None, true, AS_OF), Axis::Whole);
    assert_eq!(Axis::of(Kind::Text, &TimeFormat::EpochMillis, None, true, AS_OF), Axis::Whole);
    assert_eq!(Axis::of(Kind::Dynamic, &TimeFormat::EpochMillis, None, false, AS_OF), Axis::Whole);
}

#[test]
fn spans_hold_what_lies_before_a_month_and_else_end_with_a_microsecond() {
    let hour = |until: i64| {
        let until = Micros(begin(24_314).unwrap() + until);
        let span = Span::new(until.plus(-HOUR), until);
        let slots =
            [("table", "t".into()), ("spans", Axis::Local { offset: 0, margin: 0 }.within("c", span))];
        sql::render(sql::Query::HalfDates, Dialect::Mysql, &slots).unwrap().shown()
    };
    let (month, later) = (hour(0), hour(HOUR));
    assert!(month.contains("(c >= '2026-02-28 23:00:00' AND c < '2026-03-01 00:00:00')"), "{month}");
    assert!(later.contains("(c BETWEEN '2026-03-01 00:00:00' AND '2026-03-01 00:59:59.999999')"), "{later}");
}

#[test]
fn half_dates_are_looked_for_between_the_months() {
    let usable = Span::new(Micros::EARLIEST_USABLE, AS_OF);
    let axis = Axis::Local { offset: 0, margin: 0 };
    let shown = |spans: Fragment| {
        let slots = [("table", "t".into()), ("spans", spans)];
        let statement = sql::render(sql::Query::HalfDates, Dialect::Mysql, &slots).unwrap().shown();
        statement.split_once("WHERE ").unwrap().1.replace("\nLIMIT 1", "").trim().to_owned()
    };
    let by_index = |old| shown(axis.unusable_by_index("c", Dialect::Mysql, usable, old));
    let (recent, with_old) = (by_index(false), by_index(true));
    let all = shown(axis.old("c", Dialect::Mysql, usable).unwrap());
    let old = shown(Axis::old_half_dates("c", usable));
    let gap = |last: &str, first: &str| format!("(c > '{last} 23:59:59.999999' AND c < '{first} 00:00:00')");
    let (newest, oldest) = (gap("2026-02-28", "2026-03-01"), gap("2021-02-28", "2021-03-01"));
    assert!(recent.contains(&newest) && recent.contains(&oldest), "{recent}");
    assert_eq!(all, "(c >= '1971-01-01 00:00:00' AND c < '2021-03-01 00:00:00')");
    let before = gap("2021-01-31", "2021-02-01");
    assert!(!recent.contains(&before) && old.ends_with(&before), "{old}");
    assert!(with_old.contains(&old) && with_old.contains(&newest), "{with_old}");
    assert!(old.starts_with(&gap("1970-12-31", "1971-01-01")), "{old}");
    assert!(axis.old("c", Dialect::Postgres, usable).is_none());
    assert!(Axis::Instant.old("c", Dialect::Mysql, usable).is_none());
}

fn order(value: Value) -> (i64, String) {
    match value {
        Value::Int(n) | Value::Instant(n) | Value::Local(n) => (n, String::new()),
        Value::Text(text) => (0, text),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn later_instants_have_no_smaller_bounds(
        a in Micros::EARLIEST_USABLE.0..4_000_000_000_000_000_i64,
        step in 0..100_000_000_000_i64,
    ) {
        for axis in axes() {
            prop_assert!(order(axis.bound(Micros(a))) <= order(axis.bound(Micros(a + step))), "{axis:?}");
        }
    }
}
