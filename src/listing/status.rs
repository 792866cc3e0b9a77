//! How far each flow is judged, and what is open: for the one on call, and for a probe.

mod json;

pub use json::json;

use super::{between, name};
use crate::config::Flow;
use crate::ledger::{Ages, Begun, RunHistory};
use crate::model::time::HOUR;
use crate::model::{Alert, AlertState, Micros};
use crate::reconcile::Undone;
use crate::report::Options;
use crate::report::text::{fill_parts, grouped, local, plural};
use crate::schedule::settle;
use chrono_tz::Tz;
use std::io::{self, Write};

/// So many holes are named; the count knows no limit.
const HOLES_NAMED: usize = 3;
/// A window may wait for so much longer than its own length before its flow is overdue, unless somebody says otherwise.
const TOLERANCE: i64 = HOUR;

/// What is known of one flow.
#[derive(Clone, Debug)]
pub struct FlowStatus {
    /// Its name.
    pub name: String,
    /// The configuration has it; else only the ledger remembers it.
    pub configured: bool,
    /// Where it begins, and up to where it is judged; `None` before its first scheduled run.
    pub begun: Option<Begun>,
    /// What is settled and was never judged.
    pub undone: Undone,
    /// When the next window becomes due.
    pub next_due: Option<Micros>,
    /// Open differences.
    pub ages: Ages,
    /// The last run that was begun, of any kind.
    pub last_run: Option<RunHistory>,
    /// The run that is at work on it.
    pub at_work: Option<String>,
    /// Why it is overdue, if it is.
    pub overdue: Option<Overdue>,
    /// Alerts that are pending or fire.
    pub alerts: Vec<Alert>,
    /// So many messages wait to be delivered.
    pub undelivered: u64,
}

/// Why a flow is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// No scheduled run has judged it.
    NeverJudged,
    /// A window has been due since then.
    Since(Micros),
}

/// Whether a flow of the configuration is overdue: a window has been due for longer than `limit`, or than its own length
/// and an hour.
#[must_use]
pub fn overdue(
    flow: &Flow,
    begun: Option<Begun>,
    undone: &Undone,
    as_of: Micros,
    limit: Option<i64>,
) -> Option<Overdue> {
    if begun.is_none() {
        return Some(Overdue::NeverJudged);
    }
    let first = undone.due.first()?;
    let since = first.0.until.plus(settle(flow));
    let limit = limit.unwrap_or_else(|| first.0.micros().saturating_add(TOLERANCE));
    (as_of.since(since) > limit).then_some(Overdue::Since(since))
}

/// For a terminal.
///
/// # Errors
/// Where it cannot be written.
pub fn text(
    mut out: impl Write,
    flows: &[FlowStatus],
    as_of: Micros,
    zone: Tz,
    options: Options,
) -> io::Result<()> {
    let late = flows.iter().filter(|flow| flow.overdue.is_some()).count();
    let head = match late {
        0 => "no flow is overdue".to_owned(),
        _ => format!("{late} of {} overdue", plural(flows.len() as u64, "flow")),
    };
    writeln!(out, "{} · as of {}", tinted(&head, late > 0, options), local(as_of, zone))?;
    for flow in flows {
        writeln!(out, "\n{}", tinted(&title(flow, as_of, zone), flow.overdue.is_some(), options))?;
        for parts in lines(flow, as_of, zone) {
            writeln!(out, "{}", fill_parts(&parts, 2, options.width.into()))?;
        }
    }
    out.flush()
}

/// In the colour of what it says; without colours it says the same.
fn tinted(line: &str, late: bool, options: Options) -> String {
    let code = if late { 31 } else { 32 };
    if options.colour { format!("\u{1b}[1;{code}m{line}\u{1b}[0m") } else { line.to_owned() }
}

fn title(flow: &FlowStatus, as_of: Micros, zone: Tz) -> String {
    let state = match flow.overdue {
        Some(Overdue::NeverJudged) => "overdue: no scheduled run has judged it".to_owned(),
        Some(Overdue::Since(since)) => {
            format!(
                "overdue: a window has been due for {}, since {}",
                between(since, as_of),
                local(since, zone)
            )
        }
        None if flow.configured => "in time".to_owned(),
        None => "not in the configuration any more".to_owned(),
    };
    format!("{} · {state}", name(&flow.name))
}

