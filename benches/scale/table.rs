//! The lines as a table.

use crate::args::Args;
use crate::data::Data;
use crate::method::Method;
use crate::rounds::{Line, Verdict};
use crate::sql::around;
use std::fmt::Write as _;
use std::time::Duration;

pub fn render(lines: &[Line], data: &Data, args: &Args) -> String {
    let mut text = head(data, args);
    let of = |wanted: fn(&Method) -> bool| lines.iter().find(|line| wanted(&line.method));
    let clients = of(|method| *method == Method::Clients);
    let stream = of(|method| matches!(method, Method::Msgrecon(None | Some("stream"))));
    writeln!(
        text,
        "{:<24} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>9} {:>9}  result",
        "", "wall s", "cpu s", "server s", "peak MiB", "down MB", "up MB", "x clients", "x stream"
    )
    .unwrap();
    for line in lines {
        writeln!(
            text,
            "{:<24} {:>8} {:>8.2} {:>8} {:>9.1} {:>9} {:>8} {:>9} {:>9}  {}",
            line.method.name(),
            wall(line),
            (line.cpu + line.server_cpu.unwrap_or_default()).as_secs_f64(),
            line.server_cpu.map_or("-".to_owned(), |cpu| format!("{:.2}", cpu.as_secs_f64())),
            line.peak_kib as f64 / 1024.0,
            line.bytes.map_or("-".to_owned(), |(down, _)| megabytes(down)),
            line.bytes.map_or("-".to_owned(), |(_, up)| megabytes(up)),
            ratio(line, clients),
            ratio(line, stream),
            verdict(&line.verdict)
        )
        .unwrap();
    }
    text
}

fn head(data: &Data, args: &Args) -> String {
    let Args { pair, layout, rounds, .. } = args;
    let link = args.rate.map_or("loopback".to_owned(), |rate| format!("{rate} Mbit/s, 20 ms round trip"));
    format!(
        "{} messages of the day and {} around it; {pair:?}, {layout:?}, {link}; medians of {rounds} rounds, highest peaks\n\
         cpu: client and servers; server: servers alone\n",
        data.count,
        around(data.count)
    )
}

fn wall(line: &Line) -> String {
    let sign = if line.verdict == Verdict::Cut { "> " } else { "" };
    format!("{sign}{:.2}", line.wall.as_secs_f64())
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

/// How many times the other's wall.
fn ratio(line: &Line, other: Option<&Line>) -> String {
    other.map_or("-".to_owned(), |other| format!("{:.2}", seconds(line.wall) / seconds(other.wall)))
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64().max(0.001)
}

fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "right",
        Verdict::Wrong(_) => "WRONG",
        Verdict::Cut => "cut",
    }
}
