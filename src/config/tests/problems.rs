//! Files that do not load: line, key and message of what is wrong.

use super::*;

/// Each row: what replaces `piece` of the least file (`⏎` is a new line), `=>`, the line of the one problem that this
/// makes, its key, a colon and what its message says.
fn holds(piece: &str, rows: &str) {
    for row in rows.lines().filter(|row| !row.is_empty()) {
        let (by, wanted) = row.split_once(" => ").unwrap_or_else(|| panic!("{row}"));
        let problems = parsed(&least(piece, &by.replace('⏎', "\n"))).unwrap_err();
        let [problem] = problems.0.as_slice() else { panic!("{row}: not one problem\n{problems}") };
        let found = format!("{} {}: {}", problem.line.unwrap_or(0), problem.key, problem.message);
        let (place, message) = wanted.split_once(": ").unwrap_or_else(|| panic!("{row}"));
        assert!(found.starts_with(&format!("{place}: ")) && found.contains(message), "{row}:\n{problems}");
    }
}

#[test]
fn of_the_file() {
    holds(
        "\n",
        r"
time_zone = 'Asia/Shangai'⏎ => 1 time_zone: unknown time zone 'Asia/Shangai', did you mean Asia/Shanghai
time_zone = 'Bejing time'⏎ => 1 time_zone: give an IANA name
time_zone = '${NO_ZONE}'⏎ => 1 time_zone: the environment variable `NO_ZONE` is not set
jobs = 0⏎ => 1 jobs: must be from 1 to 64
jobs = 65⏎ => 1 jobs: must be from 1 to 64
jobs = '4'⏎ => 1 jobs: expected
time_zone = 8⏎ => 1 time_zone: expected a string, found an integer
timezone = 'UTC'⏎ => 1 timezone: unknown key, did you mean time_zone
ledger = { url = 'sqlite://a', url_file = 'b' }⏎ => 1 ledger.url_file: `url` and `url_file` are both set
ledger = { url = 'redis://a' }⏎ => 1 ledger.url: unknown scheme `redis`; known: sqlite,
ledger = 5⏎ => 1 ledger: expected a table
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'file://x', when = 'allways' }⏎ => 1 mail.when: did you mean always
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'file://x', pasword = 'd' }⏎ => 1 mail.pasword: did you mean password
mail = { from = 'a@b.c', to = ['b'], transport = 'file://x' }⏎ => 1 mail.to[0]: is no mail address
mail = { from = 'a@b.c', to = [], transport = 'file://x' }⏎ => 1 mail.to: at least one address
mail = { from = 'a@b.c', to = 'b@b.c' }⏎ => 1 mail.transport: is missing; give smtp://
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'smtp://mail.example.com?tls=none' }⏎ => 1 mail.transport: only for a server on this machine
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'smtp://mail.example.com?tls=opportunistic' }⏎ => 1 mail.transport: knows no such `tls`
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'smtp://mail.example.com', password = 'x' }⏎ => 1 mail.transport: names no user
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'smtp://u:p@mail.example.com', password_file = 'x' }⏎ => 1 mail.transport: keep one
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'http://mail.example.com' }⏎ => 1 mail.transport: unknown scheme `http`
mail = { from = 'a@b.c', to = 'b@b.c', transport = 'file://x', owners = { team-a = 'x@b.c' } }⏎ => 1 mail.owners.team-a: unknown owner
channels = [{ kind = 'lark' }]⏎ => 1 channels[0].kind: unknown kind 'lark'; known: webhook,
channels = [{ kind = 'slack', url = 'a', url_file = 'b' }]⏎ => 1 channels[0].url_file: both set
channels = [{ kind = 'slack' }]⏎ => 1 channels[0].url: is missing
channels = [{ kind = 'slack', url_file = 'https://h/x' }]⏎ => 1 channels[0].url_file: the url itself goes to `url`
channels = [{ kind = 'slack', url = 'a' }, { kind = 'slack', url = 'b' }]⏎ => 1 channels[1]: the name slack is used twice
channels = [{ kind = 'slack', url = 'a', flows = ['padi'] }]⏎ => 1 channels[0].flows[0]: did you mean paid
channels = [{ kind = 'slack', url = 'a', command = 'x' }]⏎ => 1 channels[0].command: only channels of kind `command`
channels = [{ kind = 'command', command = [] }]⏎ => 1 channels[0].command: is empty
channels = [{ kind = 'pagerduty' }]⏎ => 1 channels[0].token: routing key
silences = 1⏎ => 1 silences: expected an array
silences = [{ until = 2026-01-01 }]⏎ => 1 silences[0].reason: is missing
silences = [{ reason = 'x' }]⏎ => 1 silences[0].until: is missing
silences = [{ reason = 'x', until = 2026-01-01, from = 2026-01-01 }]⏎ => 1 silences[0].until: after `from`
silences = [{ reason = 'x', until = 2026-01-01, metric = 'mising' }]⏎ => 1 silences[0].metric: did you mean missing
alerts = { remind = 6 }⏎ => 1 alerts.remind: needs a unit
heartbeats = [{ kind = 'sentry' }]⏎ => 1 heartbeats[0].url: is missing
metrics = { textfile = 'a.txt' }⏎ => 1 metrics.textfile: must end in .prom
hooks = { after = [[]] }⏎ => 1 hooks.after[0]: is empty
thresholds = { late = { fail = '5%', clear = '6%' } }⏎ => 1 thresholds.late.clear: good side
thresholds = { acked = { warn = 5, fail = 6 } }⏎ => 1 thresholds.acked.fail: above `warn`
thresholds = { acked_drop = { warn = 'x' } }⏎ => 1 thresholds.acked_drop.warn: a number of deviations
",
    );
}

