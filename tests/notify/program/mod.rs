//! The program as a whole: a run that reads, judges, reports and tells, and what arrives of it.

mod around;
#[path = "../../db/child.rs"]
#[allow(dead_code, reason = "the suite with servers uses the rest of it")]
mod child;
mod hostile;
mod kills;
mod large;
#[path = "../../it/rng.rs"]
#[allow(dead_code, reason = "the pure suite uses the rest of it")]
mod rng;
mod servers;
mod silence;
mod stop;
mod tags;
mod targets;

use super::mail::peer::Peer;
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Layout, Story, statements};
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// As-ofs of runs after the day that most stories tell of.
const FIRST: &str = "2026-03-03T00:30:00Z";
const SECOND: &str = "2026-03-03T01:30:00Z";
const THIRD: &str = "2026-03-03T02:30:00Z";

/// The whole day by hand.
const DAY: &str = "--date 2026-03-02 --as-of 2026-03-03T00:30:00Z";

/// One that never arrived.
const ONE_MISSING: &str = "day 2026-03-02\nevent a acked 10:00:00 10:00:01";

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

async fn open(file: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    SqliteConnection::connect_with(&options).await.unwrap()
}

/// Runs statements on a file, all of them or none.
fn execute(file: &Path, statements: &[String]) {
    wait(async {
        let mut connection = open(file).await;
        connection.execute("BEGIN").await.unwrap();
        for statement in statements {
            connection.execute(AssertSqlSafe(statement.as_str())).await.unwrap();
        }
        connection.execute("COMMIT").await.unwrap();
        connection.close().await.unwrap();
    });
}

/// A folder with a shop's tables, where the program runs.
struct Shop {
    /// Around the folder in which the program runs, so that what it writes elsewhere is found.
    outside: TempDir,
    /// Lines at the top of the configuration.
    top: String,
    flow: String,
    consumer: String,
    /// The name of the consumer's database.
    consumers: String,
    /// Lines of the flow.
    rules: String,
    /// The ledger's URL.
    ledger: String,
}

impl Shop {
    /// Empty tables, an empty ledger, the usual flow, nobody to be told.
    fn new() -> Self {
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(outside.path().join("a/b")).unwrap();
        let shop = Self {
            outside,
            top: String::new(),
            flow: "orders".to_owned(),
            consumer: "billing".to_owned(),
            consumers: "shop".to_owned(),
            rules: String::new(),
            ledger: "sqlite://ledger.db".to_owned(),
        };
        let layout = |half| Layout { unique: false, half };
        let tables = [Half::Producer, Half::Consumer]
            .into_iter()
            .flat_map(|half| statements(&Story::default(), Dialect::Sqlite, layout(half)));
        execute(&shop.path("shop.db"), &tables.collect::<Vec<_>>());
        shop
    }

    /// With somebody to tell.
    fn telling(top: &str) -> Self {
        Self { top: top.to_owned(), ..Self::new() }
    }

