//! Times of every type and format.

use crate::bench::{Bench, DAY, at, bench, benches, event_config, time};
use chrono_tz::Tz;
use msgrecon::config::{Dialect, TimeFormat};
use msgrecon::model::event::Stamp;
use msgrecon::model::{Event, Id};
use msgrecon::source::{ErrorKind, SourceError};

/// A column's type, a literal that is 2026-03-02T10:00:00Z, and the format.
type Case = (&'static str, &'static str, TimeFormat);

fn cases(dialect: Dialect) -> Vec<Case> {
    let pattern = || TimeFormat::Pattern("%d/%m/%Y %H:%M:%S".to_owned());
    let text = |column| {
        vec![
            (column, "'2026-03-02T10:00:00Z'", TimeFormat::Iso8601),
            (column, "'2026-03-02 18:00:00.000+08:00'", TimeFormat::Iso8601),
            (column, "'02/03/2026 18:00:00'", pattern()),
            (column, "'1772445600000'", TimeFormat::EpochMillis),
        ]
    };
    let numbers = vec![
        ("BIGINT", "1772445600", TimeFormat::EpochSeconds),
        ("BIGINT", "1772445600000", TimeFormat::EpochMillis),
        ("BIGINT", "1772445600000000", TimeFormat::EpochMicros),
        ("DECIMAL(20,3)", "1772445600.000", TimeFormat::EpochSeconds),
        ("DOUBLE PRECISION", "1772445600.0", TimeFormat::EpochSeconds),
    ];
    let own = match dialect {
        Dialect::Sqlite => vec![
            ("TEXT", "'2026-03-02 18:00:00'", TimeFormat::Native),
            ("DATETIME", "'2026-03-02T10:00:00Z'", TimeFormat::Native),
            ("", "1772445600000", TimeFormat::EpochMillis),
        ],
        Dialect::Postgres => vec![
            ("timestamptz", "'2026-03-02 10:00+00'", TimeFormat::Native),
            ("timestamptz(3)", "'2026-03-02 18:00+08'", TimeFormat::Native),
            ("timestamp", "'2026-03-02 18:00'", TimeFormat::Native),
            ("integer", "1772445600", TimeFormat::EpochSeconds),
        ],
        Dialect::Mysql => vec![
            ("TIMESTAMP(6) NULL", "'2026-03-02 10:00:00'", TimeFormat::Native),
            ("DATETIME", "'2026-03-02 18:00:00'", TimeFormat::Native),
            ("DATETIME(3)", "'2026-03-02 18:00:00.000'", TimeFormat::Native),
            ("INT UNSIGNED", "1772445600", TimeFormat::EpochSeconds),
        ],
    };
    let text = text(if dialect == Dialect::Mysql { "VARCHAR(40)" } else { "TEXT" });
    [own, text, numbers].concat()
}

async fn table(bench: &Bench, column: &str, literal: &str) {
    bench.run("DROP TABLE IF EXISTS event").await;
    bench
        .run(&format!("CREATE TABLE event (msg_id VARCHAR(40), created_at {column}, sent_at {column})"))
        .await;
    bench
        .run(&format!("INSERT INTO event VALUES ('m', {literal}, {literal}), ('open', {literal}, NULL)"))
        .await;
}

async fn read(bench: &Bench, format: &TimeFormat, zone: Option<Tz>) -> Result<Vec<Event>, SourceError> {
    let mut config = event_config();
    for (slot, column) in [(&mut config.created_at, "created_at"), (&mut config.acked_at, "sent_at")] {
        let mut column = time(column, format.clone());
        column.time_zone = zone;
        *slot = Some(column);
    }
    let mut database = bench.config();
    database.time_zone = None;
    let db = msgrecon::source::Database::connect(&database).await?;
    let table =
        msgrecon::source::EventTable::open(&db, &config.tables[0], &config, &[], crate::bench::AS_OF).await?;
    let slicing = table.slicing();
    let span = DAY.widened(slicing.margin, slicing.margin);
    let mut found = table.read(span, 100).await?.unwrap();
    found.retain(|event| event.placed().is_none_or(|at| DAY.contains(at)));
    found.extend(table.undated(100).await?);
    Ok(found)
}

