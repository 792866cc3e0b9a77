//! A ledger, the sources beside it, and runs over both.

use crate::child;
use crate::world::{DIALECTS, Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Layout, Story, statements};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use std::collections::BTreeMap;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Tables of the ledger whose rows depend on the sources, the configuration and the as-ofs alone: no run ids, no clock.
const TABLES: [(&str, &str); 4] = [
    ("msgrecon_flows", "flow, begin_at, asked_start, watermark"),
    (
        "msgrecon_windows",
        "flow, from_at, until_at, state, as_of, first_as_of, lapsed, stale, acked, lost, other, counts",
    ),
    (
        "msgrecon_differences",
        "flow, consumer, id_key, kind, state, window_from, home_at, created_at, acked_at, consumed_at, detail, first_seen, \
         last_seen, times_seen, checked_at, found_late, ack_until, ack_reason, resolved_at, resolution, history",
    ),
    ("msgrecon_slices", "flow, from_at, until_at, part, as_of"),
];

/// Everything that a test of the ledger needs.
pub struct Bench {
    /// Where both halves of the flow lie.
    pub sources: Place,
    pub ledger: Place,
    /// As the configuration names it.
    pub ledger_url: String,
    /// Lines at the top of the configuration.
    pub top: String,
    /// Lines of `[databases.c]`.
    pub consumers: String,
    pub flows: String,
    pub folder: TempDir,
}

/// The test with each kind of ledger; the sources are files.
pub async fn everywhere(test: impl AsyncFn(&mut Bench)) {
    for dialect in DIALECTS {
        with(dialect, Dialect::Sqlite, &test).await;
    }
}

/// The test with ledger and sources on the same server.
pub async fn together(test: impl AsyncFn(&mut Bench)) {
    for dialect in DIALECTS {
        with(dialect, dialect, &test).await;
    }
}

async fn with(ledger: Dialect, sources: Dialect, test: &impl AsyncFn(&mut Bench)) {
    let Some(mut bench) = Bench::new(ledger, sources).await else { return };
    eprintln!("with a ledger on {ledger:?}, sources on {sources:?}");
    test(&mut bench).await;
    bench.remove().await;
}

/// Flow text with one-hour windows, like the other cases.
pub fn usual() -> String {
    Flow::default().toml()
}

impl Bench {
    /// Empty tables, an empty ledger, the usual flow.
    pub async fn new(ledger: Dialect, sources: Dialect) -> Option<Self> {
        let (ledger, sources) = (Place::new(ledger).await?, Place::new(sources).await?);
        let nothing = Story::default();
        for half in [Half::Producer, Half::Consumer] {
            sources.tell(&nothing, half, false).await;
        }
        Some(Self {
            ledger_url: ledger.url.clone(),
            sources,
            ledger,
            top: "time_zone = \"UTC\"\n".to_owned(),
            consumers: String::new(),
            flows: usual(),
            folder: tempfile::tempdir().unwrap(),
        })
    }

    pub async fn remove(self) {
        self.sources.remove().await;
        self.ledger.remove().await;
    }

    /// Other text in place of some of the flows'.
    pub fn change(&mut self, what: &str, with: &str) {
        assert!(self.flows.contains(what), "{what} is not in {}", self.flows);
        self.flows = self.flows.replace(what, with);
    }

    /// Adds what happened to the tables, as lines of a story.
    pub async fn tell(&self, story: &str) {
        let story = Story::parse(story).unwrap();
        let tables = ["event", "consumed_message", "dead_letter"];
        // Rows of a story are numbered from 0.
        let mut all: Vec<_> =
            tables.iter().map(|table| format!("UPDATE {table} SET nr = nr - 1000000")).collect();
        for half in [Half::Producer, Half::Consumer] {
            let layout = Layout { unique: false, half };
            let statements = statements(&story, self.sources.dialect, layout);
            all.extend(statements.into_iter().filter(|statement| statement.starts_with("INSERT")));
        }
        self.sources.execute(&all).await;
    }