    /// Where the program runs.
    fn folder(&self) -> PathBuf {
        self.outside.path().join("a/b")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Adds what happened to the tables, as lines of a story.
    fn tell(&self, story: &str) {
        let story = Story::parse(story).unwrap();
        let tables = ["event", "consumed_message", "dead_letter"];
        // Rows of a story are numbered from 0.
        let mut all: Vec<_> =
            tables.iter().map(|table| format!("UPDATE {table} SET nr = nr - 1000000")).collect();
        for half in [Half::Producer, Half::Consumer] {
            let statements = statements(&story, Dialect::Sqlite, Layout { unique: false, half });
            all.extend(statements.into_iter().filter(|statement| statement.starts_with("INSERT")));
        }
        execute(&self.path("shop.db"), &all);
    }

    fn config(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        format!(
            "{}\n[ledger]\nurl = '{}'\n\n[databases.shop]\nurl = 'sqlite://shop.db'\ntime_zone = 'UTC'\n\n\
             [[flows]]\nname = {}\nwindow = '1h'\ngrace = '15m'\nlate_after = '60m'\nstuck_after = '10m'\n{}\n\
             [flows.events]\ndatabase = 'shop'\ntable = 'event'\nwhere = \"topic = 'orders'\"\nid = 'msg_id'\n\
             created_at = 'created_at'\nacked_at = 'sent_at'\nacked = \"status = 'acked'\"\n\
             pending = \"status = 'pending'\"\nfailed = \"status = 'failed'\"\n\n\
             [[flows.consumers]]\nname = {}\ndatabase = '{}'\ntable = 'consumed_message'\nconsumer = 'consumer'\n\
             id = 'msg_id'\nconsumed_at = 'consumed_at'\n",
            self.top,
            self.ledger,
            quoted(&self.flow),
            self.rules,
            quoted(&self.consumer),
            self.consumers
        )
    }

    /// The program, before it is started.
    fn command(&self, arguments: &str) -> Command {
        let mut command = child::command(&self.folder(), &self.config());
        command.args(arguments.split_whitespace());
        command
    }

    /// The program to its end.
    fn call(&self, arguments: &str) -> Told {
        Told(self.command(arguments).output().unwrap())
    }

    /// A scheduled run as of an instant, with its report in `out`.
    fn due(&self, as_of: &str) -> Told {
        self.call(&format!("run --output out --as-of {as_of}"))
    }

    /// Rows of a query on the ledger, each as text with `|` between its columns.
    fn ask(&self, columns: &str, rest: &str) -> Vec<String> {
        rows(&self.path("ledger.db"), columns, rest)
    }

    /// Target and state of all that is to be told.
    fn deliveries(&self) -> Vec<String> {
        self.ask("target, state", "msgrecon_deliveries ORDER BY as_of, target")
    }

    /// The mails in the folder `mail`, by name. A run that is killed may leave one that has not got its name yet.
    fn mails(&self) -> Vec<Vec<u8>> {
        let folder = self.path("mail");
        let files = if folder.exists() { child::files(&folder) } else { BTreeMap::default() };
        let named = files.into_iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "eml"));
        named.map(|(_, mail)| mail).collect()
    }

    /// The files of a report are there, and nothing half-written.
    fn assert_reported(&self) {
        let names = child::names(&self.path("out"));
        assert_eq!(names, ["differences.csv", "report.html", "report.json", "windows.csv"]);
        let report: Value = serde_json::from_str(&self.text("out/report.json")).unwrap();
        assert!(report["flows"].is_array());
    }
}

/// Rows of a query on a file, each as text with `|` between its columns.
fn rows(file: &Path, columns: &str, rest: &str) -> Vec<String> {
    let cast: Vec<_> =
        columns.split(", ").map(|column| format!("COALESCE(CAST({column} AS TEXT), '-')")).collect();
    let query = AssertSqlSafe(format!("SELECT {} FROM {rest}", cast.join(", ")));
    let rows = wait(async {
        let mut connection = open(file).await;
        let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        rows
    });
    let line = |row: &sqlx::sqlite::SqliteRow| {
        (0..cast.len()).map(|at| row.get::<String, _>(at)).collect::<Vec<_>>().join("|")
    };
    rows.iter().map(line).collect()
}

/// What a process said.
struct Told(Output);

impl Told {
    /// The same, if this is how it ended.
    fn ended(self, code: i32) -> Self {
        assert_eq!(child::code(&self.0), code, "{}", child::said(&self.0));
        self
    }

    fn out(&self) -> String {
        child::out(&self.0)
    }

    fn err(&self) -> String {
        child::err(&self.0)
    }

    /// stderr says these words.
    fn says(self, words: &str) -> Self {
        assert!(self.err().contains(words), "no {words:?} in {}", child::said(&self.0));
        self
    }
}

/// `[mail]` to a server; `scheme` may hold a login.
fn mail(peer: &Peer, scheme: &str) -> String {
    format!(
        "[mail]\nfrom = 'msgrecon@example.com'\nto = ['oncall@example.com']\ntransport = '{scheme}localhost:{}'\n\
         ca_file = '{}'\ntimeout = '5s'\n",
        peer.port,
        peer.ca_file.display()
    )
}

/// `[mail]` into the folder `mail`.
const FOLDER: &str =
    "[mail]\nfrom = 'msgrecon@example.com'\nto = ['oncall@example.com']\ntransport = 'file://mail'\n";