#[tokio::test]
async fn every_format_gives_the_same_instant() {
    for bench in benches().await {
        for (column, literal, format) in cases(bench.dialect) {
            let what = format!("{:?} {column} {literal} {format:?}", bench.dialect);
            table(&bench, column, literal).await;
            for zone in [Tz::Asia__Shanghai, Tz::Asia__Hong_Kong] {
                let mut found =
                    read(&bench, &format, Some(zone)).await.unwrap_or_else(|error| panic!("{what}: {error}"));
                found.sort_by(|a, b| a.id.cmp(&b.id));
                let ten = Stamp::At(at("2026-03-02 10:00:00"));
                let stamps: Vec<_> = found.iter().map(|event| (event.created, event.acked)).collect();
                assert_eq!(stamps, [(ten, ten), (ten, Stamp::None)], "{what}");
            }
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn nothing_undeclared_is_guessed() {
    for bench in benches().await {
        let cases: &[(&str, &str, &str)] = match bench.dialect {
            Dialect::Sqlite => &[
                ("TEXT", "'2026-03-02 10:00:00'", "time_zone"),
                ("INTEGER", "1772445600000", "epoch-ms"),
                ("REAL", "1772445600.5", "epoch-ms"),
            ],
            Dialect::Postgres => &[
                ("timestamp", "'2026-03-02 10:00'", "time_zone"),
                ("bigint", "1772445600", "epoch-ms"),
                ("date", "'2026-03-02'", "time of day"),
                ("text", "'2026-03-02'", "iso8601"),
            ],
            Dialect::Mysql => &[
                ("DATETIME", "'2026-03-02 10:00:00'", "time_zone"),
                ("BIGINT", "1772445600", "epoch-ms"),
                ("DATE", "'2026-03-02'", "time of day"),
                ("VARCHAR(40)", "'2026-03-02'", "iso8601"),
            ],
        };
        for (column, literal, step) in cases {
            table(&bench, column, literal).await;
            let error = read(&bench, &TimeFormat::Native, None).await.unwrap_err();
            let text = error.to_string();
            assert_eq!(error.kind, ErrorKind::Configuration, "{text}");
            for part in ["shop", "table event", "created_at", step] {
                assert!(text.contains(part), "{part} is not in: {text}");
            }
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn text_times_in_several_spellings_fall_into_their_day() {
    for bench in benches().await {
        let text = if bench.dialect == Dialect::Mysql { "VARCHAR(40)" } else { "TEXT" };
        bench
            .run(&format!("CREATE TABLE event (msg_id VARCHAR(9), created_at {text}, sent_at {text})"))
            .await;
        let rows = [
            ("d1", "2026-03-02 10:00:00"),
            ("d2", "2026-03-02T10:00:00Z"),
            ("d3", "2026-03-02T18:00:00+08:00"),
            ("d4", "2026-03-02 10:00:00.123456"),
            ("d5", "2026-03-01 23:00:00"),
            ("d6", "2026-03-03 10:00:00"),
            ("d7", "yesterday"),
            ("e1", "2026-03-02T00:00:00Z"),
            ("e2", "2026-03-02T23:59:59Z"),
            ("e3", "2026-03-03T07:59:59+08:00"),
            ("e4", "2026-03-03T08:00:00+08:00"),
            ("e5", "2026-03-01T19:00:00-05:00"),
            ("e6", "2026-03-01T18:59:59-05:00"),
        ];
        for (id, sent) in rows {
            bench.run(&format!("INSERT INTO event VALUES ('{id}', '2026-03-02T09:00:00Z', '{sent}')")).await;
        }
        let found = read(&bench, &TimeFormat::Iso8601, Some(Tz::UTC)).await.unwrap();
        let mut names: Vec<String> =
            found.iter().map(|event| event.id.as_ref().unwrap().to_string()).collect();
        names.sort();
        assert_eq!(names, ["d1", "d2", "d3", "d4", "d7", "e1", "e2", "e3", "e5"], "{:?}", bench.dialect);
        let d7 = found.iter().find(|event| event.id == Some(Id::from_text("d7"))).unwrap();
        assert_eq!(d7.acked, Stamp::Unusable);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn slices_of_inexact_axes_miss_nothing_and_repeat_nothing() {
    for bench in benches().await {
        let (column, format) = match bench.dialect {
            Dialect::Sqlite => ("TEXT", TimeFormat::Native),
            Dialect::Postgres => ("timestamp", TimeFormat::Native),
            Dialect::Mysql => ("DATETIME(6)", TimeFormat::Native),
        };
        bench
            .run(&format!("CREATE TABLE event (msg_id INTEGER, created_at {column}, sent_at {column})"))
            .await;
        let first = at("2026-03-28 12:00:00");
        let rows: Vec<String> = (0..400)
            .map(|number| {
                let clock = first.plus(number * 401_000_001).to_utc().format("%Y-%m-%d %H:%M:%S%.6f");
                format!(
                    "({number}, '{clock}', {})",
                    if number % 3 == 0 { "NULL".to_owned() } else { format!("'{clock}'") }
                )
            })
            .collect();
        bench.run(&format!("INSERT INTO event VALUES {}", rows.join(", "))).await;
        let mut database = bench.config();
        database.time_zone = Some(Tz::Europe__Berlin); // whose clock jumps on 2026-03-29
        let db = msgrecon::source::Database::connect(&database).await.unwrap();
        let mut config = event_config();
        config.created_at = Some(time("created_at", format.clone()));
        config.acked_at = Some(time("sent_at", format));
        let as_of = at("2026-04-01 00:00:00");
        let table =
            msgrecon::source::EventTable::open(&db, &config.tables[0], &config, &[], as_of).await.unwrap();
        let margin = table.slicing().margin;
        let (mut from, until) = (first.plus(-7_200_000_000 - margin), at("2026-03-31 00:00:00").plus(margin));
        let mut found = Vec::new();
        while from < until {
            let next = from.plus(3_333_333_333).min(until);
            found.extend(table.read(msgrecon::model::Span::new(from, next), 400).await.unwrap().unwrap());
            from = next;
        }
        let mut ids: Vec<_> = found.iter().map(|event| event.id.clone().unwrap()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!((ids.len(), found.len()), (400, 400), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn the_gap_of_a_changing_clock_ends_late_and_doubled_hours_begin_early() {
    let Some(bench) = bench(Dialect::Mysql).await else { return };
    for (clock, utc) in [
        ("2025-03-30 02:30:00", "2025-03-30 01:00:00"),
        ("2025-10-26 02:30:00", "2025-10-26 00:30:00"),
        ("2025-07-01 12:00:00", "2025-07-01 10:00:00"),
    ] {
        table(&bench, "DATETIME", &format!("'{clock}'")).await;
        let mut config = event_config();
        for column in [&mut config.created_at, &mut config.acked_at] {
            column.as_mut().unwrap().time_zone = Some(Tz::Europe__Berlin);
        }
        let found = bench.events(&config).await.unwrap().by_id(&[Id::from_text("m")]).await.unwrap();
        assert_eq!(found[0].acked, Stamp::At(at(utc)), "{clock}");
    }
    bench.remove(None).await;
}
