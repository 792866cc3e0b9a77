//! The databases that hold sources, and msgrecon's own.

use super::Files;
use super::url::database_url;
use super::{pace, value};
use crate::config::tree::{Item, Section};
use crate::config::{Database, Dialect, Ledger};
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::collections::BTreeMap;

/// Where the ledger lies unless the file says otherwise.
const LEDGER_URL: &str = "sqlite://msgrecon.db";
const STATEMENT_TIMEOUT_MS: u64 = 60_000;
const CONNECTIONS: u32 = 4;
/// A batch job that needs more connections than this takes them from somebody else.
const CONNECTIONS_MAX: u32 = 100;

const KEYS: [&str; 7] =
    ["url", "url_file", "time_zone", "statement_timeout", "max_connections", "fresh_until", "strategy"];

/// `[ledger]`, which may be left out.
///
/// It never lies where a source does: nothing is ever written to those.
pub(super) fn ledger(
    root: &Section<'_>,
    files: &Files<'_>,
    sources: &BTreeMap<String, Database>,
) -> Option<Ledger> {
    let section = match root.item("ledger") {
        Some(item) => Some(item.section(&["url", "url_file"])?),
        None => None,
    };
    let section =
        section.filter(|section| section.item("url").or_else(|| section.item("url_file")).is_some());
    let (dialect, url) = match section {
        Some(section) => url(&section, files)?,
        None => match database_url(LEDGER_URL, files.folder) {
            Ok((dialect, url)) => (dialect, url.into()),
            Err(message) => return root.missing("ledger", &message),
        },
    };
    let place = place(dialect, &url);
    let taken =
        sources.values().find(|source| place.is_some() && place == self::place(source.dialect, &source.url));
    if let Some(source) = taken {
        return root.missing(
            "ledger",
            &format!("lies in database `{}`, which holds sources, and nothing is written to those: give the ledger a database of its own", source.name),
        );
    }
    Some(Ledger { url })
}

/// Where a URL leads, without user, password and parameters.
fn place(dialect: Dialect, url: &SecretString) -> Option<(Dialect, String)> {
    let text = url.expose_secret();
    let place = match dialect {
        Dialect::Sqlite => text.parse::<SqliteConnectOptions>().ok()?.get_filename().display().to_string(),
        Dialect::Postgres => {
            let options = text.parse::<PgConnectOptions>().ok()?;
            let name = options.get_database().unwrap_or(options.get_username());
            format!("{}:{}/{name}", options.get_host(), options.get_port())
        }
        Dialect::Mysql => {
            let options = text.parse::<MySqlConnectOptions>().ok()?;
            format!("{}:{}/{}", options.get_host(), options.get_port(), options.get_database().unwrap_or(""))
        }
    };
    Some((dialect, place))
}

/// `[databases.…]`.
pub(super) fn databases(entries: &[(&str, Item<'_>)], files: &Files<'_>) -> BTreeMap<String, Database> {
    let checked = |(name, item): &(&str, Item<'_>)| Some(((*name).to_owned(), database(name, item, files)?));
    entries.iter().filter_map(checked).collect()
}

fn database(name: &str, item: &Item<'_>, files: &Files<'_>) -> Option<Database> {
    let section = item.section(&[&KEYS[..], &pace::KEYS[..]].concat())?;
    let name =
        if name.trim().is_empty() { item.problem("a database needs a name") } else { Some(name.to_owned()) };
    let url = url(&section, files);
    let time_zone = section.get("time_zone", value::zone);
    let statement_timeout_ms = section.get("statement_timeout", milliseconds).unwrap_or(STATEMENT_TIMEOUT_MS);
    let max_connections = section.get("max_connections", connections).unwrap_or(CONNECTIONS);
    let fresh_until = section.get("fresh_until", Item::filled_text);
    let strategy = section.get("strategy", value::strategy);
    let pace = pace::pace(&section, url.as_ref().map(|(dialect, _)| *dialect));
    let (dialect, url) = url?;
    Some(Database {
        name: name?,
        dialect,
        url,
        time_zone,
        statement_timeout_ms,
        max_connections,
        fresh_until,
        strategy,
        pace,
    })
}

fn milliseconds(item: &Item<'_>) -> Option<u64> {
    match u64::try_from(value::duration(item)? / 1_000) {
        Ok(milliseconds) if milliseconds > 0 => Some(milliseconds),
        _ => item.problem("must be at least 1ms"),
    }
}

fn connections(item: &Item<'_>) -> Option<u32> {
    match u32::try_from(item.count()?) {
        Ok(connections) if (1..=CONNECTIONS_MAX).contains(&connections) => Some(connections),
        _ => item.problem(format!("must be from 1 to {CONNECTIONS_MAX}")),
    }
}

fn url(section: &Section<'_>, files: &Files<'_>) -> Option<(Dialect, SecretString)> {
    if section.item("url").is_none() && section.item("url_file").is_none() {
        return section.missing("url", "is missing; give `url` or `url_file`");
    }
    let item = section.either("url", "url_file")?;
    let (text, place) = match section.item("url") {
        Some(_) => (item.text()?.to_owned(), String::new()),
        None => from_file(&item, files)?,
    };
    if text.trim().is_empty() {
        return item.problem(format!("{place}is empty"));
    }
    match database_url(&text, files.folder) {
        Ok((dialect, url)) => Some((dialect, url.into())),
        Err(message) => item.problem(format!("{place}{message}")),
    }
}

/// The content of a file with a secret, without the newline that editors put at its end, and how to name the file.
fn from_file(item: &Item<'_>, files: &Files<'_>) -> Option<(String, String)> {
    let path = item.filled_text()?;
    // Not repeated: it may be the secret itself.
    if path.contains("://") {
        return item.problem("is the path of a file that holds the URL; the URL itself goes to `url`");
    }
    let path = files.folder.join(path);
    match (files.read_secret)(&path) {
        Ok(text) => {
            let text = text.strip_suffix('\n').unwrap_or(&text);
            let text = text.strip_suffix('\r').unwrap_or(text);
            Some((text.to_owned(), format!("{} ", path.display())))
        }
        Err(error) => item.problem(format!("{} cannot be read: {error}", path.display())),
    }
}