#[test]
fn of_databases() {
    holds(
        "url = \"sqlite://shop.db\"",
        r"
url = '' => 3 databases.shop.url: is empty
 => 2 databases.shop.url: is missing; give `url` or `url_file`
url = '${SHOP_URL}' => 3 databases.shop.url: `SHOP_URL` is not set
url = '${BAD_URL}' => 3 databases.shop.url: unknown scheme `mysq`, did you mean mysql; known: sqlite, postgres, postgresql, mysql, mariadb
url_file = '/run/none' => 3 databases.shop.url_file: /run/none cannot be read
url_file = '/run/secrets/empty' => 3 databases.shop.url_file: /run/secrets/empty is empty
url_file = '/run/secrets/bad' => 3 databases.shop.url_file: /run/secrets/bad is no valid postgres URL
url_file = 'mysql://u:p@h/d' => 3 databases.shop.url_file: the URL itself goes to `url`
url = 'mysql://h/d'⏎max_connections = 0 => 4 databases.shop.max_connections: from 1 to 100
url = 'mysql://h/d'⏎statement_timeout = '1us' => 4 databases.shop.statement_timeout: at least 1ms
url = 'mysql://h/d'⏎fresh_until = ' ' => 4 databases.shop.fresh_until: is empty
",
    );
}

