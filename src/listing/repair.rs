//! Repair lists: what is to be done with each difference, at each consumer. Nothing here does it.

use super::rows::Rows;
use super::{FORMAT_VERSION, io_error};
use crate::model::{Difference, Id, Kind, Micros};
use crate::report::csv::{cell, writer_to};
use crate::report::{Format, Options};
use serde::Serialize;
use std::io::{self, Write};

const COLUMNS: [&str; 10] = [
    "flow",
    "consumer",
    "action",
    "id",
    "kind",
    "window_from",
    "created_at",
    "acked_at",
    "detail",
    "checked_at",
];

/// What repairs a difference of a kind.
#[must_use]
pub fn action(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => "replay",
        Kind::AckLost => "mark_sent",
        Kind::DeadLettered => "requeue",
        Kind::Stuck | Kind::PublishFailed => "re_arm",
        Kind::Duplicate | Kind::Late => "ignore",
        // The last five are no differences; whoever meets one should look.
        Kind::Orphan
        | Kind::Unattributable
        | Kind::Ok
        | Kind::Discarded
        | Kind::InFlight
        | Kind::Unverifiable
        | Kind::Pending => "inspect",
    }
}

#[derive(Serialize)]
struct Row<'a> {
    flow: &'a str,
    consumer: Option<&'a str>,
    action: &'static str,
    id: &'a Option<Id>,
    kind: Kind,
    window_from: Option<Micros>,
    created_at: Option<Micros>,
    acked_at: Option<Micros>,
    detail: &'a str,
    checked_at: Micros,
}

fn row(difference: &Difference, checked_at: Micros) -> Row<'_> {
    Row {
        flow: &difference.flow,
        consumer: difference.consumer.as_deref(),
        action: action(difference.kind),
        id: &difference.id,
        kind: difference.kind,
        window_from: difference.window_from,
        created_at: difference.created_at,
        acked_at: difference.acked_at,
        detail: &difference.detail,
        checked_at,
    }
}

enum Form<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json(Rows<W>),
}

/// A repair list that is being written.
pub struct Repair<W: Write> {
    form: Form<W>,
    checked_at: Micros,
    options: Options,
    count: u64,
}

impl<W: Write> Repair<W> {
    /// Writes what stands before the differences, which were looked up as of `checked_at`.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(out: W, format: Format, checked_at: Micros, options: Options) -> io::Result<Self> {
        #[derive(Serialize)]
        struct Head {
            format_version: u32,
            checked_at: Micros,
        }
        let form = if format == Format::Json {
            let head = Head { format_version: FORMAT_VERSION, checked_at };
            Form::Json(Rows::begin(out, &head, "repairs")?)
        } else {
            let mut out = writer_to(out);
            out.write_record(COLUMNS).map_err(io_error)?;
            Form::Csv(Box::new(out))
        };
        Ok(Self { form, checked_at, options, count: 0 })
    }

    /// How many were written.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes one.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn difference(&mut self, difference: &Difference) -> io::Result<()> {
        self.count += 1;
        let row = row(difference, self.checked_at);
        match &mut self.form {
            Form::Csv(out) => out.write_record(cells(&row, self.options)).map_err(io_error),
            Form::Json(rows) => rows.row(&row),
        }
    }

    /// Writes what stands behind them; gives back where it went.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn end(self) -> io::Result<W> {
        #[derive(Serialize)]
        struct Tail {
            listed: u64,
        }
        match self.form {
            Form::Csv(out) => out.into_inner().map_err(csv::IntoInnerError::into_error),
            Form::Json(rows) => rows.end(&Tail { listed: self.count }),
        }
    }
}

fn cells(row: &Row<'_>, options: Options) -> [String; COLUMNS.len()] {
    let time = |at: Option<Micros>| at.map(Micros::to_rfc3339).unwrap_or_default();
    let text = |text: &str| cell(text, options).into_owned();
    [
        text(row.flow),
        text(row.consumer.unwrap_or_default()),
        row.action.to_owned(),
        text(&row.id.as_ref().map(ToString::to_string).unwrap_or_default()),
        row.kind.name().to_owned(),
        time(row.window_from),
        time(row.created_at),
        time(row.acked_at),
        text(row.detail),
        row.checked_at.to_rfc3339(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::entries;
    use super::*;

    fn written(format: Format) -> String {
        let entries = entries();
        let as_of = entries[0].last_seen;
        let mut repair = Repair::begin(Vec::new(), format, as_of, Options::default()).unwrap();
        for entry in &entries {
            repair.difference(&entry.to_difference(as_of, None)).unwrap();
        }
        assert_eq!(repair.count(), entries.len() as u64);
        String::from_utf8(repair.end().unwrap()).unwrap()
    }

    #[test]
    fn a_repair_list_says_what_to_do() {
        insta::assert_snapshot!([Format::Csv, Format::Json].map(written).join("----\n"));
        let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(json["repairs"][0]["action"], "replay");
    }

    #[test]
    fn every_difference_has_an_action_and_only_the_lost_are_replayed() {
        let replayed: Vec<_> = Kind::ALL.into_iter().filter(|kind| action(*kind) == "replay").collect();
        assert_eq!(replayed, [Kind::Missing]);
    }
}
