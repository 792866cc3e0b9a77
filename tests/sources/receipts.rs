//! What consumers and dead-letter tables say.

use crate::bench::{AS_OF, Bench, DAY, at, bench, benches, consumer_config, id, table, time};
use msgrecon::config::{self, Dialect, IdEncoding, TimeFormat};
use msgrecon::model::event::Stamp;
use msgrecon::model::{Id, Receipt};
use msgrecon::source::{DeadLetterTable, ReceiptTable};
use std::sync::Arc;

async fn create(bench: &Bench, key: &str) {
    let stamp = bench.pick("TEXT", "timestamptz", "DATETIME(6)");
    bench.run("DROP TABLE IF EXISTS consumed").await;
    bench
        .run(&format!(
            "CREATE TABLE consumed (msg_id VARCHAR(40), consumer VARCHAR(40), original_id VARCHAR(40) DEFAULT '',
             consumed_at {stamp}{key})"
        ))
        .await;
}

async fn insert(bench: &Bench, id: &str, consumer: &str, original: &str, clock: &str) {
    let text = |text: &str| if text == "NULL" { text.to_owned() } else { format!("'{text}'") };
    let clock =
        if clock == "NULL" { clock.to_owned() } else { format!("'{clock}{}'", bench.pick("", "+00", "")) };
    let values = [text(id), text(consumer), text(original), clock].join(", ");
    bench.run(&format!("INSERT INTO consumed VALUES ({values})")).await;
}

fn names(receipts: &[Receipt]) -> Vec<String> {
    let mut names: Vec<_> =
        receipts.iter().map(|it| it.id.as_ref().map_or("(none)".into(), Id::to_string)).collect();
    names.sort();
    names
}

fn ids(names: &[&str]) -> Vec<Id> {
    names.iter().map(|name| Id::from_text(name)).collect()
}

/// In the short form a slice holds the receipts that it holds as rows; gives how many were in the short form.
async fn short_is_the_same(receipts: &ReceiptTable) -> usize {
    let facts = |row: &Receipt| (row.id.as_ref().map(ToString::to_string), row.consumed.at());
    let mut rows: Vec<_> = receipts.read(DAY, 1_000).await.unwrap().unwrap().iter().map(facts).collect();
    let slice = receipts.read_slice(DAY, 1_000, true).await.unwrap().unwrap();
    let mut both: Vec<_> = slice.rows.iter().map(facts).collect();
    both.extend(slice.short.receipts().map(|row| facts(&row)));
    rows.sort();
    both.sort();
    assert_eq!(both, rows);
    slice.short.len()
}

/// Without reading the rows: only where an index tells that there are other names.
async fn strangers_by_index(bench: &Bench, config: &config::Consumer) {
    let unindexed = bench.receipts(config).await.unwrap();
    assert!(unindexed.other_consumers(DAY, &[], false).await.unwrap().is_empty());
    bench.run(&format!("CREATE INDEX by_consumer ON {} (consumer)", config.tables[0])).await;
    let indexed = bench.receipts(config).await.unwrap();
    let found = indexed.other_consumers(DAY, &["mailer".to_owned()], false).await.unwrap();
    assert!(found.contains(&("audit".to_owned(), 2)), "{:?}: {found:?}", bench.dialect);
    bench
        .run(&format!("DELETE FROM {} WHERE consumer IS NULL OR consumer = 'audit'", config.tables[0]))
        .await;
    let known = ["mailer", "Billing", "late"].map(ToOwned::to_owned);
    let found = indexed.other_consumers(DAY, &known, false).await.unwrap();
    assert!(found.is_empty(), "{:?}: {found:?}", bench.dialect);
}

