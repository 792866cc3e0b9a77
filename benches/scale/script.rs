//! What one would write by hand: shell scripts, and the anti-join inside the server.

use crate::args::Layout;
use crate::common::place::{Dialect, Place};
use crate::data::{Data, shard};
use crate::sql::{DATABASES, consumed_about, next_to_it, of_the_day};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The ids of the day's events, of the receipts that may belong to them, and of the events next to the day: each one
/// statement for each database.
pub fn ids(data: &Data) -> [Vec<(&Place, String)>; 3] {
    columns(data, ["msg_id", "msg_id"])
}

/// The same of other columns of events and receipts.
fn columns<'d>(data: &'d Data, [event, receipt]: [&str; 2]) -> [Vec<(&'d Place, String)>; 3] {
    let of = |places, table, condition: fn(Dialect) -> String| {
        let columns = if table == "event" { event } else { receipt };
        let each = |place: &'d Place| {
            (place, select(place, columns, &tables(data, table), &condition(place.dialect())))
        };
        <[Place]>::iter(places).map(each).collect()
    };
    [
        of(&data.producers, "event", of_the_day),
        of(&data.consumers, data.receipts_table(), consumed_about),
        of(&data.producers, "event", next_to_it),
    ]
}

/// The tables that one database has for this one.
fn tables(data: &Data, table: &str) -> Vec<String> {
    match data.layout {
        Layout::Shards(count) => (0..count / DATABASES).map(|at| shard(table, at)).collect(),
        Layout::OneTable | Layout::Unpaired => vec![table.to_owned()],
    }
}

fn select(place: &Place, columns: &str, tables: &[String], condition: &str) -> String {
    let one = |table: &String| format!("SELECT {columns} FROM {table} WHERE {condition}");
    let all = tables.iter().map(one).collect::<Vec<_>>().join(" UNION ALL ");
    if place.dialect() == Dialect::Postgres { format!("COPY ({all}) TO STDOUT") } else { all }
}

/// The ids to nowhere, and where that is asked for the times too, all databases at once: the least that reading costs.
pub fn clients(data: &Data, times: bool) -> Vec<Command> {
    let all = if times { columns(data, ["msg_id, sent_at", "msg_id, consumed_at"]) } else { ids(data) };
    let [events, receipts, _] = all;
    events.into_iter().chain(receipts).map(|(place, sql)| place.client(&sql)).collect()
}

fn shell(script: &str, data: &Data, folder: &Path) -> Command {
    let mut command = Command::new("bash");
    let logins = data.producers.iter().chain(&data.consumers).filter_map(Place::login);
    command.args(["-c", script]).envs(logins).env("LC_ALL", "C").current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// One command that writes all these ids to stdout.
fn written(ids: &[(&Place, String)]) -> String {
    let each: Vec<String> = ids.iter().map(|(place, sql)| place.shell(sql)).collect();
    format!("{{ {}; }}", each.join("; "))
}

/// Waits for both sides, and fails if one did.
const BOTH: &str = "wait $first; wait $second";

pub fn sort_and_comm(data: &Data, folder: &Path) -> Command {
    let [events, receipts, near] = ids(data).map(|ids| written(&ids));
    let script = format!(
        "set -e; {{ {events} > E; sort E > e; }} & first=$!; {{ {receipts} > R; sort R > r; }} & second=$!; {BOTH}\n\
         {near} | sort > n; comm -23 e r > missing & first=$!; comm -13 e r | comm -23 - n > orphan & second=$!; {BOTH}\n\
         wc -l < missing; wc -l < orphan"
    );
    shell(&script, data, folder)
}

pub fn polars(data: &Data, folder: &Path, python: &Path) -> Command {
    let [events, receipts, near] = ids(data).map(|ids| written(&ids));
    std::fs::write(folder.join("with_polars.py"), include_str!("with_polars.py")).unwrap();
    let script = format!(
        "set -e; {events} > e & first=$!; {receipts} > r & second=$!; {BOTH}\n{near} > n; '{}' with_polars.py e r n",
        python.display()
    );
    shell(&script, data, folder)
}

pub fn reladiff(data: &Data, python: &Path) -> Command {
    let mut command = Command::new(python);
    let url = |place: &Place| place.url().replacen("postgres:", "postgresql:", 1);
    command.args(["-c", include_str!("with_reladiff.py")]).stdin(Stdio::null()).stdout(Stdio::piped());
    command.env("EVENTS_URL", url(&data.producers[0])).env("RECEIPTS_URL", url(&data.consumers[0]));
    command
}

/// `NOT EXISTS` both ways, within the server; it ends by itself when it is cut.
pub fn not_exists(data: &Data, cut: Duration) -> Command {
    let (place, receipts) = (&data.producers[0], data.receipts_table());
    let (dialect, seconds) = (place.dialect(), cut.as_secs());
    let limit = match dialect {
        Dialect::Postgres => format!("SET statement_timeout = '{seconds}s';"),
        Dialect::Mysql => format!("SET SESSION max_statement_time = {seconds};"),
        Dialect::Sqlite => String::new(),
    };
    let sql = format!(
        "{limit} SELECT count(*) FROM event e WHERE {} AND NOT EXISTS \
         (SELECT 1 FROM {receipts} r WHERE r.consumer = 'points' AND r.msg_id = e.msg_id); \
         SELECT count(*) FROM {receipts} r WHERE {} AND NOT EXISTS (SELECT 1 FROM event e WHERE e.msg_id = r.msg_id)",
        of_the_day(dialect),
        consumed_about(dialect)
    );
    let mut command = place.client(&sql);
    command.stdout(Stdio::piped());
    command
}
