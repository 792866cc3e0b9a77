//! Files that load, and what they mean.

use super::*;
use crate::config::notify::{HeartbeatKind, SmtpTls, Transport, When};
use crate::config::{
    AfterAck, Bound, Dialect, Expression, Guard, IdColumn, IdEncoding, Pace, Pause, StateRule, Table,
    Threshold, TimeColumn, TimeFormat, Wanted,
};
use crate::model::time::{DAY, HOUR, MINUTE, SECOND};
use chrono_tz::Tz;
use proptest::prelude::*;
use secrecy::ExposeSecret;

fn table(name: &str) -> Vec<Table> {
    vec![Table(vec![name.to_owned()])]
}

fn id(name: &str) -> IdColumn {
    IdColumn { expression: Expression::Column(name.to_owned()), encoding: IdEncoding::Text }
}

fn time(name: &str) -> TimeColumn {
    let expression = Expression::Column(name.to_owned());
    TimeColumn { expression, format: TimeFormat::Native, time_zone: None }
}

fn loaded(text: &str) -> Config {
    parsed(text).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_example_has_its_databases() {
    let config = loaded(EXAMPLE);
    assert_eq!(config.time_zone, Tz::Asia__Shanghai);
    assert_eq!(config.ledger.url.expose_secret(), "sqlite:///etc/msgrecon/msgrecon.db");
    assert_eq!(config.databases.keys().collect::<Vec<_>>(), ["orders", "points"]);
    let orders = &config.databases["orders"];
    assert_eq!((orders.name.as_str(), orders.dialect), ("orders", Dialect::Postgres));
    assert_eq!(orders.url.expose_secret(), "postgres://orders:0rdersPw@orders-db/orders");
    assert_eq!(orders.time_zone, Some(Tz::Asia__Shanghai));
    assert_eq!((orders.statement_timeout_ms, orders.max_connections), (60_000, 4));
    assert_eq!(orders.fresh_until.as_deref(), Some("SELECT max(beat_at) FROM heartbeat"));
    let points = &config.databases["points"];
    assert_eq!(points.dialect, Dialect::Mysql);
    assert_eq!(points.url.expose_secret(), "mysql://points:p0intsPw@points-db/points");
    assert_eq!((points.time_zone, points.fresh_until.as_deref()), (None, None));
}

#[test]
fn the_example_has_its_flow() {
    let config = loaded(EXAMPLE);
    let [flow] = config.flows.as_slice() else { panic!("{:?}", config.flows) };
    assert_eq!(flow.name, "order-paid");
    assert_eq!((flow.window, flow.grace, flow.late_after), (HOUR, 15 * MINUTE, Some(5 * MINUTE)));
    assert_eq!((flow.stuck_after, flow.recheck), (10 * MINUTE, DAY));
    assert_eq!(flow.start.unwrap().to_rfc3339(), "2025-12-31T16:00:00Z");
    let events = &flow.events;
    assert_eq!((events.database.as_str(), &events.tables), ("orders", &table("event")));
    assert_eq!(events.filter.as_deref(), Some("topic = 'order_paid'"));
    assert_eq!(events.id, id("msg_id"));
    assert_eq!((&events.created_at, &events.acked_at), (&Some(time("created_at")), &Some(time("sent_at"))));
    let states = [
        (StateRule::Acked, "status = 1"),
        (StateRule::Pending, "status = 0"),
        (StateRule::Failed, "status = 2"),
    ];
    assert_eq!(events.states, states.map(|(rule, sql)| (rule, sql.to_owned())));
    assert_eq!((events.attempts.as_deref(), events.after_ack), (Some("retry_count"), AfterAck::Keep));
    let threshold = |warn, fail, min_volume| Threshold { warn, fail, min_volume, ..Threshold::default() };
    let thresholds = [
        ("missing", threshold(Some(Bound::Count(1)), Some(Bound::Ratio(0.001)), 1000)),
        ("oldest_pending", threshold(Some(Bound::Duration(10 * MINUTE)), Some(Bound::Duration(HOUR)), 0)),
        ("stuck", threshold(None, Some(Bound::Count(1)), 0)),
    ];
    assert!(flow.thresholds.iter().map(|(name, bounds)| (name.as_str(), *bounds)).eq(thresholds));
}

#[test]
fn the_example_has_its_consumer() {
    let config = loaded(EXAMPLE);
    let [consumer] = config.flows[0].consumers.as_slice() else { panic!("not one consumer") };
    assert_eq!((consumer.name.as_str(), consumer.database.as_str()), ("points", "points"));
    assert_eq!((&consumer.tables, consumer.filter.as_deref()), (&table("consumed_message"), None));
    assert_eq!(consumer.consumer_column.as_deref(), Some("consumer"));
    assert_eq!((&consumer.id, &consumer.consumed_at), (&id("msg_id"), &Some(time("consumed_at"))));
    assert_eq!(
        (consumer.retention, consumer.aliases.as_slice()),
        (Some(7 * DAY), &["points-v1".to_owned()][..])
    );
    assert_eq!(consumer.original_id, Some(id("original_id")));
    assert_eq!(consumer.since.unwrap().to_rfc3339(), "2025-12-31T16:00:00Z");
    assert_eq!((consumer.until, consumer.expects.as_deref()), (None, Some("event_type = 'paid'")));
    let dead = consumer.dead_letters.as_ref().unwrap();
    assert_eq!((dead.database.as_str(), vec![dead.table.clone()]), ("points", table("dead_letter")));
    assert_eq!(dead.filter.as_deref(), Some("consumer = 'points'"));
    assert_eq!((&dead.id, &dead.dead_at), (&id("msg_id"), &Some(time("failed_at"))));
    assert_eq!(dead.closed.as_deref(), Some("discarded_at IS NOT NULL"));
    assert_eq!(dead.reason.as_deref(), Some("error"));
}

#[test]
fn a_database_has_its_pace_and_a_run_its_pause() {
    let pace = "url = 'mysql://h/d'\nmax_rows_per_second = 20_000\nslice_time = '0.25s'\nfull_scan_rows = 5\n\
                allow_full_scan = true\nguard = { max_running = 25, max_lag = '30s', lag = 'SELECT 1', every = '2s', wait = '1m' }\n";
    let text = least("url = \"sqlite://shop.db\"\n", pace);
    let config = loaded(&format!("pause_file = 'hold'\npause_max = '2h'\n{text}"));
    let guard = Guard {
        max_running: Some(25),
        running: None,
        max_lag: Some(30 * SECOND),
        lag: Some("SELECT 1".to_owned()),
        every: 2 * SECOND,
        wait: MINUTE,
    };
    let pace = Pace {
        max_rows_per_second: Some(20_000),
        slice_time: SECOND / 4,
        full_scan_rows: 5,
        allow_full_scan: true,
        guard: Some(guard),
    };
    assert_eq!(config.databases["shop"].pace, pace);
    assert_eq!(config.pause, Pause { file: Some("/etc/msgrecon/hold".into()), longest: 2 * HOUR });
}

#[test]
fn what_is_not_written_has_its_default() {
    let config = loaded(LEAST);
    let flow = &config.flows[0];
    assert_eq!(config.time_zone, Tz::UTC);
    assert_eq!(config.ledger.url.expose_secret(), "sqlite:///etc/msgrecon/msgrecon.db");
    assert_eq!((flow.window, flow.grace, flow.late_after), (HOUR, 15 * MINUTE, None));
    assert_eq!((flow.stuck_after, flow.recheck, flow.start), (10 * MINUTE, DAY, None));
    assert!(flow.thresholds.is_empty() && flow.events.states.is_empty());
    assert_eq!(flow.events.after_ack, AfterAck::Keep);
    assert!(flow.consumers[0].dead_letters.is_none());
}

#[test]
fn rules_keep_the_order_of_the_file() {
    let text = least("id = \"id\"", "failed = 'c'\nacked = 'a'\nid = 'id'\npending = 'b'");
    let rules: Vec<_> = loaded(&text).flows[0].events.states.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, [StateRule::Failed, StateRule::Acked, StateRule::Pending]);
}