    /// A statement on the sources.
    pub async fn sql(&self, statement: &str) {
        self.sources.execute(&[statement]).await;
    }

    pub fn config(&self) -> String {
        let ledger = format!("[ledger]\nurl = '{}'\n\n", self.ledger_url);
        let consumers = self.sources.toml("c").trim_end().to_owned() + "\n" + &self.consumers + "\n\n";
        self.top.clone() + &ledger + &self.sources.toml("p") + &consumers + &self.flows
    }

    /// The program, before it is started.
    pub fn command(&self, arguments: &str) -> Command {
        let (config, file) = (self.config(), self.folder.path().join("msgrecon.toml"));
        // A run that was started just before may be reading the file.
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&config) {
            std::fs::write(&file, config).unwrap();
        }
        let mut command = child::bare(self.folder.path());
        command.args(arguments.split_whitespace());
        command
    }

    /// A run with these arguments, and its report.
    pub fn run(&self, arguments: &str) -> Told {
        Told::new(self.command(&format!("run --format json {arguments}")).output().unwrap())
    }

    /// A scheduled run as of an instant.
    pub fn due(&self, as_of: &str) -> Told {
        self.run(&format!("--as-of {as_of}"))
    }

    /// Rows of a query on the ledger, each as text with `|` between its columns and `-` for NULL.
    pub async fn ask(&self, columns: &str, rest: &str) -> Vec<String> {
        rows(&self.ledger, columns, rest).await
    }

    /// The ledger's tables, without run ids and the times of the clock.
    pub async fn dump(&self) -> BTreeMap<&'static str, Vec<String>> {
        let mut all = BTreeMap::new();
        for (table, columns) in TABLES {
            let mut rows = self.ask(columns, table).await;
            rows.sort();
            all.insert(table, rows);
        }
        all
    }

    /// `kind state` and what is asked for of each difference, by id.
    pub async fn differences(&self, further: &str) -> Vec<String> {
        let columns = format!("id_key, kind, state{further}");
        self.ask(&columns, "msgrecon_differences ORDER BY id_key, consumer").await
    }

    /// Acked, lost and other differences of the windows in which there is anything, by their beginning.
    pub async fn counts(&self) -> Vec<String> {
        let counts = "msgrecon_windows WHERE acked > 0 OR lost > 0 OR other > 0 ORDER BY flow, from_at";
        let rows = self.ask("from_at, acked, lost, other", counts).await;
        rows.iter().map(|row| with_time(row)).collect()
    }

    /// Whether a run was recorded to its end; a ledger that nobody made yet knows of none.
    pub async fn is_recorded(&self) -> bool {
        let made = match self.ledger.dialect {
            Dialect::Sqlite => "sqlite_master WHERE name = 'msgrecon_runs'",
            Dialect::Postgres => {
                "information_schema.tables WHERE table_name = 'msgrecon_runs' AND table_schema = 'public'"
            }
            Dialect::Mysql => {
                "information_schema.tables WHERE table_name = 'msgrecon_runs' AND table_schema = DATABASE()"
            }
        };
        let made = self.ask("COUNT(*)", made).await == ["1"];
        made && !self.ask("run", "msgrecon_runs WHERE state = 'finished'").await.is_empty()
    }

    /// How many windows a flow has that were judged.
    pub async fn windows(&self) -> usize {
        self.ask("from_at", "msgrecon_windows").await.len()
    }
}

/// The first column as an instant.
fn with_time(row: &str) -> String {
    let (at, rest) = row.split_once('|').unwrap();
    let at = msgrecon::model::Micros(at.parse().unwrap());
    format!("{} {}", at.to_utc().format("%dT%H:%M"), rest.replace('|', " "))
}

