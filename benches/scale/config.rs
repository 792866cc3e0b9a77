//! `msgrecon.toml` for the data.

use crate::args::Layout;
use crate::common::place::{Dialect, Place};
use crate::data::Data;
use crate::sql::DATABASES;
use std::fmt::Write as _;

/// The configuration; `strategy` is left out for a program that does not know it.
pub fn text(data: &Data, strategy: Option<&str>) -> String {
    let mut text = String::new();
    for (at, (producer, consumer)) in data.producers.iter().zip(&data.consumers).enumerate() {
        let receipts = if producer == consumer { format!("p{at}") } else { format!("c{at}") };
        text += &database(&format!("p{at}"), producer);
        if producer != consumer {
            text += &database(&receipts, consumer);
        }
        text += &flow(data, at, strategy);
        write!(
            text,
            "[flows.events]\ndatabase = \"p{at}\"\n{}\nid = \"msg_id\"\ncreated_at = {}\nacked_at = {}\n\
             acked = \"status = 1\"\npending = \"status = 0\"\n\
             [[flows.consumers]]\nname = \"points\"\ndatabase = \"{receipts}\"\n{}\nconsumer = \"consumer\"\n\
             id = \"msg_id\"\nconsumed_at = {}\n",
            tables(data, "event"),
            time(producer, "created_at"),
            time(producer, "sent_at"),
            tables(data, data.receipts_table()),
            time(consumer, "consumed_at"),
        )
        .unwrap();
    }
    text
}

fn database(name: &str, place: &Place) -> String {
    format!("[databases.{name}]\nurl = '{}'\ntime_zone = \"UTC\"\n", place.url())
}

fn flow(data: &Data, at: usize, strategy: Option<&str>) -> String {
    let name = if data.producers.len() == 1 { "day".to_owned() } else { format!("day-{at}") };
    let strategy = strategy.map(|name| format!("strategy = \"{name}\"\n")).unwrap_or_default();
    format!("[[flows]]\nname = \"{name}\"\nlate_after = \"1m\"\n{strategy}")
}

fn tables(data: &Data, table: &str) -> String {
    match data.layout {
        Layout::Shards(count) => format!("tables = [\"{table}_{{000..{:03}}}\"]", count / DATABASES - 1),
        Layout::OneTable | Layout::Unpaired => format!("table = \"{table}\""),
    }
}

fn time(place: &Place, column: &str) -> String {
    match place.dialect() {
        Dialect::Sqlite => format!("{{ column = \"{column}\", format = \"epoch-us\" }}"),
        Dialect::Postgres | Dialect::Mysql => format!("\"{column}\""),
    }
}