#[test]
fn columns_may_be_expressions() {
    let text = least("id = \"id\"", "id = { sql = 'hex(id)', encoding = 'uuid' }")
        .replace("\"at\"", "{ column = 'ts', format = '%d/%m/%Y %H:%M', time_zone = 'Europe/Paris' }");
    let events = &loaded(&text).flows[0].events;
    let sql = Expression::Sql("hex(id)".to_owned());
    assert_eq!(events.id, IdColumn { expression: sql, encoding: IdEncoding::Uuid });
    let created_at = events.created_at.as_ref().unwrap();
    assert_eq!(created_at.format, TimeFormat::Pattern("%d/%m/%Y %H:%M".to_owned()));
    assert_eq!(created_at.time_zone, Some(Tz::Europe__Paris));
}

#[test]
fn an_original_id_is_read_like_the_id() {
    let text = LEAST.replace(
        "\"consumed\"\nid = \"id\"",
        "'c'\nid = {column = 'i', encoding = 'integer'}\noriginal_id = 'o'",
    );
    let consumer = &loaded(&text).flows[0].consumers[0];
    assert_eq!(consumer.original_id.as_ref().unwrap().encoding, IdEncoding::Integer);
}

#[test]
fn shards_are_counted_out() {
    let text = least("table = \"event\"", "tables = ['event_{00..15}', 'shop.\"cap.published\"']");
    let tables = &loaded(&text).flows[0].events.tables;
    assert_eq!(tables.len(), 17);
    assert_eq!(tables[9], table("event_09")[0]);
    assert_eq!(tables[16], Table(vec!["shop".to_owned(), "cap.published".to_owned()]));
}