fn lines(flow: &FlowStatus, as_of: Micros, zone: Tz) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    lines.extend(flow.begun.map(|begun| judged(begun, flow.configured, as_of, zone)));
    let due = &flow.undone.due;
    if let (Some(first), Some(last)) = (due.first(), due.last()) {
        let range = format!("from {} until {}", local(first.0.from, zone), local(last.0.until, zone));
        lines.push(vec![format!("{} due", plural(due.len() as u64, "window")), range]);
    }
    lines.extend((flow.undone.holes > 0).then(|| holes(&flow.undone, zone)));
    lines.extend(flow.next_due.map(|at| vec![format!("next window due at {}", local(at, zone))]));
    lines.push(open(&flow.ages));
    lines.extend(flow.alerts.iter().map(|alert| alert_line(alert, zone)));
    let waiting = plural(flow.undelivered, "message");
    lines.extend(
        (flow.undelivered > 0)
            .then(|| vec![format!("{waiting} not delivered yet; the next run tries again")]),
    );
    lines.push(last_run(flow, zone));
    lines
}

fn judged(begun: Begun, configured: bool, as_of: Micros, zone: Tz) -> Vec<String> {
    let from = local(begun.begin, zone);
    if begun.watermark <= begun.begin {
        return vec![format!("begins at {from}"), "nothing judged yet".to_owned()];
    }
    let mut parts =
        vec![format!("judged without a gap from {from}"), format!("until {}", local(begun.watermark, zone))];
    parts.extend(configured.then(|| format!("{} behind", between(begun.watermark, as_of))));
    parts
}

fn holes(undone: &Undone, zone: Tz) -> Vec<String> {
    let named = undone.due.iter().take(undone.holes.min(HOLES_NAMED));
    let mut parts =
        vec![format!("{}: due, and later windows are judged", plural(undone.holes as u64, "hole"))];
    parts.extend(named.map(|window| local(window.0.from, zone)));
    parts.extend((undone.holes > HOLES_NAMED).then(|| "…".to_owned()));
    parts
}

fn open(ages: &Ages) -> Vec<String> {
    let total: u64 = ages.open.iter().sum();
    let words = ["seen first within an hour", "within a day", "within a week", "before"];
    let mut parts = vec![format!("{} open", plural(total, "difference"))];
    let told = ages.open.iter().zip(words).filter(|(count, _)| **count > 0);
    parts.extend(told.map(|(count, when)| format!("{} {when}", grouped(count.cast_signed()))));
    parts.extend((ages.acknowledged > 0).then(|| format!("{} acknowledged", ages.acknowledged)));
    parts
}

fn alert_line(alert: &Alert, zone: Tz) -> Vec<String> {
    let whose =
        alert.key.consumer.as_deref().map_or_else(String::new, |consumer| format!(" at {}", name(consumer)));
    let state = if alert.state == AlertState::Firing { "alert" } else { "pending alert" };
    let mut parts = vec![
        format!("{state} ({}): {}{whose} {}", alert.level.name(), alert.key.metric, alert.value),
        format!("since {}", local(alert.since, zone)),
    ];
    let silenced = alert.silenced.as_ref();
    parts.extend(
        silenced.map(|one| format!("silenced until {}: {}", local(one.until, zone), name(&one.reason))),
    );
    parts
}

fn last_run(flow: &FlowStatus, zone: Tz) -> Vec<String> {
    let Some(run) = &flow.last_run else { return vec!["no run yet".to_owned()] };
    let mut parts = vec![format!("last run {}", name(&run.run)), format!("as of {}", local(run.as_of, zone))];
    parts.push(if run.scheduled { "scheduled" } else { "by hand" }.to_owned());
    parts.push(match (run.exit_code, run.state.as_str()) {
        (Some(code), _) => format!("exit {code}"),
        (None, "running") => "at work".to_owned(),
        (None, state) => state.to_owned(),
    });
    parts.extend(
        flow.at_work.as_ref().filter(|id| **id != run.run).map(|id| format!("{} is at work", name(id))),
    );
    parts
}

#[cfg(test)]
mod tests {
    use super::super::fixture::flow;
    use super::*;
    use crate::model::alert::Silenced;
    use crate::model::time::{DAY, MINUTE, SECOND};
    use crate::model::{AlertKey, Micros, Span, Verdict, Window};

    const AS_OF: Micros = Micros(1_772_517_600 * SECOND);

    fn windows(hours: &[i64]) -> Vec<Window> {
        let window = |hour: &i64| Span::new(AS_OF.plus(hour * HOUR), AS_OF.plus((hour + 1) * HOUR));
        hours.iter().map(window).map(Window).collect()
    }

