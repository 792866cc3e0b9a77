//! `msgrecon demo`: a small shop in SQLite files with every kind of fault planted, reconciled by the very code that
//! `run` uses, and held against what was planted.

use super::{NotWritten, Usage, block_on, options, print};
use crate::cli::Global;
use crate::clock;
use crate::config::{self, Dialect};
use crate::exit;
use crate::model::time::{HOUR, MINUTE, SECOND};
use crate::model::{Kind, Micros, Run};
use crate::plan::{Request, plan};
use crate::reconcile::reconcile;
use crate::report::{Format, render, write};
use crate::story::{EventLine, Half, Layout, ReceiptLine, Story, Want, statements};
use anyhow::Context as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};
use sqlx::{AssertSqlSafe, Connection as _};
use std::collections::BTreeMap;
use std::path::Path;

const SHOP: &str = include_str!("shop.story");
const CONFIG: &str = include_str!("shop.toml");
const CONFIG_NAME: &str = "msgrecon.toml";
/// The first line of the configuration says that the folder may be built anew.
const MARK: &str = "# Written by `msgrecon demo`";
const CONSUMERS: [&str; 2] = ["points", "mailer"];
const DATE: &str = "2026-03-02";
const AS_OF: &str = "2026-03-03T00:05:00Z";
/// So many orders an hour went well.
const ORDERS_PER_HOUR: i64 = 12;

pub(super) fn demo(global: &Global, folder: &Path) -> anyhow::Result<u8> {
    let story = story()?;
    make_way(folder)?;
    build(folder, &story).with_context(|| format!("cannot build the demo in {}", folder.display()))?;
    let run = reconciled(folder)?;
    let options = options(false);
    let files = write::write_all(&folder.join("report"), &run, options)
        .map_err(|error| NotWritten(error.to_string()))?;
    print(&render(&run, Format::Table, options)?)?;
    let amiss = amiss(&run, &story);
    if !global.quiet {
        let files: Vec<_> = files.iter().map(|file| format!("  {}\n", file.display())).collect();
        print(epilogue(folder, &files.concat(), amiss.is_empty()).as_bytes())?;
    }
    if amiss.is_empty() {
        return Ok(exit::OK);
    }
    anyhow::bail!("what was found is not what was planted: {}", amiss.join("; "))
}

fn epilogue(folder: &Path, files: &str, right: bool) -> String {
    let found = if right { "Every planted fault was found, and nothing else.\n\n" } else { "" };
    let config = folder.join(CONFIG_NAME);
    format!(
        "\n{found}The reports:\n{files}\nThe configuration, to make it yours:\n  {}\n\nGo on with:\n  \
         msgrecon -c {} run --date {DATE} --as-of {AS_OF} --format table\n  msgrecon explain missing\n",
        config.display(),
        config.display()
    )
}

/// The planted faults, and between them a day on which most went well.
fn story() -> anyhow::Result<Story> {
    let mut story = Story::parse(SHOP)?;
    let day: Micros =
        chrono::NaiveDateTime::parse_from_str("2026-03-02 00:00", "%Y-%m-%d %H:%M")?.and_utc().into();
    for number in 0..24 * ORDERS_PER_HOUR {
        let created = day.plus(number * HOUR / ORDERS_PER_HOUR + 17 * SECOND);
        let id = format!("order-{}", 2_000 + number);
        let acked = created.plus(SECOND / 2 + number % 7 * SECOND / 5);
        story.events.push(EventLine {
            id: Some(id.clone()),
            state: "acked".to_owned(),
            created: Some(created),
            acked: Some(acked),
            attempts: 1,
            sort: "paid".to_owned(),
        });
        for (consumer, pace) in [("points", 3), ("mailer", 11)] {
            let consumed = acked.plus(SECOND / 10 + number % pace * SECOND * pace / 4);
            story.receipts.push(ReceiptLine {
                id: Some(id.clone()),
                consumer: consumer.to_owned(),
                consumed: Some(consumed.min(day.plus(24 * HOUR + MINUTE))),
                original: None,
            });
            story.wants.push(Want { id: id.clone(), consumer: Some(consumer.to_owned()), kind: Kind::Ok });
        }
    }
    Ok(story)
}

