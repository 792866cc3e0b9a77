//! Which events a slice gives, and what of them.

use crate::bench::{AS_OF, Bench, DAY, at, bench, benches, event_config, id, time};
use msgrecon::config::{self, Dialect, Expression, IdEncoding, StateRule, TimeFormat};
use msgrecon::model::bulk::Slim;
use msgrecon::model::event::Stamp;
use msgrecon::model::{Event, Id, Micros, Span, State};
use msgrecon::source::EventTable;

pub async fn create(bench: &Bench) {
    let stamp = bench.pick("TEXT", "timestamptz", "DATETIME(6)");
    let create = format!(
        "CREATE TABLE event (msg_id VARCHAR(64) PRIMARY KEY, topic VARCHAR(20) NOT NULL DEFAULT 'paid', status INTEGER,
         tries INTEGER, created_at {stamp}, sent_at {stamp})"
    );
    bench.run(&create).await;
    bench.run("CREATE INDEX event_sent ON event (sent_at)").await;
    bench.run("CREATE INDEX event_created ON event (created_at)").await;
}

pub fn names(events: &[Event]) -> Vec<String> {
    let mut names: Vec<_> =
        events.iter().map(|event| event.id.as_ref().map_or("NULL".into(), Id::to_string)).collect();
    names.sort();
    names
}

pub fn zoned(bench: &Bench, clock: &str) -> String {
    format!("'{clock}{}'", bench.pick("", "+00", ""))
}

/// In the short form a slice holds the rows that it holds as rows; gives how many were in the short form.
async fn short_is_the_same(events: &EventTable) -> usize {
    let facts =
        |event: &Event| (event.id.as_ref().map(ToString::to_string), event.acked.at(), event.expected_by);
    let mut rows: Vec<_> = events.read(DAY, 1_000).await.unwrap().unwrap().iter().map(facts).collect();
    let slice = events.read_slice(DAY, 1_000, true).await.unwrap().unwrap();
    let mut both: Vec<_> = slice.rows.iter().map(facts).collect();
    for group in &slice.short {
        let short = |row: &Slim| (Some(group.rows.id(row).to_string()), Some(row.at), group.expected_by);
        both.extend(group.rows.rows().iter().map(short));
    }
    rows.sort();
    both.sort();
    assert_eq!(both, rows);
    slice.len() - slice.rows.len()
}

