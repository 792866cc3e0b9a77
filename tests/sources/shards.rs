//! Which events several tables give together.

use crate::bench::{AS_OF, Bench, DAY, at, benches, event_config};
use crate::events::{create, names, zoned};
use msgrecon::config::{self, Dialect, StateRule};
use msgrecon::model::Micros;
use msgrecon::model::bulk::Slim;
use msgrecon::model::event::Stamp;
use msgrecon::source::{EventSlice, EventTable};
use std::sync::Arc;

async fn create_more(bench: &Bench) {
    let shard = bench.pick(
        "CREATE TABLE shard AS SELECT * FROM event",
        "CREATE TABLE shard (LIKE event INCLUDING ALL)",
        "CREATE TABLE shard LIKE event",
    );
    let other = bench.pick(
        "CREATE TABLE other (msg_id BLOB, status INTEGER, created_at INTEGER, sent_at INTEGER)",
        "CREATE TABLE other (msg_id uuid, status int, created_at timestamptz, sent_at timestamptz)",
        "CREATE TABLE other (msg_id VARCHAR(64), status INT, created_at DATETIME, sent_at DATETIME)",
    );
    for sql in [shard, other] {
        bench.run(sql).await;
    }
}

/// Of each row in the short form its id, its time, and who must see it.
fn short_facts(slice: &EventSlice) -> Vec<(String, Micros, u64)> {
    let facts = slice.short.iter().flat_map(|group| {
        let fact = |row: &Slim| (group.rows.id(row).to_string(), row.at, group.expected_by);
        group.rows.rows().iter().map(fact)
    });
    let mut facts: Vec<_> = facts.collect();
    facts.sort();
    facts
}

