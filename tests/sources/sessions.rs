//! What sessions promise: read-only, UTC, limited, and how far their data reach.

use crate::bench::{AS_OF, Bench, DAY, at, bench, benches, event_config, execute};
use msgrecon::config::{self, Dialect};
use msgrecon::model::Id;
use msgrecon::model::event::Stamp;
use msgrecon::source::{Database, ErrorKind, EventTable};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

async fn fresh(
    config: &config::Database,
    query: &str,
) -> Result<Option<msgrecon::model::Micros>, (ErrorKind, String)> {
    let config = config::Database { fresh_until: Some(query.to_owned()), ..config.clone() };
    let db = Database::connect(&config).await.unwrap();
    db.fresh_until().await.map_err(|error| (error.kind, error.to_string()))
}

async fn create(bench: &Bench) {
    let stamp = bench.pick("TEXT", "timestamptz", "TIMESTAMP(6) NULL");
    bench.run(&format!("CREATE TABLE event (msg_id VARCHAR(40), created_at {stamp}, sent_at {stamp})")).await;
    let clock = bench.pick("'2026-03-02T23:30:00Z'", "'2026-03-02 23:30+00'", "'2026-03-02 23:30:00'");
    bench.run(&format!("INSERT INTO event VALUES ('m', {clock}, {clock})")).await;
}