/// A folder of an earlier demo is emptied of what the demo made; anything else is left alone.
fn make_way(folder: &Path) -> anyhow::Result<()> {
    let refuse = || {
        let message =
            format!("{} exists and is not of an earlier demo; name another with --folder", folder.display());
        anyhow::Error::from(Usage(message))
    };
    if !folder.exists() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        return Ok(());
    }
    let config = std::fs::read_to_string(folder.join(CONFIG_NAME)).unwrap_or_default();
    if !config.starts_with(MARK) && folder.read_dir().map_err(|_| refuse())?.next().is_some() {
        return Err(refuse());
    }
    let databases = CONSUMERS.iter().chain(&["orders"]).map(|name| folder.join(format!("{name}.db")));
    for file in databases.filter(|file| file.exists()) {
        std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    Ok(())
}

fn build(folder: &Path, story: &Story) -> anyhow::Result<()> {
    std::fs::write(folder.join(CONFIG_NAME), CONFIG)?;
    block_on(async {
        fill(&folder.join("orders.db"), story, Half::Producer).await?;
        for consumer in CONSUMERS {
            fill(&folder.join(format!("{consumer}.db")), &story.of_consumer(consumer), Half::Consumer)
                .await?;
        }
        Ok(())
    })?
}

async fn fill(file: &Path, story: &Story, half: Half) -> anyhow::Result<()> {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    // The files are new and can be made again: no need to wait for the disk.
    let options = options.journal_mode(SqliteJournalMode::Memory);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    for statement in statements(story, Dialect::Sqlite, Layout { unique: false, half }) {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(())
}

fn reconciled(folder: &Path) -> anyhow::Result<Run> {
    let config = config::load(&folder.join(CONFIG_NAME), &|_| None)?;
    let as_of = Micros(chrono::DateTime::parse_from_rfc3339(AS_OF)?.timestamp_micros());
    let plan = plan(&config, &Request::Date(DATE.parse()?), &[], as_of)?;
    block_on(reconcile(&plan, &config, clock::run_id(clock::now()), &|_| {}))
}

/// Where what was found differs from what was planted: differences one by one, the rest by their number.
fn amiss(run: &Run, story: &Story) -> Vec<String> {
    let mut found: Vec<_> = run
        .differences
        .iter()
        .map(|difference| Want {
            id: difference.id.as_ref().map(ToString::to_string).unwrap_or_default(),
            consumer: difference.consumer.clone(),
            kind: difference.kind,
        })
        .collect();
    found.sort();
    let wanted = story.wanted_differences();
    let name =
        |want: &Want| format!("{} {} at {}", want.id, want.kind, want.consumer.as_deref().unwrap_or("-"));
    let lacking =
        wanted.iter().filter(|want| !found.contains(want)).map(|want| format!("not found: {}", name(want)));
    let extra =
        found.iter().filter(|want| !wanted.contains(want)).map(|want| format!("not planted: {}", name(want)));
    let mut amiss: Vec<_> = lacking.chain(extra).collect();
    for ((consumer, kind), number) in counts(story) {
        let found = counted(run, consumer, kind);
        if found != number {
            let consumer = consumer.unwrap_or("-");
            amiss.push(format!("{kind} at {consumer}: {found} instead of {number}"));
        }
    }
    amiss
}

fn counts(story: &Story) -> BTreeMap<(Option<&str>, Kind), u64> {
    let mut counts = BTreeMap::new();
    for want in &story.wants {
        *counts.entry((want.consumer.as_deref(), want.kind)).or_default() += 1;
    }
    counts
}

fn counted(run: &Run, consumer: Option<&str>, kind: Kind) -> u64 {
    let of_flow = |flow: &crate::model::FlowReport| match consumer {
        None => flow.events.map_or(0, |events| events.of(kind)),
        Some(name) => {
            let consumer = flow.consumers.iter().find(|report| report.name == name);
            consumer.and_then(|report| report.counts.as_ref()).map_or(0, |counts| counts.totals.of(kind))
        }
    };
    run.flows.iter().map(of_flow).sum()
}