#[tokio::test]
async fn slices_are_half_open_disjoint_and_complete() {
    for bench in benches().await {
        create(&bench).await;
        let rows = [
            ("b0", "2026-03-01 23:59:59.999999"),
            ("b1", "2026-03-02 00:00:00"),
            ("b2", "2026-03-02 23:59:59.999999"),
            ("b3", "2026-03-03 00:00:00"),
        ];
        for (id, sent) in rows {
            let sent = zoned(&bench, sent);
            bench
                .run(&format!(
                    "INSERT INTO event (msg_id, created_at, sent_at) VALUES ('{id}', {sent}, {sent})"
                ))
                .await;
        }
        let events = bench.events(&event_config()).await.unwrap();
        let slicing = events.slicing();
        assert!(!slicing.whole);
        assert_eq!(slicing.margin > 0, bench.dialect == Dialect::Sqlite);
        let whole = Span::new(DAY.from.plus(-1_000_000), DAY.until.plus(1_000_000));
        assert_eq!(names(&events.read(whole, 100).await.unwrap().unwrap()), ["b0", "b1", "b2", "b3"]);
        assert_eq!(
            names(&events.read(DAY, 100).await.unwrap().unwrap()),
            ["b1", "b2"],
            "{:?}",
            bench.dialect
        );
        let middle = Micros(i64::midpoint(DAY.from.0, DAY.until.0));
        let halves = [Span::new(DAY.from, middle), Span::new(middle, DAY.until)];
        assert_eq!(names(&events.read(halves[0], 100).await.unwrap().unwrap()), ["b1"]);
        assert_eq!(names(&events.read(halves[1], 100).await.unwrap().unwrap()), ["b2"]);
        assert!(events.read(DAY, 1).await.unwrap().is_none());
        assert!(events.read(DAY, 2).await.unwrap().is_some());
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn an_event_without_a_usable_ack_is_found_by_its_creation() {
    for bench in benches().await {
        create(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        let other_day = zoned(&bench, "2026-03-01 10:00:00");
        let far = zoned(&bench, "2126-03-02 10:00:00");
        let old = zoned(&bench, "1970-06-01 10:00:00");
        for (id, created, sent) in [
            ("acked", &other_day, &ten),
            ("acked-yesterday", &ten, &other_day),
            ("pending", &ten, &"NULL".to_owned()),
            ("far", &ten, &far),
            ("old", &ten, &old),
            ("undated", &"NULL".to_owned(), &"NULL".to_owned()),
            ("undated-far", &far, &far),
        ] {
            bench
                .run(&format!(
                    "INSERT INTO event (msg_id, created_at, sent_at) VALUES ('{id}', {created}, {sent})"
                ))
                .await;
        }
        let events = bench.events(&event_config()).await.unwrap();
        assert!(short_is_the_same(&events).await > 0, "{:?}", bench.dialect);
        let found = events.read(DAY, 100).await.unwrap().unwrap();
        assert_eq!(names(&found), ["acked", "far", "old", "pending"], "{:?}", bench.dialect);
        let by_name = |name: &str| found.iter().find(|event| event.id == Some(Id::from_text(name))).unwrap();
        assert_eq!(by_name("far").acked, Stamp::Unusable);
        assert_eq!(by_name("old").acked, Stamp::Unusable);
        assert_eq!(by_name("pending").acked, Stamp::None);
        assert_eq!(by_name("pending").placed(), Some(at("2026-03-02 10:00:00")));
        assert_eq!((by_name("acked").state, by_name("pending").state), (State::Acked, State::Pending));
        assert_eq!(names(&events.undated(100).await.unwrap()), ["undated", "undated-far"]);
        assert_eq!(events.undated(1).await.unwrap().len(), 1);
        bench.remove(None).await;
    }
}

/// Where few events are not acked they are read with the first slice, and are as they were then; where very many wait, they
/// are read slice by slice. The two ways find the same.
#[tokio::test]
async fn few_unacked_events_are_read_at_once_and_many_slice_by_slice() {
    for bench in benches().await {
        let time_type = bench.pick("INTEGER", "bigint", "BIGINT");
        let id_type = bench.pick("TEXT", "text", "VARCHAR(40)");
        bench
            .run(&format!("CREATE TABLE event (msg_id {id_type} PRIMARY KEY, created_at {time_type}, sent_at {time_type})"))
            .await;
        bench.run("CREATE INDEX event_sent ON event (sent_at)").await;
        bench.run("CREATE INDEX event_created ON event (created_at)").await;
        let (day, later) = (DAY.from.0 / 1_000 + 1, DAY.until.0 / 1_000 + 1);
        let many = async |prefix: &str, rows: std::ops::Range<u32>, created: i64, sent: &str| {
            let rows: Vec<_> = rows.map(|row| format!("('{prefix}{row}', {created}, {sent})")).collect();
            for part in rows.chunks(5_000) {
                bench.run(&format!("INSERT INTO event VALUES {}", part.join(", "))).await;
            }
            bench.run(bench.pick("ANALYZE", "ANALYZE event", "ANALYZE TABLE event")).await;
        };
        let one = async |id: &str, created: i64, sent: &str| {
            bench.run(&format!("INSERT INTO event VALUES ('{id}', {created}, {sent})")).await;
        };
        for (id, created, sent) in [
            ("acked", day, day.to_string()),
            ("today", day, "NULL".to_owned()),
            ("far", day, format!("9{day}")),
            ("tomorrow", later, "NULL".to_owned()),
            ("undated", 0, "NULL".to_owned()),
        ] {
            one(id, created, &sent).await;
        }
        many("a", 0..40_000, later, &later.to_string()).await;
        let millis = |column: &str| Some(time(column, TimeFormat::EpochMillis));
        let config = config::Events {
            created_at: millis("created_at"),
            acked_at: millis("sent_at"),
            ..event_config()
        };
        let read = async |events: &EventTable| names(&events.read(DAY, 100).await.unwrap().unwrap());
        let few = bench.events(&config).await.unwrap();
        assert_eq!(read(&few).await, ["acked", "far", "today"], "{:?}", bench.dialect);
        one("new", day, "NULL").await;
        assert_eq!(read(&few).await, ["acked", "far", "today"], "as it was: {:?}", bench.dialect);
        assert_eq!(read(&bench.events(&config).await.unwrap()).await, ["acked", "far", "new", "today"]);
        many("p", 0..10_000, later, "NULL").await;
        let slices = bench.events(&config).await.unwrap();
        assert_eq!(read(&slices).await, ["acked", "far", "new", "today"], "{:?}", bench.dialect);
        one("newer", day, "NULL").await;
        assert_eq!(read(&slices).await, ["acked", "far", "new", "newer", "today"], "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

/// A table like the one of [`create`], and another.
/// The first slice that holds rows that do not fit is asked for again, and the next ones are asked for with that in mind.
#[tokio::test]
async fn rows_that_do_not_fit_are_never_put_together() {
    for bench in benches().await {
        create(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        let row = |id: &str, status: u8| {
            format!(
                "INSERT INTO event (msg_id, status, created_at, sent_at) VALUES ('{id}', {status}, {ten}, {ten})"
            )
        };
        bench.run(&row("a", 1)).await;
        let config =
            config::Events { states: vec![(StateRule::Acked, "status = 1".to_owned())], ..event_config() };
        let events = bench.events(&config).await.unwrap();
        assert_eq!(short_is_the_same(&events).await, 1, "{:?}", bench.dialect);
        for (id, status, fitting) in [("failed", 2, 1), ("b", 1, 2), ("later", 0, 2)] {
            bench.run(&row(id, status)).await;
            assert_eq!(short_is_the_same(&events).await, fitting, "{id}: {:?}", bench.dialect);
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn states_flows_attempts_and_expectations() {
    for bench in benches().await {
        create(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        for (id, topic, status) in
            [("a", "paid", 1), ("p", "paid", 0), ("f", "paid", 2), ("u", "paid", 9), ("x", "other", 1)]
        {
            bench
                .run(&format!(
                    "INSERT INTO event VALUES ('{id}', '{topic}', {status}, 3, {ten}, {})",
                    if status == 1 { &ten } else { "NULL" }
                ))
                .await;
        }
        let mut config = event_config();
        config.filter = Some("topic = 'paid' -- the flow".to_owned());
        config.attempts = Some("tries".to_owned());
        config.states = vec![
            (StateRule::Acked, "status = 1".to_owned()),
            (StateRule::Pending, "status = 0".to_owned()),
            (StateRule::Failed, "status = 2".to_owned()),
        ];
        let mut expects = vec![None; 64];
        expects[1] = Some("msg_id = 'a'".to_owned());
        expects[33] = Some("msg_id <> 'a'".to_owned());
        expects[63] = Some("status IS NULL".to_owned());
        let db = bench.open().await;
        let events = EventTable::open(&db, &config.tables[0], &config, &expects, AS_OF).await.unwrap();
        assert!(short_is_the_same(&events).await > 0, "{:?}", bench.dialect);
        let found = events.read(DAY, 100).await.unwrap().unwrap();
        assert_eq!(names(&found), ["a", "f", "p", "u"]);
        let all = !(1 << 63);
        for event in &found {
            let (state, expected) = match event.id.as_ref().unwrap().to_string().as_str() {
                "a" => (State::Acked, all & !(1 << 33)),
                "p" => (State::Pending, all & !(1 << 1)),
                "f" => (State::Failed, all & !(1 << 1)),
                _ => (State::Unknown, all & !(1 << 1)),
            };
            assert_eq!((event.state, event.expected_by), (state, expected), "{:?} {event:?}", bench.dialect);
            assert_eq!((event.attempts, event.in_flow), (Some(3), true));
        }
        let other =
            events.by_id(&[Id::from_text("x"), Id::from_text("a"), Id::from_text("a")]).await.unwrap();
        assert_eq!(names(&other), ["a", "x"]);
        assert!(other.iter().all(|event| event.in_flow == (event.id == Some(Id::from_text("a")))));
        let mut backlog = Vec::new();
        events.backlog(&mut |stamp| backlog.push(stamp)).await.unwrap();
        assert_eq!(backlog, [Stamp::At(at("2026-03-02 10:00:00"))]);
        for (name, text) in events.statements(DAY) {
            assert!(text.starts_with(&format!("/* msgrecon {name} */")), "{name}: {text}");
            bench.run(&format!("EXPLAIN {text}")).await;
        }
        db.close().await;
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn the_backlog_has_every_pending_row_whatever_its_window() {
    for bench in benches().await {
        create(&bench).await;
        let (old, new) = (zoned(&bench, "2025-01-01 00:00:00"), zoned(&bench, "2026-03-02 10:00:00"));
        bench
            .run(&format!(
                "INSERT INTO event (msg_id, created_at, sent_at) VALUES ('old', {old}, NULL), ('new', {new}, NULL),
                 ('never', NULL, NULL), ('sent', {new}, {new})"
            ))
            .await;
        let events = bench.events(&event_config()).await.unwrap();
        let (mut count, mut usable) = (0, 0);
        events
            .backlog(&mut |stamp| {
                count += 1;
                usable += usize::from(stamp.at().is_some());
            })
            .await
            .unwrap();
        assert_eq!((count, usable), (3, 2), "{:?}", bench.dialect);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn one_time_column_alone_is_enough() {
    for bench in benches().await {
        create(&bench).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        bench
            .run(&format!(
                "INSERT INTO event (msg_id, created_at, sent_at) VALUES ('both', {ten}, {ten}), ('new', {ten}, NULL)"
            ))
            .await;
        let mut config = event_config();
        config.acked_at = None;
        let events = bench.events(&config).await.unwrap();
        assert_eq!(names(&events.read(DAY, 9).await.unwrap().unwrap()), ["both", "new"]);
        assert!(events.undated(9).await.unwrap().is_empty());
        let mut config = event_config();
        config.created_at = None;
        let events = bench.events(&config).await.unwrap();
        assert_eq!(names(&events.read(DAY, 9).await.unwrap().unwrap()), ["both"]);
        // What waits for its ack has no time by nature here: it is backlog, and nothing to mend.
        assert!(events.undated(9).await.unwrap().is_empty());
        let mut waiting = 0;
        events.backlog(&mut |_| waiting += 1).await.unwrap();
        assert_eq!(waiting, 1);
        config.acked_at = None;
        assert!(bench.events(&config).await.unwrap().slicing().whole);
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn infinity_is_unusable_and_nothing_overflows() {
    let Some(bench) = bench(Dialect::Postgres).await else { return };
    create(&bench).await;
    bench
        .run(
            "INSERT INTO event (msg_id, created_at, sent_at) VALUES
             ('i1', '2026-03-02 09:00+00', 'infinity'), ('i2', '2026-03-02 09:05+00', '-infinity'),
             ('i3', '2026-03-02 10:00+00', '2026-03-02 10:00+00'), ('i4', 'infinity', '-infinity')",
        )
        .await;
    let events = bench.events(&event_config()).await.unwrap();
    let found = events.read(DAY, 9).await.unwrap().unwrap();
    assert_eq!(names(&found), ["i1", "i2", "i3"]);
    assert!(
        found.iter().all(|event| (event.acked == Stamp::Unusable) != (event.id == Some(Id::from_text("i3"))))
    );
    assert_eq!(names(&events.undated(9).await.unwrap()), ["i4"]);
    bench.remove(None).await;
}

#[tokio::test]
async fn zero_dates_are_not_yet_and_half_dates_are_unusable() {
    let Some(bench) = bench(Dialect::Mysql).await else { return };
    for zone in [chrono_tz::UTC, chrono_tz::Europe::Berlin] {
        bench
            .run(
                "SET sql_mode = ''; DROP TABLE IF EXISTS event;
                 CREATE TABLE event (msg_id VARCHAR(64), created_at DATETIME NULL,
                     sent_at DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00', KEY (sent_at), KEY (created_at));
                 INSERT INTO event (msg_id, created_at) VALUES ('z1', '2026-03-02 10:00:00');
                 INSERT INTO event VALUES ('z3', '2026-03-02 10:00:00', '2026-00-15 00:00:00'),
                     ('z4', '2026-03-02 10:00:00', '2026-03-02 10:00:01'), ('z6', NULL, '2026-03-00 00:00:00'),
                     ('z8', '2026-03-02 10:00:00', '2015-00-15 00:00:00'), ('z9', NULL, '1999-07-00 00:00:00'),
                     ('z7', '0000-00-00 00:00:00', '0000-00-00 00:00:00')",
            )
            .await;
        let mut config = event_config();
        for column in [&mut config.created_at, &mut config.acked_at] {
            column.as_mut().unwrap().time_zone = Some(zone);
        }
        let events = bench.events(&config).await.unwrap();
        short_is_the_same(&events).await;
        let found = events.read(DAY, 9).await.unwrap().unwrap();
        assert_eq!(names(&found), ["z1", "z3", "z4", "z8"]);
        let acked =
            |name: &str| found.iter().find(|event| event.id == Some(Id::from_text(name))).unwrap().acked;
        assert_eq!([acked("z1"), acked("z3"), acked("z8")], [Stamp::None, Stamp::Unusable, Stamp::Unusable]);
        assert!(acked("z4").at().is_some());
        assert_eq!(names(&events.undated(9).await.unwrap()), ["z6", "z7", "z9"]);
        let mut backlog = 0;
        events.backlog(&mut |_| backlog += 1).await.unwrap();
        assert_eq!(backlog, 2);
        config.created_at = None;
        let events = bench.events(&config).await.unwrap();
        assert_eq!(names(&events.undated(9).await.unwrap()), ["z3", "z6", "z8", "z9"]);
    }
    bench.remove(None).await;
}

#[tokio::test]
async fn hostile_names_and_expressions_are_read() {
    for bench in benches().await {
        let quote = |name: &str| match bench.dialect {
            Dialect::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
            _ => format!("`{}`", name.replace('`', "``")),
        };
        let (table, column) = ("ev`e\"nt; DROP", "i`d\" --");
        let stamp = bench.pick("TEXT", "timestamptz", "DATETIME");
        bench.run(&format!("CREATE TABLE {} ({} VARCHAR(64), c {stamp})", quote(table), quote(column))).await;
        let ten = zoned(&bench, "2026-03-02 10:00:00");
        bench.run(&format!("INSERT INTO {} VALUES ('m?1', {ten})", quote(table))).await;
        let mut config = event_config();
        config.tables = vec![crate::bench::table(table)];
        config.id = id(column, IdEncoding::Text);
        config.created_at = Some(time("c", TimeFormat::Native));
        config.acked_at = None;
        let events = bench.events(&config).await.unwrap();
        assert_eq!(names(&events.read(DAY, 9).await.unwrap().unwrap()), ["m?1"], "{:?}", bench.dialect);
        assert_eq!(names(&events.by_id(&[Id::from_text("m?1")]).await.unwrap()), ["m?1"]);
        config.id.expression = Expression::Sql(format!("upper({}) -- ids", quote(column)));
        let events = bench.events(&config).await.unwrap();
        assert_eq!(names(&events.by_id(&[Id::from_text("M?1")]).await.unwrap()), ["M?1"]);
        bench.remove(None).await;
    }
}
