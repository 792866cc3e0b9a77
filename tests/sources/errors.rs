//! What is told when a source cannot be read.

use crate::bench::{AS_OF, Bench, bench, benches, consumer_config, event_config, table};
use msgrecon::config::{self, Dialect, StateRule};
use msgrecon::source::{Database, ErrorKind, EventTable, SourceError};

async fn create(bench: &Bench) {
    let stamp = bench.pick("TEXT", "timestamptz", "DATETIME");
    bench.run(&format!("CREATE TABLE event (msg_id VARCHAR(40), created_at {stamp}, sent_at {stamp})")).await;
}

fn tells(error: &SourceError, kind: ErrorKind, parts: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.kind, kind, "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[tokio::test]
async fn missing_tables_columns_and_wrong_conditions_are_named() {
    for bench in benches().await {
        create(&bench).await;
        let mut config = event_config();
        config.tables = vec![table("evemt")];
        tells(&bench.events(&config).await.unwrap_err(), ErrorKind::Missing, &["shop", "evemt"]);
        let mut config = event_config();
        config.id = crate::bench::id("message_id", config::IdEncoding::Text);
        tells(
            &bench.events(&config).await.unwrap_err(),
            ErrorKind::Missing,
            &["event", "events.id", "message_id"],
        );
        let mut config = event_config();
        config.filter = Some("topik = 'paid'".to_owned());
        tells(&bench.events(&config).await.unwrap_err(), ErrorKind::Missing, &["events.where", "topik"]);
        let mut config = event_config();
        config.states = vec![(StateRule::Pending, "sent_at IS IS NULL".to_owned())];
        tells(&bench.events(&config).await.unwrap_err(), ErrorKind::Configuration, &["events.pending"]);
        let expects = [None, Some("kind = 'x'".to_owned())];
        let db = bench.open().await;
        let config = event_config();
        let error = EventTable::open(&db, &config.tables[0], &config, &expects, AS_OF).await.unwrap_err();
        tells(&error, ErrorKind::Missing, &["consumers[1].expects", "kind"]);
        tells(&bench.receipts(&consumer_config()).await.unwrap_err(), ErrorKind::Missing, &["consumed"]);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn an_account_without_rights_is_denied() {
    for bench in benches().await {
        if bench.dialect == Dialect::Sqlite {
            continue;
        }
        create(&bench).await;
        let (user, url) = bench.account("S3cretPw").await;
        let config = config::Database { url: url.clone().into(), ..bench.config() };
        let db = Database::connect(&config).await.unwrap();
        let events = event_config();
        let error = EventTable::open(&db, &events.tables[0], &events, &[], AS_OF).await.unwrap_err();
        tells(&error, ErrorKind::Denied, &["event", &user, "SELECT"]);
        db.close().await;
        let wrong = url.replace("S3cretPw", "Wr0ngPw");
        let error =
            Database::connect(&config::Database { url: wrong.into(), ..config.clone() }).await.unwrap_err();
        tells(&error, ErrorKind::Denied, &["shop", &user]);
        assert!(!error.to_string().contains("Wr0ngPw") && !format!("{error:?}").contains("Wr0ngPw"));
        bench.remove(Some(&user)).await;
    }
}

#[tokio::test]
async fn a_right_on_some_columns_is_enough_for_these() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    create(&bench).await;
    let (user, url) = bench.account("S3cretPw").await;
    bench.run(&format!("GRANT SELECT (msg_id, created_at) ON event TO {user}")).await;
    let db = Database::connect(&config::Database { url: url.into(), ..bench.config() }).await.unwrap();
    let mut events = event_config();
    let error = EventTable::open(&db, &events.tables[0], &events, &[], AS_OF).await.unwrap_err();
    tells(&error, ErrorKind::Denied, &["event"]);
    events.acked_at = None;
    EventTable::open(&db, &events.tables[0], &events, &[], AS_OF).await.unwrap();
    db.close().await;
    bench.remove(Some(&user)).await;
}

/// What is alike is asked for once, but what is wrong with one of them is told of that one.
#[tokio::test]
async fn one_of_several_tables_is_wrong() {
    for bench in benches().await {
        create(&bench).await;
        let ddl = "CREATE TABLE {t} (msg_id VARCHAR(40) NOT NULL PRIMARY KEY, topic VARCHAR(20), status INT, attempts INT, created_at {time} NULL, sent_at {time} NULL)";
        let time = bench.pick("TEXT", "timestamptz", "datetime(6)");
        bench.run(&ddl.replace("{t}", "shard").replace("{time}", time)).await;
        bench
            .run(&ddl.replace("{t}", "bare").replace("{time}", time).replace(" NOT NULL PRIMARY KEY", ""))
            .await;
        bench.run("CREATE TABLE poor (msg_id VARCHAR(40), topic VARCHAR(20))").await;
        let (db, events) = (bench.open().await, event_config());
        let open = async |names: &[&str]| {
            let tables: Vec<_> = names.iter().map(|name| config::Table(vec![(*name).to_owned()])).collect();
            EventTable::open_all(&db, &tables, &events, &[None], AS_OF).await
        };
        let opened = open(&["shard", "bare", "shard"]).await.unwrap();
        let unique: Vec<_> = opened.iter().map(EventTable::ids_unique).collect();
        assert_eq!(unique, [true, false, true], "{:?}", bench.dialect);
        assert_eq!(opened[0].slicing(), opened[1].slicing());
        let error = open(&["shard", "none", "bare"]).await.unwrap_err();
        tells(&error, ErrorKind::Missing, &["none"]);
        let error = open(&["shard", "poor"]).await.unwrap_err();
        tells(&error, ErrorKind::Missing, &["poor", "events.created_at"]);
        assert!(open(&[]).await.unwrap().is_empty());
        db.close().await;
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn no_right_on_one_of_several_tables_is_told_of_that_one() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    create(&bench).await;
    bench.run("CREATE TABLE shard (LIKE event INCLUDING ALL)").await;
    let (user, url) = bench.account("S3cretPw").await;
    bench.run(&format!("GRANT SELECT ON event TO {user}")).await;
    let db = Database::connect(&config::Database { url: url.into(), ..bench.config() }).await.unwrap();
    let tables = ["event", "shard"].map(|name| config::Table(vec![name.to_owned()]));
    let error = EventTable::open_all(&db, &tables, &event_config(), &[], AS_OF).await.unwrap_err();
    tells(&error, ErrorKind::Denied, &["shard"]);
    db.close().await;
    bench.remove(Some(&user)).await;
}

#[tokio::test]
async fn no_error_shows_a_password() {
    let bench = bench(Dialect::Sqlite).await.unwrap();
    let cases = [
        (Dialect::Mysql, "mysql://app:S3cretPw@127.0.0.1:1/db", ErrorKind::Unreachable, "app@127.0.0.1:1/db"),
        (
            Dialect::Postgres,
            "postgres://app:S3cretPw@127.0.0.1:1/db?password=S3cretPw",
            ErrorKind::Unreachable,
            "app@127.0.0.1:1/db",
        ),
        (Dialect::Postgres, "postgres://app:S3cretPw@127.0.0.1:x/db", ErrorKind::Configuration, "shop"),
        (Dialect::Mysql, "mysql://app:S3cret/Pw@127.0.0.1:1/db", ErrorKind::Configuration, "%2F"),
        (
            Dialect::Postgres,
            "postgres://app@127.0.0.1:1/db?passwort=S3cretPw",
            ErrorKind::Configuration,
            "passwort",
        ),
        (
            Dialect::Mysql,
            "mysql://app:S3cretPw@127.0.0.1:1/db?ssl-mode=S3cretPw",
            ErrorKind::Configuration,
            "shop",
        ),
    ];
    for (dialect, url, kind, part) in cases {
        let config = config::Database { dialect, url: url.to_owned().into(), ..bench.config() };
        let started = std::time::Instant::now();
        let error = Database::connect(&config).await.unwrap_err();
        tells(&error, kind, &["shop", part]);
        assert!(!format!("{error} {error:?} {config:?}").contains("S3cret"), "{error:?}");
        assert!(started.elapsed() < std::time::Duration::from_secs(10));
    }
}

#[tokio::test]
async fn a_missing_file_is_unreachable_and_is_not_made() {
    let bench = bench(Dialect::Sqlite).await.unwrap();
    let path = format!("{}.missing", bench.url);
    let error = Database::connect(&config::Database { url: path.clone().into(), ..bench.config() })
        .await
        .unwrap_err();
    tells(&error, ErrorKind::Unreachable, &["shop", "source.db.missing"]);
    assert!(!std::path::Path::new(path.strip_prefix("sqlite://").unwrap()).exists());
}

#[tokio::test]
async fn tls_is_verified_off_this_machine() {
    // A name that is no loopback but leads here: the servers' certificates, if any, do not carry it.
    let Ok(name) = std::fs::read_to_string("/etc/hostname") else { return };
    for bench in benches().await {
        if bench.dialect == Dialect::Sqlite {
            continue;
        }
        let url = bench.url.replace("127.0.0.1", name.trim());
        let config = config::Database { url: url.into(), ..bench.config() };
        let error = Database::connect(&config).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreachable, "{error}");
        bench.remove(None).await;
    }
}
