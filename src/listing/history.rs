//! The runs, newest first.

use super::rows::Rows;
use super::{FORMAT_VERSION, between, io_error, name, seconds_between};
use crate::ledger::{FlowHistory, RunHistory};
use crate::model::Micros;
use crate::report::csv::{cell, writer_to};
use crate::report::text::{fill_parts, grouped, local, plural};
use crate::report::{Format, Options};
use chrono_tz::Tz;
use serde::Serialize;
use std::io::{self, Write};

/// One run, and what it came to in the flow that is asked for.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The run; `running` only while it lives.
    pub run: RunHistory,
    /// In one flow.
    pub flow: Option<FlowHistory>,
}

const COLUMNS: [&str; 19] = [
    "run",
    "as_of",
    "started_at",
    "finished_at",
    "duration_seconds",
    "scheduled",
    "state",
    "from",
    "until",
    "outcome",
    "verdict",
    "complete",
    "exit_code",
    "differences",
    "version",
    "flow",
    "windows",
    "new",
    "resolved",
];

#[derive(Serialize)]
struct Row<'a> {
    run: &'a str,
    as_of: Micros,
    started_at: Micros,
    finished_at: Option<Micros>,
    duration_seconds: Option<f64>,
    scheduled: bool,
    state: &'a str,
    from: Option<Micros>,
    until: Option<Micros>,
    outcome: Option<&'a str>,
    verdict: Option<&'a str>,
    complete: Option<bool>,
    exit_code: Option<i64>,
    differences: Option<i64>,
    version: &'a str,
    flow: Option<&'a str>,
    windows: Option<u64>,
    new: Option<i64>,
    resolved: Option<i64>,
}

fn row(listed: &Listed) -> Row<'_> {
    let (run, flow) = (&listed.run, listed.flow.as_ref());
    Row {
        run: &run.run,
        as_of: run.as_of,
        started_at: run.started_at,
        finished_at: run.finished_at,
        duration_seconds: run.finished_at.map(|end| seconds_between(run.started_at, end)),
        scheduled: run.scheduled,
        state: &run.state,
        from: run.from,
        until: run.until,
        outcome: run.outcome.as_deref(),
        verdict: run.verdict.as_deref(),
        complete: run.complete,
        exit_code: run.exit_code,
        differences: run.differences,
        version: &run.version,
        flow: flow.map(|flow| flow.flow.as_str()),
        windows: flow.map(|flow| flow.windows),
        new: flow.and_then(|flow| flow.opened),
        resolved: flow.and_then(|flow| flow.resolved),
    }
}

/// The runs in a format: a table, CSV or JSON.
///
/// # Errors
/// Where it cannot be written.
pub fn write(
    mut out: impl Write,
    runs: &[Listed],
    format: Format,
    zone: Tz,
    options: Options,
) -> io::Result<()> {
    match format {
        Format::Csv => csv(out, runs, options),
        Format::Json => json(out, runs),
        Format::Table | Format::Html => {
            runs.iter().try_for_each(|one| writeln!(out, "{}", text(one, zone, options)))?;
            out.flush()
        }
    }
}

fn json(out: impl Write, runs: &[Listed]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Head {
        format_version: u32,
    }
    #[derive(Serialize)]
    struct Tail {
        listed: usize,
    }
    let mut rows = Rows::begin(out, &Head { format_version: FORMAT_VERSION }, "runs")?;
    runs.iter().try_for_each(|one| rows.row(&row(one)))?;
    rows.end(&Tail { listed: runs.len() }).map(drop)
}

fn csv(out: impl Write, runs: &[Listed], options: Options) -> io::Result<()> {
    let mut out = writer_to(out);
    out.write_record(COLUMNS).map_err(io_error)?;
    for one in runs {
        out.write_record(cells(&row(one), options)).map_err(io_error)?;
    }
    out.flush()
}

fn cells(row: &Row<'_>, options: Options) -> [String; COLUMNS.len()] {
    let time = |at: Option<Micros>| at.map(Micros::to_rfc3339).unwrap_or_default();
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
    [
        cell(row.run, options).into_owned(),
        row.as_of.to_rfc3339(),
        row.started_at.to_rfc3339(),
        time(row.finished_at),
        row.duration_seconds.map(|seconds| seconds.to_string()).unwrap_or_default(),
        row.scheduled.to_string(),
        row.state.to_owned(),
        time(row.from),
        time(row.until),
        word(row.outcome),
        word(row.verdict),
        row.complete.map(|yes| yes.to_string()).unwrap_or_default(),
        number(row.exit_code),
        number(row.differences),
        row.version.to_owned(),
        cell(row.flow.unwrap_or_default(), options).into_owned(),
        row.windows.map(|count| count.to_string()).unwrap_or_default(),
        number(row.new),
        number(row.resolved),
    ]
}