#[test]
fn instants_have_many_spellings() {
    let spellings = ["'2026-01-01'", "2026-01-01", "'2026-01-01T00:00:00+08:00'", "2025-12-31T16:00:00Z"];
    for spelling in spellings {
        let text = format!(
            "time_zone = '${{ZONE}}'\n{}",
            least("[flows.events]", &format!("start = {spelling}\n[flows.events]"))
        );
        let start = loaded(&text).flows[0].start.unwrap();
        assert_eq!(start.to_rfc3339(), "2025-12-31T16:00:00Z", "{spelling}");
    }
}

#[test]
fn variables_fill_values_and_nothing_else() {
    let text = least("\"paid\"", "'$${a}-${INJECTION}-${NAME:-b}'");
    let flow = &loaded(&text).flows[0];
    assert_eq!(flow.name, "${a}-x\"\nwindow = \"2d-b");
    assert_eq!(flow.window, HOUR);
}

#[test]
fn a_secret_file_lies_beside_the_configuration() {
    let text = least("url = \"sqlite://shop.db\"", "url_file = 'secrets/url'");
    assert_eq!(loaded(&text).databases["shop"].url.expose_secret(), "mysql://h/d");
}

#[test]
fn whom_to_tell_is_read_with_its_defaults() {
    let text = format!(
        "{LEAST}[flows.consumers.thresholds]\nlate = {{ fail = 9 }}\n\
         [flows.thresholds]\nlate = {{ fail = '5%', for = 3, clear = '1%' }}\n\
         [thresholds]\nlate = {{ warn = 1 }}\nstuck = {{ fail = 1 }}\nacked_drop = {{ warn = 3.5 }}\n\
         [[silences]]\nflow = 'paid'\nuntil = 2026-01-01\nreason = 'moving'\n\
         [[channels]]\nkind = 'command'\ncommand = ['/bin/page', 'it']\nwhen = 'on_change'\nowners = ['team-a']\n\
         [mail]\nfrom = 'A B <a@b.c>'\nto = 'b@b.c'\ntransport = 'smtp://u%40x:p%2Fw@h.example'\n\
         owners = {{ team-a = ['x@b.c'] }}\n\
         [hooks]\nbefore = 'true'\nafter = ['echo', 'x']\non_error = [['a', 'b'], ['c']]\n\
         [metrics]\ntextfile = 'm.prom'\npushgateway = 'http://gateway:9091'\n\
         [[heartbeats]]\nurl = 'https://hc.example/x'\n"
    );
    let text = text.replace("name = \"paid\"", "name = \"paid\"\nowner = 'team-a'");
    let config = loaded(&text);
    let flow = &config.flows[0];
    assert_eq!(flow.thresholds["late"].fail, Some(Bound::Ratio(0.05)));
    assert_eq!((flow.thresholds["late"].hold, flow.thresholds["late"].warn), (3, None));
    assert_eq!(flow.thresholds["stuck"].fail, Some(Bound::Count(1)));
    assert_eq!(flow.thresholds["acked_drop"].warn, Some(Bound::Score(3.5)));
    assert_eq!(flow.consumers[0].thresholds["late"].fail, Some(Bound::Count(9)));
    let notify = &config.notify;
    assert_eq!((notify.remind, notify.silences[0].reason.as_str()), (6 * HOUR, "moving"));
    assert_eq!(
        (notify.channels[0].name.as_str(), notify.channels[0].route.when),
        ("command", When::OnChange)
    );
    let mail = notify.mail.as_ref().unwrap();
    let Transport::Smtp(smtp) = &mail.transport else { panic!("{mail:?}") };
    assert_eq!((smtp.host.as_str(), smtp.port, smtp.tls), ("h.example", 587, SmtpTls::StartTls));
    assert_eq!(smtp.user.as_deref(), Some("u@x"));
    assert_eq!(smtp.password.as_ref().unwrap().exposed().as_deref(), Some("p/w"));
    assert_eq!((mail.all_quiet, mail.size_max, mail.top), (Some(7 * DAY), 10 << 20, 20));
    assert_eq!(mail.owners, [("team-a".to_owned(), vec!["x@b.c".to_owned()])]);
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(notify.hooks.before, [words("true")]);
    assert_eq!(notify.hooks.after, [words("echo x")]);
    assert_eq!(notify.hooks.on_error, [words("a b"), words("c")]);
    assert!(notify.metrics.textfile.as_ref().unwrap().ends_with("m.prom"));
    assert_eq!(notify.metrics.pushgateway.as_ref().unwrap().job, "msgrecon");
    assert_eq!(notify.heartbeats[0].kind, HeartbeatKind::Healthchecks);
}