/// Rows of a query, as text.
pub async fn rows(place: &Place, columns: &str, rest: &str) -> Vec<String> {
    let cast = columns.split(", ").map(|column| match (place.dialect, column) {
        (Dialect::Postgres, "id_key") => "encode(id_key, 'escape')".to_owned(),
        (Dialect::Mysql, "id_key") => "CONVERT(id_key USING utf8mb4)".to_owned(),
        (Dialect::Mysql, _) => format!("CONVERT({column} USING utf8mb4)"),
        (Dialect::Sqlite | Dialect::Postgres, _) => format!("CAST({column} AS TEXT)"),
    });
    let columns: Vec<_> = cast.collect();
    let query = AssertSqlSafe(format!("SELECT {} FROM {rest}", columns.join(", ")));
    let count = columns.len();
    macro_rules! read {
        ($connection:ty) => {{
            let mut connection = <$connection>::connect(&place.url).await.unwrap();
            let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
            connection.close().await.unwrap();
            let text = |row: &_, column| {
                let row: &<<$connection as sqlx::Connection>::Database as sqlx::Database>::Row = row;
                row.get::<Option<String>, _>(column).unwrap_or_else(|| "-".to_owned())
            };
            let line = |row| (0..count).map(|column| text(row, column)).collect::<Vec<_>>().join("|");
            rows.iter().map(line).collect()
        }};
    }
    match place.dialect {
        Dialect::Sqlite => read!(sqlx::SqliteConnection),
        Dialect::Postgres => read!(sqlx::PgConnection),
        Dialect::Mysql => read!(sqlx::MySqlConnection),
    }
}

/// What a run said.
pub struct Told {
    pub code: i32,
    pub output: Output,
}

impl Told {
    pub fn new(output: Output) -> Self {
        Self { code: child::code(&output), output }
    }

    /// The same, if this is how it ended.
    pub fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", child::said(&self.output));
        self
    }

    pub fn err(&self) -> String {
        child::err(&self.output)
    }

    /// The report.
    pub fn json(&self) -> Value {
        child::json(&self.output)
    }

    /// The report of a flow.
    pub fn flow(&self, name: &str) -> Value {
        let report = self.json();
        let flow = report["flows"].as_array().unwrap().iter().find(|flow| flow["name"] == name);
        flow.unwrap_or_else(|| panic!("no flow {name}: {report}")).clone()
    }

    /// What the only flow's `life` says under this key.
    pub fn life(&self, key: &str) -> Value {
        self.json()["flows"][0]["life"][key].clone()
    }

    /// New, still open, acknowledged, resolved, expired.
    pub fn changes(&self) -> [u64; 5] {
        ["new", "still_open", "acknowledged", "resolved", "expired"].map(|key| {
            self.life(key).as_u64().unwrap_or_else(|| panic!("no life: {}", child::said(&self.output)))
        })
    }

    /// The first consumer's totals.
    pub fn total(&self, kind: &str) -> u64 {
        self.json()["flows"][0]["consumers"][0]["totals"][kind].as_u64().unwrap()
    }

    /// `kind id status` of each difference, sorted.
    pub fn listed(&self) -> Vec<String> {
        let word = |difference: &Value, key: &str| difference[key].as_str().unwrap_or("-").to_owned();
        let line = |difference: &Value| ["kind", "id", "status"].map(|key| word(difference, key)).join(" ");
        let mut listed: Vec<_> = self.json()["differences"].as_array().unwrap().iter().map(line).collect();
        listed.sort();
        listed
    }

    /// `kind id: evidence` of each one that healed.
    pub fn healed(&self) -> Vec<String> {
        let healed = self.life("healed");
        let line = |one: &Value| {
            let word = |key: &str| one[key].as_str().unwrap();
            format!("{} {}: {}", word("kind"), word("id"), word("evidence"))
        };
        healed.as_array().unwrap().iter().map(line).collect()
    }

    /// Beginnings of the windows that the first consumer was judged in.
    pub fn windows(&self) -> Vec<String> {
        let windows = self.json()["flows"][0]["consumers"][0]["windows"].clone();
        windows.as_array().unwrap().iter().map(|one| one["from"].as_str().unwrap().to_owned()).collect()
    }
}
