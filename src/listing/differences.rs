//! Differences with everything that the ledger knows of them, written as they come.

use super::rows::Rows;
use super::{FORMAT_VERSION, io_error, name};
use crate::ledger::{Entry, State};
use crate::model::{Id, Kind, Micros};
use crate::report::csv::{cell, writer_to};
use crate::report::facts::life::FOUND_LATER;
use crate::report::text::{age, exact, local, plural};
use crate::report::{Format, Options};
use chrono_tz::Tz;
use serde::Serialize;
use std::io::{self, Write};

const COLUMNS: [&str; 20] = [
    "flow",
    "consumer",
    "kind",
    "id",
    "state",
    "window_from",
    "created_at",
    "acked_at",
    "consumed_at",
    "age_seconds",
    "detail",
    "first_seen",
    "last_seen",
    "times_seen",
    "after_first_check",
    "acknowledged_until",
    "acknowledged_reason",
    "resolved_at",
    "resolution",
    "history",
];

/// As of when it is listed, and how.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Ages count up to here, acknowledgements hold or do not.
    pub as_of: Micros,
    /// Of local times.
    pub zone: Tz,
    /// Width of the terminal, cells as they are.
    pub options: Options,
}

#[derive(Serialize)]
struct Row<'a> {
    flow: &'a str,
    consumer: Option<&'a str>,
    kind: Kind,
    id: &'a Id,
    state: &'static str,
    window_from: Option<Micros>,
    created_at: Option<Micros>,
    acked_at: Option<Micros>,
    consumed_at: Option<Micros>,
    age_seconds: Option<f64>,
    detail: &'a str,
    first_seen: Micros,
    last_seen: Micros,
    times_seen: u64,
    after_first_check: bool,
    acknowledged_until: Option<Micros>,
    acknowledged_reason: Option<&'a str>,
    resolved_at: Option<Micros>,
    resolution: Option<&'a str>,
    history: Vec<Moment>,
}

#[derive(Serialize)]
struct Moment {
    at: Micros,
    kind: Kind,
    state: &'static str,
}

/// How a list names the state of a difference: `acknowledged` is open, and somebody knows.
fn state(entry: &Entry, as_of: Micros) -> &'static str {
    let known = entry.ack_until.is_some_and(|until| until > as_of);
    if entry.state == State::Open && known { "acknowledged" } else { entry.state.name() }
}

fn row(entry: &Entry, as_of: Micros) -> Row<'_> {
    let moments = entry.history.iter();
    Row {
        flow: &entry.flow,
        consumer: entry.consumer.as_deref(),
        kind: entry.kind,
        id: &entry.id,
        state: state(entry, as_of),
        window_from: entry.window_from,
        created_at: entry.created_at,
        acked_at: entry.acked_at,
        consumed_at: entry.consumed_at,
        age_seconds: entry.home_at.map(|home| super::seconds_between(home, as_of)),
        detail: &entry.detail,
        first_seen: entry.first_seen,
        last_seen: entry.last_seen,
        times_seen: entry.times_seen,
        after_first_check: entry.found_late,
        acknowledged_until: entry.ack_until,
        acknowledged_reason: entry.ack_reason.as_deref(),
        resolved_at: entry.resolved_at,
        resolution: entry.resolution.as_deref(),
        history: moments.map(|one| Moment { at: one.at, kind: one.kind, state: one.state.name() }).collect(),
    }
}

fn cells(row: &Row<'_>, options: Options) -> [String; COLUMNS.len()] {
    let time = |at: Option<Micros>| at.map(Micros::to_rfc3339).unwrap_or_default();
    let text = |text: Option<&str>| cell(text.unwrap_or_default(), options).into_owned();
    let moments = row.history.iter().map(|one| format!("{} {} {}", one.at, one.kind, one.state));
    [
        text(Some(row.flow)),
        text(row.consumer),
        row.kind.name().to_owned(),
        text(Some(&row.id.to_string())),
        row.state.to_owned(),
        time(row.window_from),
        time(row.created_at),
        time(row.acked_at),
        time(row.consumed_at),
        row.age_seconds.map(|age| age.to_string()).unwrap_or_default(),
        text(Some(row.detail)),
        row.first_seen.to_rfc3339(),
        row.last_seen.to_rfc3339(),
        row.times_seen.to_string(),
        row.after_first_check.to_string(),
        time(row.acknowledged_until),
        text(row.acknowledged_reason),
        time(row.resolved_at),
        text(row.resolution),
        moments.collect::<Vec<_>>().join("; "),
    ]
}

enum Form<W: Write> {
    Text(W),
    Csv(Box<csv::Writer<W>>),
    Json(Rows<W>),
}

/// A list that is being written.
pub struct Listing<W: Write> {
    form: Form<W>,
    view: View,
    /// Under which heading the text is.
    side: Option<(String, Option<String>)>,
    count: u64,
}