#[tokio::test]
async fn a_consumer_sees_its_own_receipts_and_names_the_others() {
    for bench in benches().await {
        create(&bench, "").await;
        for (id, consumer) in [
            ("a", "billing"),
            ("b", "billing-v1"),
            ("c", "Billing"),
            ("d", "mailer"),
            ("e", "audit"),
            ("f", "audit"),
            ("g", "NULL"),
        ] {
            insert(&bench, id, consumer, "NULL", "2026-03-02 10:00:00").await;
        }
        insert(&bench, "h", "late", "NULL", "2026-03-04 10:00:00").await;
        let mut config = consumer_config();
        config.consumer_column = Some("consumer".to_owned());
        config.aliases = vec!["billing-v1".to_owned()];
        let receipts = bench.receipts(&config).await.unwrap();
        assert_eq!(short_is_the_same(&receipts).await, 2, "{:?}", bench.dialect);
        assert_eq!(names(&receipts.read(DAY, 9).await.unwrap().unwrap()), ["a", "b"], "{:?}", bench.dialect);
        assert!(receipts.read(DAY, 1).await.unwrap().is_none());
        assert_eq!(names(&receipts.by_id(&ids(&["a", "b", "c", "d", "x"])).await.unwrap()), ["a", "b"]);
        let others = receipts.other_consumers(DAY, &["mailer".to_owned()], true).await.unwrap();
        let expected = [("audit", 2), ("Billing", 1), ("NULL", 1)];
        for (name, count) in expected {
            assert!(others.contains(&(name.to_owned(), count)), "{:?}: {others:?}", bench.dialect);
        }
        assert_eq!(others.len(), expected.len(), "{others:?}");
        strangers_by_index(&bench, &config).await;
        for (name, text) in receipts.statements(DAY) {
            assert!(text.starts_with(&format!("/* msgrecon {name} */")), "{name}: {text}");
            bench.run(&format!("EXPLAIN {text}")).await;
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn a_receipt_counts_for_the_original() {
    for bench in benches().await {
        create(&bench, "").await;
        insert(&bench, "m1", "billing", "NULL", "2026-03-02 10:00:00").await;
        insert(&bench, "m2r", "billing", "m2", "2026-03-02 10:00:00").await;
        insert(&bench, "m3", "billing", "", "2026-03-02 10:00:00").await;
        let mut config = consumer_config();
        config.original_id = Some(id("original_id", IdEncoding::Text));
        for index in ["", "CREATE INDEX i ON consumed (msg_id)", "CREATE INDEX o ON consumed (original_id)"] {
            bench.run(index).await;
            let receipts = bench.receipts(&config).await.unwrap();
            assert_eq!(names(&receipts.read(DAY, 9).await.unwrap().unwrap()), ["m1", "m2", "m3"]);
            let found = receipts.by_id(&ids(&["m1", "m2", "m3", "m2r"])).await.unwrap();
            assert_eq!(names(&found), ["m1", "m2", "m3"], "{:?}", bench.dialect);
            assert!(receipts.by_id(&ids(&["m2r"])).await.unwrap().is_empty());
            assert_eq!(receipts.look_up_indexed(), index.contains("(original_id)"));
            assert!(!receipts.ids_unique());
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn null_and_empty_ids_hide_nothing() {
    for bench in benches().await {
        create(&bench, "").await;
        for id in ["a", "NULL", "NULL", ""] {
            insert(&bench, id, "billing", "NULL", "2026-03-02 10:00:00").await;
        }
        insert(&bench, "undated", "billing", "NULL", "NULL").await;
        let receipts = bench.receipts(&consumer_config()).await.unwrap();
        short_is_the_same(&receipts).await;
        assert_eq!(names(&receipts.read(DAY, 9).await.unwrap().unwrap()), ["", "(none)", "(none)", "a"]);
        let found = receipts.by_id(&ids(&["a", "b", "", "undated"])).await.unwrap();
        assert_eq!(names(&found), ["", "a", "undated"], "{:?}", bench.dialect);
        let undated = found.iter().find(|it| it.id == Some(Id::from_text("undated"))).unwrap();
        assert_eq!(undated.consumed, Stamp::None);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn uniqueness_depends_on_key_and_consumer() {
    for bench in benches().await {
        let with = |column: bool, aliases: &[&str]| {
            let mut config = consumer_config();
            config.consumer_column = column.then(|| "consumer".to_owned());
            config.aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
            config
        };
        let cases = [
            (", PRIMARY KEY (msg_id, consumer)", with(true, &[]), true),
            (", PRIMARY KEY (msg_id, consumer)", with(true, &["old"]), false),
            (", PRIMARY KEY (msg_id, consumer)", with(false, &[]), false),
            (", PRIMARY KEY (msg_id)", with(false, &[]), true),
            (", PRIMARY KEY (msg_id)", with(true, &["old"]), true),
            (", UNIQUE (consumer, msg_id)", with(true, &[]), true),
            (", UNIQUE (consumer, msg_id, consumed_at)", with(true, &[]), false),
            ("", with(true, &[]), false),
        ];
        for (key, config, unique) in cases {
            create(&bench, key).await;
            let receipts = bench.receipts(&config).await.unwrap();
            assert_eq!(receipts.ids_unique(), unique, "{:?} {key} {:?}", bench.dialect, config.aliases);
            // Every look-up names the consumer, so that a key that begins with it serves too.
            assert_eq!(receipts.look_up_indexed(), !key.is_empty(), "{:?} {key}", bench.dialect);
            let noted = receipts.notes().iter().any(|note| note.contains("no index leads with msg_id"));
            assert!(!noted || key.is_empty(), "{:?} {key}: {:?}", bench.dialect, receipts.notes());
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn the_oldest_receipt_is_known_where_an_index_tells() {
    for bench in benches().await {
        create(&bench, "").await;
        insert(&bench, "a", "billing", "NULL", "2026-02-20 10:00:00").await;
        insert(&bench, "b", "billing", "NULL", "2026-03-02 10:00:00").await;
        insert(&bench, "c", "billing", "NULL", "NULL").await;
        let receipts = bench.receipts(&consumer_config()).await.unwrap();
        assert_eq!(receipts.oldest().await.unwrap(), None);
        bench.run("CREATE INDEX c ON consumed (consumed_at)").await;
        let receipts = bench.receipts(&consumer_config()).await.unwrap();
        assert_eq!(receipts.oldest().await.unwrap(), Some(at("2026-02-20 10:00:00")), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn a_table_without_times_is_read_whole() {
    for bench in benches().await {
        create(&bench, "").await;
        insert(&bench, "a", "billing", "NULL", "2026-01-01 10:00:00").await;
        let mut config = consumer_config();
        config.consumed_at = None;
        let receipts = bench.receipts(&config).await.unwrap();
        assert!(receipts.slicing().whole);
        short_is_the_same(&receipts).await;
        assert_eq!(names(&receipts.read(DAY, 9).await.unwrap().unwrap()), ["a"]);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn dead_letters_are_open_or_closed_and_have_reasons() {
    for bench in benches().await {
        let stamp = bench.pick("TEXT", "timestamptz", "DATETIME");
        let json = bench.pick("TEXT", "jsonb", "JSON");
        bench
            .run(&format!(
                "CREATE TABLE dead_letter (msg_id VARCHAR(40), consumer VARCHAR(40), failed_at {stamp},
                 discarded_at {stamp}, error {json})"
            ))
            .await;
        let ten = format!("'2026-03-02 10:00:00{}'", bench.pick("", "+00", ""));
        let long = format!("\"{}\"", "x".repeat(600));
        bench
            .run(&format!(
                "INSERT INTO dead_letter VALUES ('m3', 'billing', {ten}, NULL, '{{\"code\": 7}}'),
                 ('m4', 'billing', {ten}, {ten}, '{long}'), ('m5', 'mailer', {ten}, NULL, NULL)"
            ))
            .await;
        let config = config::DeadLetters {
            database: "shop".to_owned(),
            table: table("dead_letter"),
            filter: Some("consumer = 'billing'".to_owned()),
            id: id("msg_id", IdEncoding::Text),
            dead_at: Some(time("failed_at", TimeFormat::Native)),
            closed: Some("discarded_at IS NOT NULL".to_owned()),
            reason: Some("error".to_owned()),
            allow_full_scan: false,
        };
        let letters = DeadLetterTable::open(&bench.open().await, &config, AS_OF).await.unwrap();
        let mut found = letters.read(DAY, 9).await.unwrap().unwrap();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(
            found.iter().map(|it| it.closed).collect::<Vec<_>>(),
            [false, true],
            "{:?}",
            bench.dialect
        );
        assert!(found[0].reason.as_ref().unwrap().contains('7'));
        assert_eq!(found[1].reason.as_ref().unwrap().chars().count(), 500);
        assert_eq!(found[0].dead, Stamp::At(at("2026-03-02 10:00:00")));
        assert_eq!(letters.by_id(&ids(&["m3", "m5"])).await.unwrap().len(), 1);
        assert!(letters.read(DAY, 1).await.unwrap().is_none());
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn consumer_columns_of_other_types_are_compared_as_text() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    for (column, name) in [("who", "billing"), ("char(20)", "billing"), ("integer", "7"), ("text", "billing")]
    {
        bench
            .run(
                "DROP TABLE IF EXISTS consumed; DROP TYPE IF EXISTS who; CREATE TYPE who AS ENUM ('billing')",
            )
            .await;
        bench
            .run(&format!("CREATE TABLE consumed (msg_id text, consumer {column}, consumed_at timestamptz)"))
            .await;
        bench.run(&format!("INSERT INTO consumed VALUES ('a', '{name}', '2026-03-02 10:00+00')")).await;
        let mut config = consumer_config();
        config.name = name.to_owned();
        config.consumer_column = Some("consumer".to_owned());
        let receipts = bench.receipts(&config).await.unwrap();
        short_is_the_same(&receipts).await;
        assert_eq!(receipts.read(DAY, 9).await.unwrap().unwrap().len(), 1, "{column}");
        assert!(receipts.other_consumers(DAY, &[], true).await.unwrap().is_empty(), "{column}");
    }
    bench.remove(None).await;
}

/// Whatever the server thinks of the length of the span; not along one that it would refuse, though the catalogue lists it.
#[tokio::test]
async fn a_span_is_read_along_an_index_that_holds_all_of_it() {
    let Some(bench) = bench(Dialect::Mysql).await else { return };
    let keys =
        ", PRIMARY KEY (consumer, msg_id), KEY by_time (consumed_at), KEY by_both (consumer, consumed_at)";
    create(&bench, keys).await;
    insert(&bench, "a", "billing", "", "2026-03-02 10:00:00").await;
    insert(&bench, "b", "mailer", "", "2026-03-02 11:00:00").await;
    let config = config::Consumer { consumer_column: Some("consumer".to_owned()), ..consumer_config() };
    for (change, along) in [
        ("", Some("`by_both`")),
        ("ALTER TABLE consumed ALTER INDEX by_both IGNORED", Some("`by_time`")),
        ("DROP INDEX by_time ON consumed", None),
    ] {
        bench.run(change).await;
        let receipts = bench.receipts(&config).await.unwrap();
        let (_, read) = receipts.statements(DAY).into_iter().find(|(name, _)| name == "receipts").unwrap();
        let forced = read.split_once("FORCE INDEX (").and_then(|(_, rest)| rest.split_once(')'));
        assert_eq!(forced.map(|(index, _)| index), along, "{read}");
        let rows = receipts.read(DAY, 10).await.unwrap().unwrap();
        assert_eq!(names(&rows), ["a"]);
        short_is_the_same(&receipts).await;
    }
}

/// Where text is kept in UTF-16, one byte alone is no text at all.
#[tokio::test]
async fn a_file_in_utf_16_comes_in_the_short_form_too() {
    let bench = bench(Dialect::Sqlite).await.unwrap();
    std::fs::remove_file(bench.url.strip_prefix("sqlite://").unwrap()).unwrap();
    bench.run("PRAGMA encoding = 'UTF-16'; CREATE TABLE consumed (msg_id TEXT, consumed_at INTEGER)").await;
    let noon = at("2026-03-02 12:00:00").0;
    bench
        .run(&format!("INSERT INTO consumed VALUES ('a', {noon}), ('日本', {noon} + 1), (NULL, {noon})"))
        .await;
    let consumed_at = Some(time("consumed_at", TimeFormat::EpochMicros));
    let receipts = bench.receipts(&config::Consumer { consumed_at, ..consumer_config() }).await.unwrap();
    assert_eq!(short_is_the_same(&receipts).await, 2);
}

/// A receipt without an id leaves the others of its slice in the short form.
#[tokio::test]
async fn what_has_no_id_is_read_beside_the_short_form() {
    for bench in benches().await {
        create(&bench, "").await;
        for (id, second) in [("a", 1), ("NULL", 2), ("b", 3)] {
            insert(&bench, id, "billing", "", &format!("2026-03-02 10:00:0{second}")).await;
        }
        let receipts = bench.receipts(&consumer_config()).await.unwrap();
        for _ in 0..2 {
            assert_eq!(short_is_the_same(&receipts).await, 2, "{:?}", bench.dialect);
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn shards_of_receipts_are_read_together() {
    for bench in benches().await {
        create(&bench, "").await;
        for (id, second) in [("b", 3), ("c", 4)] {
            insert(&bench, id, "billing", "", &format!("2026-03-02 10:00:0{second}")).await;
        }
        bench.run("CREATE TABLE shard AS SELECT * FROM consumed").await;
        bench.run("DELETE FROM consumed").await;
        insert(&bench, "a", "billing", "", "2026-03-02 10:00:02").await;
        let db = bench.open().await;
        let open = async |name: &str| {
            Arc::new(ReceiptTable::open(&db, &table(name), &consumer_config(), AS_OF).await.unwrap())
        };
        let tables = [open("consumed").await, open("shard").await];
        assert!(tables[0].joins(&tables[1]), "{:?}", bench.dialect);
        let slice = ReceiptTable::read_together(&tables, DAY).await.unwrap().unwrap();
        let mut read: Vec<_> =
            slice.short.receipts().map(|it| (it.id.unwrap().to_string(), it.consumed.at())).collect();
        read.sort();
        let right = [("a", 2), ("b", 3), ("c", 4)];
        let right =
            right.map(|(id, second)| (id.to_owned(), Some(at(&format!("2026-03-02 10:00:0{second}")))));
        assert_eq!(read, right, "{:?}", bench.dialect);
        let undated = async |max: usize| {
            let rows = ReceiptTable::undated_all(&tables, max).await.unwrap();
            rows.map(|rows| rows.into_iter().map(|it| it.id.unwrap().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(undated(2).await, Some(Vec::new()), "{:?}", bench.dialect);
        for (place, id) in ["x", "y", "z"].iter().enumerate() {
            let table = if place == 0 { "consumed" } else { "shard" };
            bench.run(&format!("INSERT INTO {table} (msg_id, consumer) VALUES ('{id}', 'billing')")).await;
        }
        let mut all = undated(2).await.unwrap();
        all.sort();
        assert_eq!(all, ["x", "y", "z"], "{:?}: no more than so many of each", bench.dialect);
        assert_eq!(undated(1).await, None, "{:?}", bench.dialect);
        bench.run("DELETE FROM consumed WHERE msg_id = 'x'").await;
        bench.run("DELETE FROM shard WHERE msg_id IN ('y', 'z')").await;
        insert(&bench, "NULL", "billing", "", "2026-03-02 10:00:05").await;
        let together = ReceiptTable::read_together(&tables, DAY).await.unwrap();
        assert!(together.is_none(), "{:?}: nothing is left out", bench.dialect);
        for table in &tables {
            table.read_slice(DAY, 100, true).await.unwrap().unwrap();
        }
        assert!(!tables[0].joins(&tables[1]), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}
