//! Ids of every type and encoding: read, looked up, and told apart.

use crate::bench::{Bench, DAY, bench, benches, event_config, id};
use msgrecon::config::{Dialect, IdEncoding};
use msgrecon::model::{Event, Id};
use msgrecon::source::{ErrorKind, EventTable};

const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";

/// A column's type, a literal, how it is written, and the id that it is.
type Case = (&'static str, &'static str, IdEncoding, Option<&'static str>);

const SQLITE: &[Case] = &[
    ("TEXT", "'007'", IdEncoding::Text, Some("007")),
    ("TEXT", "''", IdEncoding::Text, Some("")),
    ("TEXT", "NULL", IdEncoding::Text, None),
    ("INTEGER", "9007199254740993", IdEncoding::Text, Some("9007199254740993")),
    ("STRING", "'007'", IdEncoding::Text, Some("7")),
    ("STRING", "'12345678901234567890'", IdEncoding::Text, None),
    ("BLOB", "X'616263'", IdEncoding::Text, Some("abc")),
    ("BLOB", "X'ff00'", IdEncoding::Text, Some("hex:ff00")),
    ("BLOB", "'text'", IdEncoding::Text, Some("text")),
    ("BLOB", "5", IdEncoding::Text, Some("5")),
    ("TEXT", "'007'", IdEncoding::Integer, Some("7")),
    ("INTEGER", "7", IdEncoding::Integer, Some("7")),
    ("TEXT", "'{6CCD780C-BABA-1026-9564-5B8C656024DB}'", IdEncoding::Uuid, Some(UUID)),
    ("TEXT", "'not-a-uuid'", IdEncoding::Uuid, Some("not-a-uuid")),
    ("BLOB", "X'6ccd780cbaba102695645b8c656024db'", IdEncoding::UuidBytes, Some(UUID)),
    ("BLOB", "X'1026baba6ccd780c95645b8c656024db'", IdEncoding::UuidBytesSwapped, Some(UUID)),
    ("BLOB", "X'0c78cd6cbaba261095645b8c656024db'", IdEncoding::UuidBytesLe, Some(UUID)),
    ("BLOB", "X'00'", IdEncoding::UuidBytes, None),
];

const POSTGRES: &[Case] = &[
    ("text", "'007'", IdEncoding::Text, Some("007")),
    ("varchar(9)", "'a?b'", IdEncoding::Text, Some("a?b")),
    ("char(9)", "'abc'", IdEncoding::Text, Some("abc")),
    ("smallint", "-7", IdEncoding::Text, Some("-7")),
    ("integer", "7", IdEncoding::Text, Some("7")),
    ("bigint", "9223372036854775807", IdEncoding::Text, Some("9223372036854775807")),
    ("numeric(20,0)", "12345678901234567890", IdEncoding::Text, Some("12345678901234567890")),
    ("numeric", "0.10", IdEncoding::Text, Some("0.10")),
    ("uuid", "'6CCD780C-BABA-1026-9564-5B8C656024DB'", IdEncoding::Text, Some(UUID)),
    ("uuid", "'6CCD780C-BABA-1026-9564-5B8C656024DB'", IdEncoding::Uuid, Some(UUID)),
    ("uuid", "'1026baba-6ccd-780c-9564-5b8c656024db'", IdEncoding::UuidBytesSwapped, Some(UUID)),
    ("mid", "'m-1'", IdEncoding::Text, Some("m-1")),
    ("st", "'open'", IdEncoding::Text, Some("open")),
    ("bytea", "'\\xff00'", IdEncoding::Text, Some("hex:ff00")),
    ("bytea", "'\\x616263'", IdEncoding::Text, Some("abc")),
    ("bytea", "'\\x6ccd780cbaba102695645b8c656024db'", IdEncoding::UuidBytes, Some(UUID)),
    ("bytea", "'\\x1026baba6ccd780c95645b8c656024db'", IdEncoding::UuidBytesSwapped, Some(UUID)),
    ("bytea", "'\\x0c78cd6cbaba261095645b8c656024db'", IdEncoding::UuidBytesLe, Some(UUID)),
    ("text", "'urn:uuid:6CCD780C-BABA-1026-9564-5B8C656024DB'", IdEncoding::Uuid, Some(UUID)),
    ("text", "'007'", IdEncoding::Integer, Some("7")),
    ("bigint", "7", IdEncoding::Integer, Some("7")),
    ("inet", "'10.0.0.1/8'", IdEncoding::Text, Some("10.0.0.1/8")),
    ("text", "NULL", IdEncoding::Text, None),
];

const MYSQL: &[Case] = &[
    ("VARCHAR(64)", "'007'", IdEncoding::Text, Some("007")),
    ("VARCHAR(64) COLLATE utf8mb4_bin", "'aB'", IdEncoding::Text, Some("aB")),
    ("VARCHAR(64) CHARACTER SET latin1", "'caf\u{e9}'", IdEncoding::Text, Some("caf\u{e9}")),
    ("CHAR(9)", "'abc'", IdEncoding::Text, Some("abc")),
    ("TEXT", "'long'", IdEncoding::Text, Some("long")),
    ("VARBINARY(64)", "'m-1'", IdEncoding::Text, Some("m-1")),
    ("VARBINARY(64)", "X'ff00'", IdEncoding::Text, Some("hex:ff00")),
    ("TINYINT", "-7", IdEncoding::Text, Some("-7")),
    ("TINYINT(1)", "4", IdEncoding::Text, Some("4")),
    ("TINYINT(1) UNSIGNED", "200", IdEncoding::Text, Some("200")),
    ("SMALLINT UNSIGNED", "65535", IdEncoding::Text, Some("65535")),
    ("MEDIUMINT", "-8388608", IdEncoding::Text, Some("-8388608")),
    ("INT UNSIGNED", "4294967295", IdEncoding::Text, Some("4294967295")),
    ("BIGINT", "-9223372036854775808", IdEncoding::Text, Some("-9223372036854775808")),
    ("BIGINT UNSIGNED", "18446744073709551615", IdEncoding::Text, Some("18446744073709551615")),
    ("BIT(16)", "b'100000000'", IdEncoding::Text, Some("256")),
    ("DECIMAL(20,2)", "0.10", IdEncoding::Text, Some("0.10")),
    (
        "DECIMAL(30,0)",
        "123456789012345678901234567890",
        IdEncoding::Text,
        Some("123456789012345678901234567890"),
    ),
    ("ENUM('x','y')", "'y'", IdEncoding::Text, Some("y")),
    ("BINARY(16)", "X'6ccd780cbaba102695645b8c656024db'", IdEncoding::UuidBytes, Some(UUID)),
    ("BINARY(16)", "X'1026baba6ccd780c95645b8c656024db'", IdEncoding::UuidBytesSwapped, Some(UUID)),
    ("BINARY(16)", "X'0c78cd6cbaba261095645b8c656024db'", IdEncoding::UuidBytesLe, Some(UUID)),
    ("VARCHAR(64)", "'6CCD780CBABA102695645B8C656024DB'", IdEncoding::Uuid, Some(UUID)),
    ("VARCHAR(64)", "'007'", IdEncoding::Integer, Some("7")),
    ("BIGINT", "7", IdEncoding::Integer, Some("7")),
    ("VARCHAR(64)", "NULL", IdEncoding::Text, None),
];

async fn table(bench: &Bench, column: &str, literal: &str) {
    let (stamp, ten) = match bench.dialect {
        Dialect::Sqlite => ("TEXT", "'2026-03-02T10:00:00Z'"),
        Dialect::Postgres => ("timestamptz", "'2026-03-02 10:00+00'"),
        Dialect::Mysql => ("DATETIME", "'2026-03-02 10:00:00'"),
    };
    bench.run("DROP TABLE IF EXISTS event").await;
    bench.run(&format!("CREATE TABLE event (msg_id {column}, created_at {stamp}, sent_at {stamp})")).await;
    bench.run(&format!("INSERT INTO event VALUES ({literal}, {ten}, {ten})")).await;
}

fn ids(events: &[Event]) -> Vec<Option<String>> {
    events.iter().map(|event| event.id.as_ref().map(Id::to_string)).collect()
}

async fn open(bench: &Bench, encoding: IdEncoding) -> EventTable {
    let mut config = event_config();
    config.id = id("msg_id", encoding);
    bench.events(&config).await.unwrap_or_else(|error| panic!("{:?} {encoding:?}: {error}", bench.dialect))
}

#[tokio::test]
async fn every_type_is_read_and_found_again() {
    for bench in benches().await {
        if bench.dialect == Dialect::Postgres {
            bench.run("CREATE TYPE st AS ENUM ('open', 'done'); CREATE DOMAIN mid AS varchar(40)").await;
        }
        let cases = match bench.dialect {
            Dialect::Sqlite => SQLITE,
            Dialect::Postgres => POSTGRES,
            Dialect::Mysql => MYSQL,
        };
        for (column, literal, encoding, expected) in cases {
            let what = format!("{:?} {column} {literal} {encoding:?}", bench.dialect);
            table(&bench, column, literal).await;
            if !column.starts_with("TEXT") || bench.dialect != Dialect::Mysql {
                bench.run("CREATE INDEX event_id ON event (msg_id)").await;
            }
            let events = open(&bench, *encoding).await;
            let found = events.read(DAY, 9).await.unwrap().unwrap();
            assert_eq!(ids(&found), [expected.map(str::to_owned)], "{what}");
            let decoys = ["0", "7", "m", "zzz", "", "6ccd780c-baba-1026-9564-000000000000", "0.1", "-", "."]
                .map(Id::from_text);
            let decoys: Vec<Id> = decoys.into_iter().filter(|id| found[0].id.as_ref() != Some(id)).collect();
            assert_eq!(ids(&events.by_id(&decoys).await.unwrap()), [], "{what}");
            let Some(id) = &found[0].id else { continue };
            let wanted = [&decoys[..], std::slice::from_ref(id)].concat();
            assert_eq!(ids(&events.by_id(&wanted).await.unwrap()), [expected.map(str::to_owned)], "{what}");
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn look_ups_are_exact_under_collations_that_ignore_case() {
    for bench in benches().await {
        if bench.dialect == Dialect::Postgres {
            bench
                .run("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
                .await;
        }
        let column = bench.pick(
            "TEXT COLLATE NOCASE",
            "varchar(32) COLLATE loose",
            "VARCHAR(32) COLLATE utf8mb4_general_ci",
        );
        table(&bench, &format!("{column} PRIMARY KEY"), "'api_4qD329'").await;
        let events = open(&bench, IdEncoding::Text).await;
        let (upper, lower) = (Id::from_text("api_4qD329"), Id::from_text("api_4qd329"));
        assert_eq!(events.by_id(std::slice::from_ref(&lower)).await.unwrap(), []);
        assert_eq!(events.by_id(&[lower, upper]).await.unwrap().len(), 1);
        assert!(events.ids_unique() && events.look_up_indexed());
        assert!(
            events.notes().iter().any(|note| note.contains("ignores case")),
            "{:?}: {:?}",
            bench.dialect,
            events.notes()
        );
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn uniqueness_and_indexes_are_found() {
    for bench in benches().await {
        let partial = match bench.dialect {
            Dialect::Mysql => "CREATE INDEX i ON event (msg_id)",
            _ => "CREATE UNIQUE INDEX i ON event (msg_id) WHERE sent_at IS NOT NULL",
        };
        let cases = [
            ("CREATE UNIQUE INDEX i ON event (msg_id)", IdEncoding::Text, true, true),
            ("CREATE UNIQUE INDEX i ON event (msg_id)", IdEncoding::Uuid, false, true),
            ("CREATE UNIQUE INDEX i ON event (msg_id)", IdEncoding::Integer, false, false),
            ("CREATE UNIQUE INDEX i ON event (msg_id, created_at)", IdEncoding::Text, false, true),
            ("CREATE UNIQUE INDEX i ON event (created_at, msg_id)", IdEncoding::Text, false, false),
            ("CREATE INDEX i ON event (msg_id)", IdEncoding::Text, false, true),
            (partial, IdEncoding::Text, false, bench.dialect == Dialect::Mysql),
            ("", IdEncoding::Text, false, false),
        ];
        for (index, encoding, unique, indexed) in cases {
            table(&bench, "VARCHAR(40)", "'m'").await;
            bench.run(index).await;
            let events = open(&bench, encoding).await;
            assert_eq!(
                (events.ids_unique(), events.look_up_indexed()),
                (unique, indexed),
                "{:?} {index}",
                bench.dialect
            );
        }
        bench.run("DROP TABLE event; CREATE TABLE event (msg_id INTEGER PRIMARY KEY, created_at VARCHAR(30), sent_at VARCHAR(30))").await;
        let mut config = event_config();
        for column in [&mut config.created_at, &mut config.acked_at] {
            column.as_mut().unwrap().format = msgrecon::config::TimeFormat::Iso8601;
        }
        let events = bench.events(&config).await.unwrap();
        assert!(events.ids_unique() && events.look_up_indexed());
        assert_eq!(
            events.notes().iter().filter(|note| note.contains("no index holds")).count(),
            2,
            "{:?}",
            events.notes()
        );
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn sqlite_warns_of_columns_that_change_ids() {
    let Some(bench) = bench(Dialect::Sqlite).await else { return };
    table(&bench, "STRING", "'007'").await;
    let events = open(&bench, IdEncoding::Text).await;
    assert_eq!(events.notes().iter().filter(|note| note.contains("numeric affinity")).count(), 1);
    table(&bench, "TEXT", "'007'").await;
    assert!(!open(&bench, IdEncoding::Text).await.notes().iter().any(|note| note.contains("affinity")));
}

#[tokio::test]
async fn what_cannot_be_an_id_is_a_configuration_error_that_names_column_and_type() {
    for bench in benches().await {
        let cases: &[(&str, &str, &str)] = match bench.dialect {
            Dialect::Sqlite => &[],
            Dialect::Postgres => &[
                ("text[]", "'{a}'", "text[]"),
                ("jsonb", "'{}'", "json"),
                ("double precision", "1", "float8"),
                ("timestamptz", "now()", "timestamptz"),
            ],
            Dialect::Mysql => {
                &[("JSON", "'{}'", "json"), ("DOUBLE", "1", "double"), ("DATETIME", "NOW()", "datetime")]
            }
        };
        for (column, literal, name) in cases {
            table(&bench, column, literal).await;
            let error = bench.events(&event_config()).await.unwrap_err();
            let text = error.to_string();
            assert_eq!(error.kind, ErrorKind::Configuration, "{text}");
            assert!(text.contains("msg_id") && text.contains(name) && text.contains("events.id"), "{text}");
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn many_ids_are_found_with_and_without_an_index() {
    for bench in benches().await {
        table(&bench, "VARCHAR(40)", "'m0'").await;
        let rows: Vec<String> = (1..3_000).map(|number| format!("('m{number}')")).collect();
        bench.run(&format!("INSERT INTO event (msg_id) VALUES {}", rows.join(", "))).await;
        let wanted: Vec<Id> = (0..5_000).map(|number| Id::from_text(&format!("m{number}"))).collect();
        for index in ["", "CREATE INDEX event_id ON event (msg_id)"] {
            bench.run(index).await;
            let events = open(&bench, IdEncoding::Text).await;
            assert_eq!(events.look_up_indexed(), !index.is_empty());
            assert_eq!(events.by_id(&wanted).await.unwrap().len(), 3_000);
            assert_eq!(events.by_id(&wanted[2_999..3_001]).await.unwrap().len(), 1);
            assert!(events.by_id(&[]).await.unwrap().is_empty());
        }
        bench.remove(None).await;
    }
}