#[test]
fn how_mail_is_sent_stands_in_its_url() {
    for (url, port, tls) in [
        ("smtp://h", 587, SmtpTls::StartTls),
        ("smtp://h:25?tls=required", 25, SmtpTls::StartTls),
        ("smtps://h", 465, SmtpTls::Implicit),
        ("smtps://h:2525", 2525, SmtpTls::Implicit),
        ("smtp://127.0.0.1:25?tls=none", 25, SmtpTls::None),
        ("smtp://localhost?tls=none", 587, SmtpTls::None),
    ] {
        let text = format!(
            "mail = {{ from = 'a@b.c', to = 'b@b.c', transport = '{url}', all_quiet = false }}\n{LEAST}"
        );
        let mail = loaded(&text).notify.mail.unwrap();
        let Transport::Smtp(smtp) = &mail.transport else { panic!("{url}") };
        assert_eq!((smtp.port, smtp.tls, mail.all_quiet), (port, tls, None), "{url}");
    }
}

#[test]
fn a_file_is_loaded_with_its_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("msgrecon.toml");
    std::fs::write(folder.path().join("url"), "postgres://u:p@h/d\n").unwrap();
    std::fs::write(&file, least("url = \"sqlite://shop.db\"", "url_file = 'url'")).unwrap();
    let config = crate::config::load(&file, &environment).unwrap();
    assert_eq!(config.databases["shop"].url.expose_secret(), "postgres://u:p@h/d");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".*") {
        let _ = parsed(&text);
    }

    #[test]
    fn no_damage_makes_it_panic(at in 0..EXAMPLE.len(), length in 0..40_usize, put in "[\\[\\]{}='\"$.,#%\\PCé\n\t0-9a-z:/@-]{0,6}") {
        let damaged: String = EXAMPLE.chars().take(at).chain(put.chars()).chain(EXAMPLE.chars().skip(at + length)).collect();
        if let Err(problems) = parsed(&damaged) {
            prop_assert!(!problems.0.is_empty() && !problems.to_string().contains("Pw"));
        }
    }

    #[test]
    fn no_value_makes_it_panic(place in 0..80_usize, value in "[0-9a-z%:.{}\"$/ -]{0,12}|[0-9]{1,25}|\\[\\]|\\{\\}|2026-0[0-9]-3[01]") {
        let quoted = format!("'{value}'");
        for value in [value.as_str(), quoted.as_str()] {
            let lines = EXAMPLE.lines().enumerate().map(|(line, text)| match text.split_once(" = ") {
                Some((key, _)) if line == place => format!("{key} = {value}\n"),
                _ => format!("{text}\n"),
            });
            let _ = parsed(&lines.collect::<String>());
        }
    }
}

#[test]
fn a_flow_is_read_as_it_says_else_as_its_databases_say() {
    let of = |piece: &str, by: &str| {
        let config = loaded(&least(piece, by));
        config.wanted(&config.flows[0])
    };
    let (database, flow) = ("url = \"sqlite://shop.db\"", "name = \"paid\"");
    assert_eq!(of(flow, flow), Wanted::Auto);
    assert_eq!(of(database, &format!("{database}\nstrategy = \"packed\"")), Wanted::Packed);
    assert_eq!(of(flow, &format!("{flow}\nstrategy = \"sketch\"")), Wanted::Sketch);
    let both = least(database, &format!("{database}\nstrategy = \"sketch\""));
    let config = loaded(&both.replacen(flow, &format!("{flow}\nstrategy = \"stream\""), 1));
    assert_eq!(config.wanted(&config.flows[0]), Wanted::Stream, "the flow's own goes first");
}