impl<W: Write> Listing<W> {
    /// Writes what stands before the differences.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(out: W, format: Format, view: View) -> io::Result<Self> {
        #[derive(Serialize)]
        struct Head {
            format_version: u32,
            as_of: Micros,
        }
        let form = match format {
            Format::Csv => {
                let mut out = writer_to(out);
                out.write_record(COLUMNS).map_err(io_error)?;
                Form::Csv(Box::new(out))
            }
            Format::Json => {
                let head = Head { format_version: FORMAT_VERSION, as_of: view.as_of };
                Form::Json(Rows::begin(out, &head, "differences")?)
            }
            Format::Table | Format::Html => Form::Text(out),
        };
        Ok(Self { form, view, side: None, count: 0 })
    }

    /// Writes one; they come by flow and consumer.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        self.count += 1;
        let view = self.view;
        match &mut self.form {
            Form::Csv(out) => {
                out.write_record(cells(&row(entry, view.as_of), view.options)).map_err(io_error)
            }
            Form::Json(rows) => rows.row(&row(entry, view.as_of)),
            Form::Text(out) => {
                let side = Some((entry.flow.clone(), entry.consumer.clone()));
                if self.side != side {
                    let blank = if self.side.is_some() { "\n" } else { "" };
                    writeln!(out, "{blank}{}", super::side(&entry.flow, entry.consumer.as_deref()))?;
                    self.side = side;
                }
                writeln!(out, "{}", text(entry, view))
            }
        }
    }

    /// Writes what stands behind them; `more` says that the list was cut.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn end(self, more: bool) -> io::Result<()> {
        #[derive(Serialize)]
        struct Tail {
            listed: u64,
            more: bool,
        }
        match self.form {
            Form::Csv(mut out) => out.flush(),
            Form::Json(rows) => rows.end(&Tail { listed: self.count, more }).map(drop),
            Form::Text(mut out) => {
                let cut = if more { "; there are more: see --limit" } else { "" };
                let blank = if self.count > 0 { "\n" } else { "" };
                writeln!(out, "{blank}{}{cut}", plural(self.count, "difference"))?;
                out.flush()
            }
        }
    }
}

/// `missing        m1 · window … · age 19h · 2× since …`
fn text(entry: &Entry, view: View) -> String {
    let at = |at| local(at, view.zone);
    let mut parts = vec![name(&entry.id.to_string())];
    parts.extend(entry.window_from.map(|from| format!("window {}", at(from))));
    parts.extend(entry.home_at.map(|home| format!("age {}", age(view.as_of.since(home)))));
    if !entry.detail.is_empty() {
        parts.push(exact(&entry.detail, 2 * super::TEXT_MAX));
    }
    parts.push(format!("seen {}× since {}", entry.times_seen, at(entry.first_seen)));
    parts.extend(entry.found_late.then(|| FOUND_LATER.to_owned()));
    parts.extend(fate(entry, view));
    format!("  {:<15}{}", entry.kind.name(), parts.join(" · "))
}

fn fate(entry: &Entry, view: View) -> Option<String> {
    let words = |text: &Option<String>| exact(text.as_deref().unwrap_or_default(), 2 * super::TEXT_MAX);
    match (state(entry, view.as_of), entry.ack_until, entry.resolved_at) {
        ("acknowledged", Some(until), _) => {
            Some(format!("acknowledged until {}: {}", local(until, view.zone), words(&entry.ack_reason)))
        }
        ("open", Some(until), _) => Some(format!("was acknowledged until {}", local(until, view.zone))),
        (word @ ("resolved" | "expired"), _, Some(at)) => {
            Some(format!("{word} {}: {}", local(at, view.zone), words(&entry.resolution)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::entries;
    use super::*;

    fn written(format: Format, options: Options) -> String {
        let entries = entries();
        let view = View { as_of: entries[0].last_seen, zone: chrono_tz::Asia::Shanghai, options };
        let mut out = Vec::new();
        let mut listing = Listing::begin(&mut out, format, view).unwrap();
        entries.iter().for_each(|entry| listing.entry(entry).unwrap());
        listing.end(format == Format::Table).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn differences_read_well_in_every_format() {
        let written = |format| written(format, Options::default());
        insta::assert_snapshot!([Format::Table, Format::Csv, Format::Json].map(written).join("----\n"));
        let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(json["listed"], entries().len());
        assert_eq!(json["differences"][0]["id"], entries()[0].id.to_string());
    }

    #[test]
    fn cells_are_guarded_unless_they_are_wanted_raw() {
        let raw = Options { csv_raw: true, ..Options::default() };
        assert!(written(Format::Csv, Options::default()).contains("'=1+1"));
        assert!(!written(Format::Csv, raw).contains("'=1+1"));
    }

    #[test]
    fn no_data_steers_the_terminal() {
        let text = written(Format::Table, Options::default());
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}
