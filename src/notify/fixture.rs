//! Digests for the tests of everything that goes out.

use super::Surroundings;
use crate::model::alert::{AlertState, Event, Silenced};
use crate::model::time::{DAY, HOUR};
use crate::model::{Alert, AlertKey, Digest, Micros, Notice, Occasion, Run, Verdict};

/// An alert of these flows that fires.
pub fn alert(run: &Run, consumer: Option<&str>, metric: &str, level: Verdict, value: &str) -> Alert {
    Alert {
        key: AlertKey {
            flow: run.flows[0].name.clone(),
            consumer: consumer.map(str::to_owned),
            metric: metric.to_owned(),
        },
        state: AlertState::Firing,
        level,
        value: value.to_owned(),
        bound: "0.1 %".to_owned(),
        since: run.as_of.plus(-6 * HOUR),
        held: 6,
        seen_at: run.as_of,
        seen_from: run.span.from,
        seen_until: run.span.until,
        told_at: None,
        told_level: None,
        told_ahead: 0,
        cleared_at: None,
        silenced: None,
    }
}

/// What happened to it.
pub fn notice(event: Event, alert: &Alert, fresh: u64) -> Notice {
    Notice { event, alert: alert.clone(), fresh }
}

/// A digest of all flows of a run, without alerts.
pub fn plain(run: &Run) -> Digest {
    Digest {
        key: format!("{}-mail-0", run.id),
        run: run.id.clone(),
        as_of: run.as_of,
        span: run.span,
        owner: None,
        flows: run.flows.iter().map(|flow| flow.name.clone()).collect(),
        occasion: Occasion::Report,
        notices: Vec::new(),
        firing: Vec::new(),
        cleared: Vec::new(),
        outcome: run.outcome,
        verdict: run.verdict,
        complete: run.complete,
        exit_code: run.exit_code,
    }
}

/// Something new, something worse, something well again, something silenced.
pub fn rich(run: &Run) -> Digest {
    let missing = alert(run, Some("points"), "missing", Verdict::Fail, "8 (1.62 %)");
    let duplicate = alert(run, Some("points"), "duplicate", Verdict::Warn, "2");
    let oldest = alert(run, None, "oldest_pending", Verdict::Warn, "22h");
    let late = alert(run, Some("stock"), "late", Verdict::Warn, "0");
    let silence = Silenced { reason: "migration <b>of</b> the relay".to_owned(), until: run.as_of.plus(DAY) };
    let silenced = Alert { silenced: Some(silence), ..alert(run, None, "stuck", Verdict::Warn, "1") };
    Digest {
        occasion: Occasion::Alert,
        notices: vec![
            notice(Event::New, &missing, 8),
            notice(Event::Grown, &duplicate, 1),
            notice(Event::Reminder, &oldest, 0),
            notice(Event::Cleared, &late, 0),
        ],
        firing: vec![missing, duplicate, oldest, silenced],
        ..plain(run)
    }
}

/// Everything is well again.
pub fn resolved(run: &Run) -> Digest {
    let missing = alert(run, Some("points"), "missing", Verdict::Fail, "0");
    let stuck = alert(run, None, "stuck", Verdict::Warn, "0");
    let notices = vec![notice(Event::Cleared, &missing, 0), notice(Event::Cleared, &stuck, 0)];
    let cleared = vec![missing, stuck];
    Digest { occasion: Occasion::Alert, notices, cleared, ..plain(run) }
}

/// A configuration with a runbook, and a moment of sending.
pub fn around(run: &Run) -> Surroundings {
    Surroundings {
        now: Some(Micros(run.as_of.0 + 90_000_000)),
        folder: None,
        config: Some("/etc/msgrecon/shop.toml".to_owned()),
        runbooks: vec![
            (run.flows[0].name.clone(), "https://wiki.example.test/order-paid?a=1&b=2".to_owned()),
            ("another team's".to_owned(), "https://wiki.example.test/secret".to_owned()),
        ],
    }
}