#[test]
fn of_a_databases_pace() {
    holds(
        "url = \"sqlite://shop.db\"\n",
        r"
url = 'sqlite://a'⏎max_rows_per_second = 5⏎ => 4 databases.shop.max_rows_per_second: must be from 10
url = 'sqlite://a'⏎max_rows_per_secnd = 500⏎ => 4 databases.shop.max_rows_per_secnd: did you mean max_rows_per_second
url = 'sqlite://a'⏎slice_time = 0.5⏎ => 4 databases.shop.slice_time: needs a unit
url = 'sqlite://a'⏎full_scan_rows = '1M'⏎ => 4 databases.shop.full_scan_rows: expected a whole number
url = 'sqlite://a'⏎allow_full_scan = 1⏎ => 4 databases.shop.allow_full_scan: expected true or false
url = 'sqlite://a'⏎guard = 5⏎ => 4 databases.shop.guard: expected a table
url = 'sqlite://a'⏎guard = { wait = '1m' }⏎ => 4 databases.shop.guard: neither `max_running` nor `max_lag`
url = 'sqlite://a'⏎guard = { max_runing = 5, max_lag = '1s', lag = 'x' }⏎ => 4 databases.shop.guard.max_runing: did you mean max_running
url = 'sqlite://a'⏎guard = { max_running = 5 }⏎ => 4 databases.shop.guard.max_running: is not for SQLite
url = 'sqlite://a'⏎guard = { max_lag = '5s' }⏎ => 4 databases.shop.guard.max_lag: give a query of your own as `lag`
url = 'mysql://h/d'⏎guard = { max_lag = '5s', running = 'SELECT 1' }⏎ => 4 databases.shop.guard.running: without `max_running`
",
    );
    holds(
        "\n",
        "pause_file = ''⏎ => 1 pause_file: is empty\npause_max = '0s'⏎ => 1 pause_max: longer than 0",
    );
}

#[test]
fn of_flows() {
    holds(
        "name = \"paid\"",
        r"
 => 4 flows[0].name: is missing
name = '' => 5 flows[0].name: is empty
name = 'a'⏎widnow = '1h' => 6 flows[0].widnow: unknown key, did you mean window
name = 'a'⏎strategy = 'skech' => 6 flows[0].strategy: unknown strategy 'skech', did you mean sketch; known: auto, stream, packed, sketch
name = 'a'⏎zzz = '1h' => 6 flows[0].zzz: unknown key; known: name, window, grace,
name = 'a'⏎window = '25h' => 6 flows[0].window: at most a day
name = 'a'⏎window = 3600 => 6 flows[0].window: needs a unit
name = 'a'⏎grace = '15' => 6 flows[0].grace: needs a unit
name = 'a'⏎grace = '15 monkeys' => 6 flows[0].grace: '15 monkeys' is no duration
name = 'a'⏎grace = '0s' => 6 flows[0].grace: longer than 0
name = 'a'⏎grace = '-5m' => 6 flows[0].grace: is no duration
name = 'a'⏎grace = '3000000y' => 6 flows[0].grace: is too long
name = 'a'⏎start = '2026-13-01' => 6 flows[0].start: neither a date nor
name = 'a'⏎start = '2026-01-01T00:00:00' => 6 flows[0].start: needs an offset
name = 'a'⏎start = 2026-01-01T00:00:00 => 6 flows[0].start: needs an offset
",
    );
}

