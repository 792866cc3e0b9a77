//! `windows.csv` and `differences.csv`: for spreadsheets and scripts.
//!
//! Lines end in LF and cells are quoted where they must be, so every character survives. A cell that holds data and
//! would run as a formula gets an apostrophe in front ([`guard`]); [`unguard`] takes it off again. A message without
//! an id and one whose id is empty both have an empty cell here; `report.json` tells them apart.

use super::facts::{COUNT_NAMES, count_values};
use super::json::to_the_millisecond;
use super::text::NOT_DECIDABLE;
use super::{Options, RenderError};
use crate::model::window::label;
use crate::model::{ConsumerReport, Difference, Micros, Run, Totals, Window};
use std::borrow::Cow;

/// Printed in the cells of a consumer that could not be judged; never 0.
pub const NOT_JUDGED: &str = "not judged";

/// The columns of `differences.csv`: the keys of `report.json`.
pub const DIFFERENCE_COLUMNS: [&str; 14] = [
    "flow",
    "consumer",
    "kind",
    "id",
    "window_from",
    "created_at",
    "acked_at",
    "consumed_at",
    "age_seconds",
    "first_seen",
    "detail",
    "status",
    "times_seen",
    "after_first_check",
];

const WINDOW_COLUMNS: [&str; 5] = ["flow", "consumer", "from", "until", "label"];

/// One line for each flow, consumer and window. A consumer that could not be judged has one line without a window,
/// with `not judged` for its counts.
///
/// # Errors
///
/// None that is known: the writer is memory and all lines have the same number of cells.
pub fn windows(run: &Run, options: Options) -> Result<Vec<u8>, RenderError> {
    let mut out = writer();
    out.write_record(WINDOW_COLUMNS.iter().chain(&COUNT_NAMES))?;
    for flow in &run.flows {
        for consumer in &flow.consumers {
            let names = [cell(&flow.name, options), cell(&consumer.name, options)];
            for line in consumer_lines(consumer, run) {
                out.write_record(names.iter().map(AsRef::as_ref).chain(line.iter().map(String::as_str)))?;
            }
        }
    }
    finish(out)
}

/// Everything of a line behind the names.
fn consumer_lines(consumer: &ConsumerReport, run: &Run) -> Vec<Vec<String>> {
    let line = |(window, totals): &(Window, Totals)| {
        let Window(span) = window;
        let times = [span.from.to_rfc3339(), span.until.to_rfc3339(), label(span.from, run.time_zone)];
        let counts = count_values(totals, &consumer.not_decidable).map(count_cell);
        times.into_iter().chain(counts).collect()
    };
    let nothing = || {
        let counts = COUNT_NAMES.map(|_| NOT_JUDGED.to_owned());
        [const { String::new() }; 3].into_iter().chain(counts).collect()
    };
    match &consumer.counts {
        Some(counts) => counts.windows.iter().map(line).collect(),
        None => vec![nothing()],
    }
}

fn count_cell(count: Option<i64>) -> String {
    count.map_or_else(|| NOT_DECIDABLE.to_owned(), |count| count.to_string())
}

/// One line for each difference that the run lists.
///
/// # Errors
///
/// None that is known: the writer is memory and all lines have the same number of cells.
pub fn differences(run: &Run, options: Options) -> Result<Vec<u8>, RenderError> {
    let mut out = Vec::new();
    write_differences(run, options, &mut out)?;
    Ok(out)
}

/// The same, written as it is made.
///
/// # Errors
///
/// Where it cannot be written.
pub fn write_differences(
    run: &Run,
    options: Options,
    out: &mut impl std::io::Write,
) -> Result<(), RenderError> {
    let mut out = writer_to(out);
    out.write_record(DIFFERENCE_COLUMNS)?;
    for difference in &run.differences {
        let line = difference_line(difference, options);
        out.write_record(line.iter().map(|cell| cell.as_bytes()))?;
    }
    out.flush().map_err(RenderError::Write)
}

