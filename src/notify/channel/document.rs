//! What is told, as JSON for programs: names and values as in `report.json`, lists with how long they are in all.

use super::letter::Letter;
use super::size::Size;
use crate::model::alert::{Event, Notice};
use crate::model::{Alert, Difference, Problem};
use crate::report::facts;
use crate::report::json::to_the_millisecond;
use serde_json::{Value, json};

/// `{type, timestamp, data}`, as Standard Webhooks has it. Fields may be added; none changes its meaning.
pub(super) fn document(letter: &Letter<'_>, size: Size) -> Value {
    json!({ "type": name(letter), "timestamp": letter.digest.as_of, "data": data(letter, size) })
}

/// `msgrecon.run.alert`, `.report`, `.all_quiet`, `.test`.
fn name(letter: &Letter<'_>) -> String {
    let occasion = json!(letter.digest.occasion);
    format!("msgrecon.run.{}", occasion.as_str().unwrap_or_default())
}

fn data(letter: &Letter<'_>, size: Size) -> Value {
    let (brief, digest, run) = (&letter.brief, letter.digest, &letter.run);
    let counts = brief.numbers.iter().map(|number| (number.kind.name().to_owned(), json!(number.count)));
    let changes = brief.changes.iter().map(|change| (change.name.to_owned(), json!(change.count)));
    json!({
        "key": digest.key,
        "status": brief.status,
        "subject": size.clip(&brief.subject),
        "headline": size.clip(&brief.headline),
        "owner": digest.owner,
        "run": {
            "id": digest.run, "version": run.version, "as_of": digest.as_of,
            "from": digest.span.from, "until": digest.span.until, "outcome": digest.outcome,
            "complete": digest.complete, "verdict": digest.verdict, "exit_code": digest.exit_code,
        },
        "flows": list(&digest.flows, size.lines, |flow| json!(flow)),
        "acked": brief.acked,
        "counts": counts.collect::<Value>(),
        "acknowledged": brief.acknowledged,
        "changes": changes.collect::<Value>(),
        "notices": list(&digest.notices, size.lines, notice),
        "firing": list(&digest.firing, size.lines, alert),
        "cleared": list(&digest.cleared, size.lines, alert),
        "problems": list(&run.problems, size.lines, |one| problem(one, size)),
        "differences": differences(letter, size),
        "rerun": brief.rerun.as_ref().filter(|command| command.chars().count() <= size.chars),
        "report": size.clip(&brief.report),
        "runbooks": list(&brief.runbooks, size.lines, |(flow, link)| json!({ "flow": flow, "link": link })),
    })
}

fn list<T>(all: &[T], max: usize, one: impl Fn(&T) -> Value) -> Value {
    let listed: Vec<_> = all.iter().take(max).map(one).collect();
    json!({ "total": all.len(), "listed": listed })
}

fn notice(notice: &Notice) -> Value {
    let mut value = alert(&notice.alert);
    value["event"] = json!(notice.event.name());
    value["fresh"] = json!(notice.fresh);
    if notice.event == Event::Cleared {
        value["state"] = json!("cleared");
    }
    value
}

fn alert(alert: &Alert) -> Value {
    json!({
        "flow": alert.key.flow, "consumer": alert.key.consumer, "metric": alert.key.metric,
        "state": alert.state, "level": alert.level, "value": alert.value, "bound": alert.bound,
        "since": alert.since, "cleared_at": alert.cleared_at, "silenced": alert.silenced,
    })
}

fn problem(problem: &Problem, size: Size) -> Value {
    json!({ "source": problem.source, "flow": problem.flow, "message": size.clip(&problem.message) })
}

/// Each kind in turn, so that many of one do not hide the few of another.
fn differences(letter: &Letter<'_>, size: Size) -> Value {
    let groups = facts::groups(&letter.run, size.differences);
    let rounds =
        (0..size.differences).flat_map(|round| groups.iter().filter_map(move |group| group.shown.get(round)));
    let listed: Vec<_> = rounds.take(size.differences).map(|one| difference(one)).collect();
    json!({ "total": letter.run.differences_total, "listed": listed })
}

fn difference(one: &Difference) -> Value {
    json!({
        "flow": one.flow, "consumer": one.consumer, "kind": one.kind.name(),
        "id": one.id.as_ref().map(ToString::to_string), "window_from": one.window_from,
        "created_at": one.created_at, "acked_at": one.acked_at, "consumed_at": one.consumed_at,
        "age_seconds": one.age.map(to_the_millisecond), "first_seen": one.first_seen, "detail": one.detail,
        "status": one.status.name(),
    })
}