#[tokio::test]
async fn nothing_can_be_written_through_a_session() {
    for bench in benches().await {
        create(&bench).await;
        let writes: &[&str] = match bench.dialect {
            Dialect::Sqlite => {
                &["DELETE FROM event RETURNING sent_at", "CREATE TABLE t (a)", "UPDATE event SET msg_id = 1"]
            }
            Dialect::Postgres => {
                &["DELETE FROM event RETURNING sent_at", "CREATE TABLE t ()", "UPDATE event SET msg_id = 1"]
            }
            Dialect::Mysql => &["DELETE FROM event", "CREATE TABLE t (a INT)", "UPDATE event SET msg_id = 1"],
        };
        for write in writes {
            let (_, error) = fresh(&bench.config(), write).await.unwrap_err();
            assert!(
                error.to_lowercase().contains("read") && error.contains("fresh_until"),
                "{:?} {write}: {error}",
                bench.dialect
            );
        }
        let events = bench.events(&event_config()).await.unwrap();
        assert_eq!(events.by_id(&[Id::from_text("m")]).await.unwrap().len(), 1);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn freshness_is_known_or_an_error() {
    for bench in benches().await {
        create(&bench).await;
        let config = bench.config();
        let known = fresh(&config, "SELECT max(sent_at) FROM event").await;
        assert_eq!(known, Ok(Some(at("2026-03-02 23:30:00"))), "{:?}", bench.dialect);
        for query in [
            "SELECT max(sent_at) FROM event WHERE msg_id = 'x'",
            "SELECT sent_at FROM event WHERE msg_id = 'x'",
            "SELECT 'yesterday'",
            "SELECT 1772445600",
            "SELECT nothing FROM nowhere",
            "SELEKT 1",
        ] {
            let (_, error) = fresh(&config, query).await.unwrap_err();
            assert!(error.contains("fresh_until") && error.contains("shop"), "{query}: {error}");
        }
        assert_eq!(bench.open().await.fresh_until().await.unwrap(), None);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn sessions_are_in_utc_whatever_url_role_and_server_say() {
    for bench in benches().await {
        create(&bench).await;
        let mut urls = vec![bench.url.clone()];
        match bench.dialect {
            Dialect::Sqlite => continue,
            Dialect::Postgres => {
                let (_, database) = bench.url.rsplit_once('/').unwrap();
                bench.run(&format!("ALTER DATABASE {database} SET timezone = 'Asia/Shanghai'")).await;
                urls.push(format!("{}?options[TimeZone]=Asia/Shanghai", bench.url));
            }
            Dialect::Mysql => {
                bench.run("SET GLOBAL time_zone = '+08:00'").await;
                urls.push(format!("{}?timezone=%2B08:00", bench.url));
            }
        }
        for url in urls {
            let config = config::Database { url: url.clone().into(), ..bench.config() };
            let db = Database::connect(&config).await.unwrap();
            let table = &event_config().tables[0];
            let events = EventTable::open(&db, table, &event_config(), &[], AS_OF).await.unwrap();
            let found = events.read(DAY, 9).await.unwrap().unwrap();
            assert_eq!(found[0].acked, Stamp::At(at("2026-03-02 23:30:00")), "{:?}", bench.dialect);
            db.close().await;
        }
        if bench.dialect == Dialect::Mysql {
            bench.run("SET GLOBAL time_zone = 'SYSTEM'").await;
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn zone_less_columns_mean_what_is_declared_whatever_the_role_says() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    let (_, database) = bench.url.rsplit_once('/').unwrap();
    bench.run("CREATE TABLE event (msg_id text, created_at timestamp, sent_at timestamp)").await;
    bench.run("INSERT INTO event VALUES ('p1', '2026-03-02 23:30', '2026-03-02 23:30')").await;
    for zone in ["Asia/Shanghai", "UTC"] {
        bench.run(&format!("ALTER DATABASE {database} SET timezone = '{zone}'")).await;
        let events = bench.events(&event_config()).await.unwrap();
        let found = events.read(DAY, 9).await.unwrap().unwrap();
        assert_eq!(found[0].acked, Stamp::At(at("2026-03-02 23:30:00")));
    }
    bench.remove(None).await;
}

#[tokio::test]
async fn a_slow_statement_is_cancelled_tried_again_a_little_and_reported() {
    for bench in benches().await {
        let slow = match bench.dialect {
            Dialect::Sqlite => continue,
            Dialect::Postgres => "SELECT pg_sleep(30)::text AS msg_id, now() AS created_at, now() AS sent_at",
            Dialect::Mysql => "SELECT SLEEP(30) AS msg_id, NOW() AS created_at, NOW() AS sent_at",
        };
        bench.run(&format!("CREATE VIEW event AS {slow}")).await;
        let config = config::Database { statement_timeout_ms: 200, ..bench.config() };
        let db = Database::connect(&config).await.unwrap();
        let started = Instant::now();
        let table = &event_config().tables[0];
        let outcome = match EventTable::open(&db, table, &event_config(), &[], AS_OF).await {
            Ok(events) => events.by_id(&[Id::from_text("0")]).await.map(|_| ()),
            Err(error) => Err(error),
        };
        let error = outcome.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Transient, "{error}");
        assert!(error.to_string().contains("event"), "{error}");
        let waited = started.elapsed();
        assert!(waited > Duration::from_millis(600) && waited < Duration::from_secs(20), "{waited:?}");
        // The connections are still good.
        let query = bench.pick("", "SELECT now()", "SELECT UTC_TIMESTAMP()");
        assert!(fresh(&config, query).await.unwrap().is_some());
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn the_accounts_own_limit_stands_where_it_is_smaller() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    let (_, database) = bench.url.rsplit_once('/').unwrap();
    let limit = "SELECT now() FROM pg_settings WHERE name = 'statement_timeout' AND setting = ";
    for (theirs, ours, expected) in
        [("200ms", 10_000, "200"), ("0", 10_000, "10000"), ("1min", 10_000, "10000"), ("300ms", 0, "300")]
    {
        bench.run(&format!("ALTER DATABASE {database} SET statement_timeout = '{theirs}'")).await;
        let config = config::Database { statement_timeout_ms: ours, ..bench.config() };
        assert!(fresh(&config, &format!("{limit}'{expected}'")).await.is_ok(), "{theirs} {ours}");
    }
    bench.remove(None).await;
}

#[tokio::test]
async fn a_lost_connection_is_replaced() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    create(&bench).await;
    let db = bench.open().await;
    let table = &event_config().tables[0];
    let events = EventTable::open(&db, table, &event_config(), &[], AS_OF).await.unwrap();
    assert_eq!(events.read(DAY, 9).await.unwrap().unwrap().len(), 1);
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'msgrecon' AND datname = current_database()";
    execute(bench.dialect, &bench.url, kill).await.unwrap();
    assert_eq!(events.read(DAY, 9).await.unwrap().unwrap().len(), 1);
    db.close().await;
    bench.remove(None).await;
}

#[tokio::test]
async fn a_connection_that_dies_in_the_middle_gives_an_error_and_no_rows() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    bench
        .run(
            "CREATE VIEW event AS SELECT timestamptz '2026-03-02 10:00+00' AS created_at, NULL::timestamptz AS sent_at,
                 CASE WHEN i = 20000 THEN pg_terminate_backend(pg_backend_pid())::text ELSE 'm' || i END AS msg_id
             FROM generate_series(1, 30000) AS i",
        )
        .await;
    let events = bench.events(&event_config()).await.unwrap();
    let error = events.read(DAY, 100_000).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Transient, "{error}");
    let mut stamps = 0;
    let error = events.backlog(&mut |_| stamps += 1).await.unwrap_err();
    assert!(error.kind == ErrorKind::Transient && stamps < 30_000, "{stamps} {error}");
    bench.remove(None).await;
}

#[tokio::test]
async fn the_readers_of_a_pool_do_not_wait_for_each_other() {
    for bench in benches().await {
        create(&bench).await;
        let db = bench.open().await;
        let config = event_config();
        let open = || EventTable::open(&db, &config.tables[0], &config, &[], AS_OF);
        let (one, two) = tokio::join!(open(), open());
        let (one, two) = (one.unwrap(), two.unwrap());
        let (a, b) = tokio::join!(one.read(DAY, 9), two.read(DAY, 9));
        assert_eq!(a.unwrap().unwrap().len() + b.unwrap().unwrap().len(), 2);
        bench.remove(None).await;
    }
}

/// The futures can be spawned.
#[tokio::test]
async fn reading_can_move_between_threads() {
    for bench in benches().await {
        create(&bench).await;
        let events = bench.events(&event_config()).await.unwrap();
        let read = tokio::spawn(async move { events.read(DAY, 9).await.map(|rows| rows.unwrap().len()) });
        assert_eq!(read.await.unwrap().unwrap(), 1);
        bench.remove(None).await;
    }
}

/// Ends the session of this number from outside.
async fn end(bench: &Bench, number: i64) {
    let sql = match bench.dialect {
        Dialect::Postgres => format!("SELECT pg_terminate_backend({number})"),
        _ => format!("KILL {number}"),
    };
    bench.run(&sql).await;
}

/// One session serves statements that come one after the other, so that each is prepared once; and nobody minds if it was
/// ended between two of them.
#[tokio::test]
async fn the_session_that_was_used_last_is_used_again_while_it_is_there() {
    for bench in benches().await.into_iter().filter(|bench| bench.dialect != Dialect::Sqlite) {
        let own_number = bench.pick(
            "",
            "SELECT to_timestamp(1600000000 + pg_backend_pid())",
            "SELECT FROM_UNIXTIME(1600000000 + CONNECTION_ID())",
        );
        let config = config::Database { fresh_until: Some(own_number.to_owned()), ..bench.config() };
        let db = Database::connect(&config).await.unwrap();
        let number = async || (db.fresh_until().await.unwrap().unwrap().0 / 1_000_000) - 1_600_000_000;
        let first = number().await;
        for _ in 0..5 {
            assert_eq!(number().await, first, "{:?}", bench.dialect);
        }
        end(&bench, first).await;
        let second = number().await;
        assert_ne!(second, first, "{:?}", bench.dialect);
        assert_eq!(number().await, second, "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

/// Where all sessions were ended at once, none of them is taken for there, however many there are.
#[tokio::test]
async fn sessions_that_ended_together_cost_one_attempt_more() {
    for bench in benches().await.into_iter().filter(|bench| bench.dialect != Dialect::Sqlite) {
        let own_number = bench.pick(
            "",
            "SELECT to_timestamp(1600000000 + pg_backend_pid()) FROM pg_sleep(0.3)",
            "SELECT FROM_UNIXTIME(1600000000 + CONNECTION_ID()) FROM (SELECT SLEEP(0.3)) AS slept",
        );
        let fresh_until = Some(own_number.to_owned());
        let config = config::Database { fresh_until, max_connections: 6, ..bench.config() };
        let db = Database::connect(&config).await.unwrap();
        let number = async || (db.fresh_until().await.unwrap().unwrap().0 / 1_000_000) - 1_600_000_000;
        let all: BTreeSet<i64> =
            futures_util::future::join_all((0..6).map(|_| number())).await.into_iter().collect();
        assert_eq!(all.len(), 6, "{:?}: side by side", bench.dialect);
        for number in &all {
            end(&bench, *number).await;
        }
        assert!(!all.contains(&number().await), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}