    fn begun(hours: i64) -> Begun {
        Begun { begin: AS_OF.plus(-30 * HOUR), watermark: AS_OF.plus(hours * HOUR) }
    }

    fn run(state: &str, exit_code: Option<i64>) -> RunHistory {
        RunHistory {
            run: "20260303T060003Z-1a2b3c4d".to_owned(),
            as_of: AS_OF.plus(-DAY),
            started_at: AS_OF.plus(-DAY),
            finished_at: None,
            version: "0.1.0".to_owned(),
            scheduled: true,
            state: state.to_owned(),
            from: None,
            until: None,
            outcome: None,
            verdict: None,
            complete: None,
            exit_code,
            differences: None,
        }
    }

    fn nothing(name: &str) -> FlowStatus {
        FlowStatus {
            name: name.to_owned(),
            configured: true,
            begun: None,
            undone: Undone::default(),
            next_due: None,
            ages: Ages::default(),
            last_run: None,
            at_work: None,
            overdue: None,
            alerts: Vec::new(),
            undelivered: 0,
        }
    }

    fn firing() -> Alert {
        let key = AlertKey {
            flow: "orders".to_owned(),
            consumer: Some("points".to_owned()),
            metric: "missing".to_owned(),
        };
        Alert {
            key,
            state: AlertState::Firing,
            level: Verdict::Fail,
            value: "12".to_owned(),
            bound: "1".to_owned(),
            since: AS_OF.plus(-DAY),
            held: 1,
            seen_at: AS_OF,
            seen_from: AS_OF,
            seen_until: AS_OF,
            told_at: Some(AS_OF),
            told_level: Some(Verdict::Fail),
            told_ahead: 0,
            cleared_at: None,
            silenced: Some(Silenced { reason: "moving".to_owned(), until: AS_OF.plus(HOUR) }),
        }
    }

    fn flows() -> Vec<FlowStatus> {
        let behind = FlowStatus {
            begun: Some(begun(-9)),
            undone: Undone { due: windows(&[-9, -8, -6, -5, -3, -2]), holes: 4 },
            next_due: Some(AS_OF.plus(15 * MINUTE)),
            ages: Ages { open: [1, 0, 1_200, 3], acknowledged: 2 },
            last_run: Some(run("killed", None)),
            overdue: Some(Overdue::Since(AS_OF.plus(-7 * HOUR))),
            alerts: vec![firing()],
            undelivered: 2,
            ..nothing("orders\u{1b}[2J")
        };
        let in_time = FlowStatus {
            begun: Some(begun(-2)),
            last_run: Some(run("finished", Some(0))),
            ..nothing("refunds")
        };
        let never = FlowStatus { overdue: Some(Overdue::NeverJudged), ..nothing("new") };
        let gone = FlowStatus { configured: false, begun: Some(begun(-20)), ..nothing("old") };
        vec![behind, in_time, never, gone]
    }

    #[test]
    fn the_status_reads_well() {
        let (mut table, mut keys) = (Vec::new(), Vec::new());
        text(&mut table, &flows(), AS_OF, chrono_tz::Asia::Shanghai, Options::default()).unwrap();
        json(&mut keys, &flows(), AS_OF).unwrap();
        let _: serde_json::Value = serde_json::from_slice(&keys).unwrap();
        let [table, keys] = [table, keys].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(!table.chars().any(|c| c.is_control() && c != '\n'), "{table:?}");
        insta::assert_snapshot!(format!("{table}----\n{keys}"));
    }

    #[test]
    fn a_flow_is_overdue_once_a_window_waits_longer_than_itself_and_an_hour() {
        let flow = flow();
        let due = |hour: i64| Undone { due: windows(&[hour]), holes: 0 };
        let told = |undone: &Undone, limit| overdue(&flow, Some(begun(-9)), undone, AS_OF, limit);
        // Due 15 minutes after its end: since 02:15 before.
        assert_eq!(told(&due(-3), None), None);
        assert_eq!(told(&due(-4), None), Some(Overdue::Since(AS_OF.plus(-2 * HOUR - 45 * MINUTE))));
        assert_eq!(told(&due(-4), Some(3 * HOUR)), None);
        assert!(told(&due(-3), Some(HOUR)).is_some());
        assert_eq!(told(&Undone::default(), None), None, "however long ago the last run was: nothing waits");
        assert_eq!(overdue(&flow, None, &Undone::default(), AS_OF, None), Some(Overdue::NeverJudged));
    }
}