#[test]
fn of_events() {
    holds(
        "[flows.events]\ndatabase = \"shop\"",
        r"
[flows.events]⏎database = 'shopp' => 7 flows[0].events.database: unknown database 'shopp', did you mean shop
",
    );
    holds(
        "table = \"event\"",
        r"
 => 6 flows[0].events.table: give `table` or `tables`
table = 'a'⏎tables = ['b'] => 9 flows[0].events.tables: `table` and `tables` are both set
table = 'a..b' => 8 flows[0].events.table: is empty
table = 'event_{00..15}' => 8 flows[0].events.table: tables = [
tables = [] => 8 flows[0].events.tables: at least one table
tables = ['a', 'a'] => 8 flows[0].events.tables[1]: names the table a twice
tables = ['a{0..4000}', 'b{0..4000}'] => 8 flows[0].events.tables[1]: more than 4096
",
    );
    holds(
        "id = \"id\"",
        r"
id = { column = 'a', sql = 'b' } => 9 flows[0].events.id.sql: `column` and `sql` are both set
id = { encoding = 'uuid' } => 9 flows[0].events.id.column: give `column` or `sql`
id = { column = 'a', encoding = 'uuid-byte' } => 9 flows[0].events.id.encoding: unknown encoding 'uuid-byte', did you mean uuid-bytes; known: text,
id = { colum = 'a', sql = 'b' } => 9 flows[0].events.id.colum: did you mean column
id = 5 => 9 flows[0].events.id: expected a column's name or a table
id = '' => 9 flows[0].events.id: is empty
",
    );
    holds(
        "created_at = \"at\"",
        r"
 => 6 flows[0].events.created_at: give `created_at`, `acked_at` or both
created_at = { column = 'a', format = 'epoch' } => 10 flows[0].events.created_at.format: unknown format 'epoch'
created_at = { column = 'a', format = 'epoch-mss' } => 10 flows[0].events.created_at.format: did you mean epoch-ms
created_at = { column = 'a', format = '%Q' } => 10 flows[0].events.created_at.format: no valid pattern
created_at = { column = 'a', time_zone = 'shanghai' } => 10 flows[0].events.created_at.time_zone: did you mean Asia/Shanghai
created_at = 'a'⏎acked = '' => 11 flows[0].events.acked: is empty
created_at = 'a'⏎after_ack = 'purge' => 11 flows[0].events.after_ack: unknown value 'purge'; known: keep, delete
created_at = 'a'⏎preset = 'cap' => 11 flows[0].events.preset: unknown preset 'cap'; known: none
",
    );
}

#[test]
fn of_consumers() {
    holds(
        "table = \"consumed\"",
        r"
table = 'a'⏎aliases = ['b'] => 15 flows[0].consumers[0].aliases: need `consumer`
table = 'a'⏎consumer = 'c'⏎aliases = [1] => 16 flows[0].consumers[0].aliases[0]: expected a string
table = 'a'⏎since = 2026-01-01⏎until = 2026-01-01 => 16 flows[0].consumers[0].until: later than `since`
table = 'a'⏎retention = 7 => 15 flows[0].consumers[0].retention: needs a unit
table = 'a'⏎dead_letters = { id = 'a' } => 15 flows[0].consumers[0].dead_letters.table: is missing
table = 'a'⏎dead_letters = { id = 'a', table = 'b', database = 'c' } => 15 flows[0].consumers[0].dead_letters.database: unknown database 'c'
",
    );
    holds(
        "id = \"id\"\ncreated_at",
        r"
id = 'a'⏎consumers = []⏎created_at => 10 flows[0].events.consumers: unknown key
",
    );
}

#[test]
fn of_thresholds() {
    let cases = [
        ("ok = { fail = 1 }", "ok", "unknown metric `ok`"),
        ("mising = { fail = 1 }", "mising", "unknown metric `mising`, did you mean missing; known: late,"),
        ("missing = { fail = '5' }", "missing.fail", "takes a count"),
        ("missing = { fail = '10m' }", "missing.fail", "takes a count"),
        ("missing = { fail = -1 }", "missing.fail", "from 0 on"),
        ("missing = { fail = 0.1 }", "missing.fail", "takes a count"),
        ("missing = { fail = '0%' }", "missing.fail", "more than 0%"),
        ("missing = { fail = '101%' }", "missing.fail", "at most 100%"),
        ("missing = { fail = 'NaN%' }", "missing.fail", "at most 100%"),
        ("missing = { warn = 5, fail = 4 }", "missing.fail", "below `warn`"),
        ("missing = { warn = '5%', fail = '4%' }", "missing.fail", "below `warn`"),
        ("missing = { min_volume = 4 }", "missing", "neither `warn` nor `fail`"),
        ("missing = { fail = 4, for = 'x' }", "missing.for", "expected a whole number"),
        ("missing = 1", "missing", "expected a table"),
        ("oldest_pending = { warn = 1 }", "oldest_pending.warn", "takes a duration"),
        ("latency_p99 = { warn = '1%' }", "latency_p99.warn", "is no duration"),
        ("clock_skew = { warn = '2m', fail = '1m' }", "clock_skew.fail", "below `warn`"),
    ];
    for (line, key, message) in cases {
        let problems = parsed(&format!("{LEAST}[flows.thresholds]\n{line}\n")).unwrap_err();
        let [problem] = problems.0.as_slice() else { panic!("{line}:\n{problems}") };
        assert_eq!((problem.line, &problem.key), (Some(17), &format!("flows[0].thresholds.{key}")), "{line}");
        assert!(problem.message.contains(message), "{line}: {problems}");
    }
}

#[test]
fn names_are_used_once_and_counts_are_bounded() {
    let consumer = "[[flows.consumers]]\nname = 'points'\ndatabase = 'shop'\ntable = 'c'\nid = 'id'\n";
    let problems = parsed(&format!("{LEAST}{consumer}")).unwrap_err();
    assert_eq!(problems.0[0].key, "flows[0].consumers[1].name");
    assert!(problems.0[0].message.contains("the name 'points' is used twice"));
    let many: String = (0..64).map(|n| consumer.replace("points", &format!("c{n}"))).collect();
    let problems = parsed(&format!("{LEAST}{many}")).unwrap_err();
    assert!(problems.to_string().contains("flows[0].consumers: are more than 64"), "{problems}");
    let flows = LEAST.split_once("[[flows]]").unwrap().1;
    let problems = parsed(&format!("{LEAST}[[flows]]{flows}")).unwrap_err();
    assert!(problems.to_string().contains("flows[1].name: the name \"paid\" is used twice"), "{problems}");
}

#[test]
fn an_empty_file_says_what_it_needs() {
    let problems = parsed("").unwrap_err();
    assert_eq!(problems.0.len(), 1, "{problems}");
    assert!(problems.to_string().contains("msgrecon.toml:1: flows: is missing; at least one is needed"));
}

#[test]
fn all_are_said_at_once_in_the_order_of_the_file() {
    let text = r#"time_zone = "Asia/Shangai"
[databases.shop]
url = "mysq://app:S3cretPw@h/db"
url_file = "/run/secrets/x"
statement_timeout = 60
[databases.points]
url = "${POINTS_URL}"
[[flows]]
name = "paid"
window = "2d"
gracee = "15m"
[flows.events]
database = "shopp"
table = "a"
tables = ["b"]
id = { column = "id", encoding = "guid" }
[[flows.consumers]]
name = "points"
database = "points"
table = "t"
id = 7
consumed_at = { column = "at", format = "%!" }
aliases = ["x"]
[flows.thresholds]
mising = { fail = 1 }
stuck = { warn = 2, fail = 1 }
"#;
    let problems = parsed(text).unwrap_err();
    let keys: Vec<_> =
        problems.0.iter().map(|p| (p.line.unwrap(), p.key.rsplit('.').next().unwrap())).collect();
    let wanted = [
        (1, "time_zone"),
        (4, "url_file"),
        (5, "statement_timeout"),
        (7, "url"),
        (10, "window"),
        (11, "gracee"),
        (12, "created_at"),
        (13, "database"),
        (15, "tables"),
        (16, "encoding"),
        (21, "id"),
        (22, "format"),
        (23, "aliases"),
        (25, "mising"),
        (26, "fail"),
    ];
    assert_eq!(keys, wanted, "{problems}");
    insta::assert_snapshot!(problems.to_string());
}

#[test]
fn syntax_errors_are_shown_where_they_are() {
    let problems = parsed("time_zone = \"UTC\"\nwindow == 5\n[x\n").unwrap_err();
    assert!(problems.0.len() >= 2, "{problems}");
    assert_eq!((problems.0[0].line, problems.0[0].key.as_str()), (Some(2), ""));
    assert!(problems.to_string().contains("    2 | window == 5\n      |         ^"), "{problems}");
    let twice = parsed("time_zone = \"UTC\"\ntime_zone = \"UTC\"\n").unwrap_err();
    assert_eq!((twice.0[0].line, twice.0[0].message.as_str()), (Some(2), "duplicate key"));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let problems = crate::config::load(Path::new("/nowhere/msgrecon.toml"), &environment).unwrap_err();
    assert!(problems.to_string().starts_with("/nowhere/msgrecon.toml: the configuration cannot be read: "));
}