/// The run and what it came to; below it when it was and what it judged.
fn text(listed: &Listed, zone: Tz, options: Options) -> String {
    let run = &listed.run;
    let width = usize::from(options.width);
    let mut lines = vec![fill_parts(&came_to(listed), 0, width)];
    let by = if run.scheduled { "scheduled" } else { "by hand" };
    let mut when = vec![format!("as of {}", local(run.as_of, zone)), by.to_owned()];
    when.push(format!("started {}", local(run.started_at, zone)));
    when.extend(run.finished_at.map(|end| format!("took {}", between(run.started_at, end))));
    lines.push(fill_parts(&when, 4, width));
    if let (Some(from), Some(until)) = (run.from, run.until) {
        let range = if from == until {
            "nothing was due".to_owned()
        } else {
            format!("judged {} until {}", local(from, zone), local(until, zone))
        };
        lines.push(fill_parts(&[range], 4, width));
    }
    lines.extend(listed.flow.as_ref().map(|flow| fill_parts(&of_flow(flow), 4, width)));
    lines.join("\n")
}

fn came_to(listed: &Listed) -> Vec<String> {
    let run = &listed.run;
    let mut parts = vec![name(&run.run)];
    if run.state != "finished" {
        parts.push(run.state.clone());
        return parts;
    }
    parts.extend(run.exit_code.map(|code| format!("exit {code}")));
    parts.extend(run.outcome.clone());
    parts.extend(run.verdict.as_ref().map(|verdict| format!("verdict {verdict}")));
    parts.extend(run.complete.map(|yes| if yes { "complete" } else { "incomplete" }.to_owned()));
    let count = run.differences.and_then(|count| u64::try_from(count).ok());
    parts.extend(count.map(|count| plural(count, "difference")));
    parts
}

fn of_flow(flow: &FlowHistory) -> Vec<String> {
    let mut parts = vec![name(&flow.flow), plural(flow.windows, "window")];
    parts.extend(flow.opened.map(|count| format!("{} new", grouped(count))));
    parts.extend(flow.resolved.map(|count| format!("{} resolved", grouped(count))));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::{HOUR, SECOND};

    fn run(state: &str) -> RunHistory {
        let at = Micros(1_772_517_600 * SECOND);
        let finished = state == "finished";
        RunHistory {
            run: "20260303T060003Z-1a2b3c4d".to_owned(),
            as_of: at,
            started_at: at.plus(3 * SECOND),
            finished_at: finished.then(|| at.plus(75 * SECOND)),
            version: "0.1.0".to_owned(),
            scheduled: true,
            state: state.to_owned(),
            from: finished.then(|| at.plus(-30 * HOUR)),
            until: finished.then(|| at.plus(-HOUR)),
            outcome: finished.then(|| "differences".to_owned()),
            verdict: finished.then(|| "fail".to_owned()),
            complete: finished.then_some(false),
            exit_code: finished.then_some(1),
            differences: finished.then_some(1_234),
        }
    }

    fn runs() -> Vec<Listed> {
        let flow = FlowHistory {
            flow: "=orders\u{202e}".to_owned(),
            windows: 29,
            outcome: Some("differences".to_owned()),
            verdict: Some("fail".to_owned()),
            differences: Some(1_234),
            opened: Some(34),
            resolved: Some(2),
        };
        let by_hand = RunHistory { scheduled: false, ..run("killed") };
        vec![
            Listed { run: run("running"), flow: None },
            Listed { run: by_hand, flow: None },
            Listed { run: run("finished"), flow: Some(flow) },
        ]
    }

    fn written(format: Format) -> String {
        let mut out = Vec::new();
        write(&mut out, &runs(), format, chrono_tz::Asia::Shanghai, Options::default()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn runs_read_well_in_every_format() {
        insta::assert_snapshot!([Format::Table, Format::Csv, Format::Json].map(written).join("----\n"));
        let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(json["runs"][2]["flow"], "=orders\u{202e}");
        assert_eq!(json["listed"], 3);
    }
}