/// Tables of one database are read by one statement; where that cannot be done they say so, and each gives its own.
#[tokio::test]
async fn shards_that_are_alike_are_read_together() {
    for bench in benches().await {
        create(&bench).await;
        create_more(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        let row = async |table: &str, id: &str, status: u8, sent: &str| {
            let columns = "msg_id, status, created_at, sent_at";
            bench
                .run(&format!("INSERT INTO {table} ({columns}) VALUES ('{id}', {status}, {ten}, {sent})"))
                .await;
        };
        row("event", "a", 1, &ten).await;
        row("event", "pending", 0, "NULL").await;
        row("shard", "b", 1, &ten).await;
        let config =
            config::Events { states: vec![(StateRule::Acked, "status = 1".to_owned())], ..event_config() };
        let db = bench.open().await;
        let open = async |name: &str| {
            let table = config::Table(vec![name.to_owned()]);
            let expects = [Some("CAST(msg_id AS CHAR(1)) <> 'b'".to_owned()), None];
            Arc::new(EventTable::open(&db, &table, &config, &expects, AS_OF).await.unwrap())
        };
        let tables = [open("event").await, open("shard").await];
        assert!(tables[0].joins(&tables[1]), "{:?}", bench.dialect);
        assert!(!tables[0].joins(&*open("other").await), "{:?}", bench.dialect);
        let together = async || EventTable::read_together(&tables, DAY, 100).await.unwrap();
        let slice = together().await.unwrap();
        let short = short_facts(&slice);
        let at = at("2026-03-02 10:00:00");
        assert_eq!(short, [("a".to_owned(), at, 0b11), ("b".to_owned(), at, 0b10)], "{:?}", bench.dialect);
        assert_eq!(names(&slice.rows), ["pending"], "{:?}", bench.dialect);
        row("shard", "failed", 2, &ten).await;
        assert!(together().await.is_none(), "{:?}: a row that does not fit", bench.dialect);
        assert!(tables[0].joins(&tables[1]), "which of them it is nobody knows yet");
        for table in &tables {
            table.read_slice(DAY, 100, true).await.unwrap().unwrap();
        }
        assert!(!tables[0].joins(&tables[1]), "{:?}: now it is known", bench.dialect);
        let tables = [open("event").await, open("shard").await];
        bench.run("DELETE FROM shard WHERE msg_id = 'failed'").await;
        row("event", "odd\u{1f}id", 1, &ten).await;
        assert!(
            EventTable::read_together(&tables, DAY, 100).await.unwrap().is_none(),
            "{:?}: an id with a separator",
            bench.dialect
        );
        assert!(!tables[0].joins(&tables[1]), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

/// What lies in no slice is asked of alike tables at once, and comes to the same as from each of them; where there may be
/// more than is asked for, each says how much it has.
#[tokio::test]
async fn what_lies_aside_is_asked_of_several_tables_at_once() {
    for bench in benches().await {
        create(&bench).await;
        create_more(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        let columns = "msg_id, status, created_at, sent_at";
        let row = async |table: &str, id: &str, created: &str| {
            bench.run(&format!("INSERT INTO {table} ({columns}) VALUES ('{id}', 0, {created}, NULL)")).await;
        };
        for (table, id) in [("event", "a"), ("shard", "b")] {
            row(table, &format!("{id}-pending"), &ten).await;
        }
        bench.run("ALTER TABLE shard RENAME TO shard_2").await;
        let states =
            vec![(StateRule::Acked, "status = 1".to_owned()), (StateRule::Pending, "status = 0".to_owned())];
        let config = config::Events { states, created_at: None, ..event_config() };
        let dated = config::Events { created_at: event_config().created_at, ..config.clone() };
        let db = bench.open().await;
        let names_of = ["event", "shard_2", "other"].map(|name| config::Table(vec![name.to_owned()]));
        let open = async |config: &config::Events| {
            let tables = EventTable::open_all(&db, &names_of, config, &[None], AS_OF).await.unwrap();
            tables.into_iter().map(Arc::new).collect::<Vec<_>>()
        };
        let tables = open(&dated).await;
        assert!(
            EventTable::are_small(&tables).await || bench.dialect == Dialect::Sqlite,
            "{:?}",
            bench.dialect
        );
        if bench.dialect == Dialect::Postgres {
            bench.run("CREATE TABLE parted (LIKE event) PARTITION BY LIST (status)").await;
            bench.run("CREATE TABLE parted_0 PARTITION OF parted DEFAULT").await;
            let two = ["event", "parted"].map(|name| config::Table(vec![name.to_owned()]));
            let two = EventTable::open_all(&db, &two, &dated, &[None], AS_OF).await.unwrap();
            let two: Vec<_> = two.into_iter().map(Arc::new).collect();
            assert!(
                !EventTable::are_small(&two).await,
                "what the plan says of a part says nothing of the whole"
            );
        }
        let mut stamps = Vec::new();
        EventTable::backlog_all(&tables, &mut |stamp| stamps.push(stamp)).await.unwrap();
        assert_eq!(stamps, [Stamp::At(at("2026-03-02 10:00:00")); 2], "{:?}", bench.dialect);
        assert!(EventTable::undated_all(&tables, 10).await.unwrap().iter().all(Vec::is_empty));
        for (table, id) in [("event", "u"), ("shard_2", "v"), ("shard_2", "w")] {
            bench.run(&format!("INSERT INTO {table} ({columns}) VALUES ('{id}', 1, {ten}, NULL)")).await;
        }
        let tables = open(&config).await;
        let undated = async |max: usize| {
            let lists = EventTable::undated_all(&tables, max).await.unwrap();
            (lists.iter().map(Vec::len).max().unwrap(), names(&lists.concat()))
        };
        assert_eq!(undated(10).await.1, ["u", "v", "w"], "{:?}", bench.dialect);
        assert_eq!(undated(2).await.0, 2, "{:?}: one may have more", bench.dialect);
        bench.remove(None).await;
    }
}

/// A union that gives more rows than are kept is given up, and no row of it counts twice when each table is asked.
#[tokio::test]
async fn a_backlog_of_several_tables_is_counted_once_however_long_it_is() {
    for bench in benches().await {
        create(&bench).await;
        create_more(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        let numbers = bench.pick(
            "(WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 60000) SELECT n FROM s)",
            "generate_series(1, 60000)",
            "seq_1_to_60000",
        );
        let id = bench.pick("n", "CAST(n AS text)", "seq");
        let alias = bench.pick("AS numbers", "AS numbers(n)", "AS numbers");
        for table in ["event", "shard"] {
            let columns = "msg_id, status, created_at";
            let rows = format!("SELECT {id}, 0, {ten} FROM {numbers} {alias}");
            bench.run(&format!("INSERT INTO {table} ({columns}) {rows}")).await;
        }
        let names_of = ["event", "shard"].map(|name| config::Table(vec![name.to_owned()]));
        let db = bench.open().await;
        let tables = EventTable::open_all(&db, &names_of, &event_config(), &[None], AS_OF).await.unwrap();
        let tables: Vec<_> = tables.into_iter().map(Arc::new).collect();
        let mut stamps = 0;
        EventTable::backlog_all(&tables, &mut |_| stamps += 1).await.unwrap();
        assert_eq!(stamps, 120_000, "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}