fn difference_line(difference: &Difference, options: Options) -> [Cow<'_, str>; DIFFERENCE_COLUMNS.len()] {
    let time = |at: Option<Micros>| Cow::Owned(at.map(Micros::to_rfc3339).unwrap_or_default());
    let id = difference.id.as_ref().map(ToString::to_string).unwrap_or_default();
    let age = difference.age.map(|age| to_the_millisecond(age).to_string());
    [
        cell(&difference.flow, options),
        cell(difference.consumer.as_deref().unwrap_or_default(), options),
        Cow::Borrowed(difference.kind.name()),
        Cow::Owned(cell(&id, options).into_owned()),
        time(difference.window_from),
        time(difference.created_at),
        time(difference.acked_at),
        time(difference.consumed_at),
        Cow::Owned(age.unwrap_or_default()),
        time(Some(difference.first_seen)),
        cell(&difference.detail, options),
        Cow::Borrowed(difference.status.name()),
        Cow::Owned(difference.times_seen.to_string()),
        Cow::Borrowed(if difference.after_first_check { "true" } else { "false" }),
    ]
}

/// A cell of data: guarded, unless somebody wants it raw.
#[must_use]
pub fn cell(text: &str, options: Options) -> Cow<'_, str> {
    if options.csv_raw { Cow::Borrowed(text) } else { guard(text) }
}

/// Puts an apostrophe before text that a spreadsheet would take for a formula (`=`, `+`, `-`, `@`, their full-width
/// forms, tab, CR, LF in front), and before an apostrophe, so that [`unguard`] can tell.
#[must_use]
pub fn guard(text: &str) -> Cow<'_, str> {
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '\t' | '\r' | '\n' | '\'') => {
            Cow::Owned(format!("'{text}"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// The text that [`guard`] was given.
#[must_use]
pub fn unguard(cell: &str) -> String {
    cell.strip_prefix('\'').unwrap_or(cell).to_owned()
}

fn writer() -> ::csv::Writer<Vec<u8>> {
    writer_to(Vec::new())
}

/// Lines end in LF, wherever they go.
pub fn writer_to<W: std::io::Write>(out: W) -> ::csv::Writer<W> {
    ::csv::WriterBuilder::new().terminator(::csv::Terminator::Any(b'\n')).from_writer(out)
}

fn finish(out: ::csv::Writer<Vec<u8>>) -> Result<Vec<u8>, RenderError> {
    out.into_inner().map_err(|error| RenderError::Write(error.into_error()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: Result<Vec<u8>, RenderError>) -> String {
        String::from_utf8(bytes.unwrap()).unwrap()
    }

    #[test]
    fn windows_have_a_line_each() {
        insta::assert_snapshot!(text(windows(&fixture::rich(), Options::default())));
    }

    #[test]
    fn differences_have_a_line_each() {
        insta::assert_snapshot!(text(differences(&fixture::rich(), Options::default())));
    }

    #[test]
    fn no_cell_of_data_starts_a_formula_and_every_id_comes_back() {
        let run = fixture::rich();
        let bytes = differences(&run, Options::default()).unwrap();
        let raw = differences(&run, Options { csv_raw: true, ..Options::default() }).unwrap();
        let read = |bytes: &[u8], column: usize| -> Vec<String> {
            ::csv::Reader::from_reader(bytes).records().map(|line| line.unwrap()[column].to_owned()).collect()
        };
        let ids: Vec<_> = run
            .differences
            .iter()
            .map(|one| one.id.as_ref().map(ToString::to_string).unwrap_or_default())
            .collect();
        let guarded = read(&bytes, 3);
        for column in [0, 1, 3, 10] {
            assert!(
                read(&bytes, column).iter().all(|cell| !cell.starts_with(['=', '+', '-', '@', '\t', '\r']))
            );
        }
        assert_eq!(guarded.iter().map(|cell| unguard(cell)).collect::<Vec<_>>(), ids);
        assert_eq!(read(&raw, 3), ids);
    }

    proptest! {
        #[test]
        fn any_text_comes_back_through_guard_and_file(texts in proptest::collection::vec("[=+@'\t\r\n\",-]{0,3}.{0,5}", 1..5)) {
            let mut out = writer();
            // As in the real files a header comes first: readers take a byte order mark off the first cell.
            out.write_record(["a", "b"]).unwrap();
            for text in &texts {
                out.write_record([guard(text).as_ref(), "x"]).unwrap();
            }
            let bytes = finish(out).unwrap();
            let back: Vec<_> = ::csv::Reader::from_reader(&bytes[..]).records()
                .map(|line| unguard(&line.unwrap()[0])).collect();
            prop_assert_eq!(back, texts);
        }
    }
}
