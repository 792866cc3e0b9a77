//! A run, what happened in it, and channels that are told.

use msgrecon::config::notify::{Channel, ChannelKind, Route, Secret};
use msgrecon::language::Language;
use msgrecon::model::alert::{AlertState, Event};
use msgrecon::model::run::{Counts, Strategy};
use msgrecon::model::tally::EventTotals;
use msgrecon::model::time::{HOUR, SECOND};
use msgrecon::model::{
    Alert, AlertKey, ConsumerReport, Difference, Digest, FlowReport, Id, Kind, Micros, Notice, Occasion,
    Outcome, Run, Span, Status, Totals, Verdict,
};
use msgrecon::notify::Surroundings;

pub const KINDS: [ChannelKind; 7] = [
    ChannelKind::Webhook,
    ChannelKind::Alertmanager,
    ChannelKind::Slack,
    ChannelKind::Feishu,
    ChannelKind::Dingtalk,
    ChannelKind::Wecom,
    ChannelKind::Pagerduty,
];

/// 2026-01-02T00:00:00Z.
pub const AS_OF: Micros = Micros(1_767_312_000 * SECOND);

fn totals(missing: u64) -> Totals {
    Totals { acked: 1_000_000, ok: 1_000_000 - missing, missing, ..Totals::default() }
}

/// A run in which so many messages are missing.
pub fn run(missing: usize) -> Run {
    let span = Span::new(AS_OF.plus(-24 * HOUR), AS_OF);
    let counts = Counts { totals: totals(missing as u64), ..Counts::default() };
    let points = ConsumerReport {
        name: "points".to_owned(),
        outcome: Outcome::Differences,
        complete: true,
        strategy: Strategy::Stream,
        counts: Some(counts),
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    };
    Run {
        id: "20260102T000000Z-0000abcd".to_owned(),
        version: "0.1.0".to_owned(),
        as_of: AS_OF,
        span,
        time_zone: chrono_tz::UTC,
        scheduled: true,
        last_run: None,
        outcome: Outcome::Differences,
        complete: true,
        verdict: Verdict::Fail,
        exit_code: 1,
        flows: vec![flow(points)],
        differences: (0..missing).map(difference).collect(),
        differences_total: missing as u64,
        problems: Vec::new(),
    }
}

fn flow(points: ConsumerReport) -> FlowReport {
    FlowReport {
        name: "order-paid".to_owned(),
        outcome: Outcome::Differences,
        complete: true,
        verdict: Verdict::Fail,
        events: Some(EventTotals { rows: 1_000_000, acked: 1_000_000, ..EventTotals::default() }),
        backlog: None,
        windows: Vec::new(),
        consumers: vec![points],
        acknowledged: Vec::new(),
        life: None,
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}

fn difference(number: usize) -> Difference {
    Difference {
        flow: "order-paid".to_owned(),
        consumer: Some("points".to_owned()),
        window_from: None,
        kind: Kind::Missing,
        id: Some(Id::from_text(&format!("m-{number:06}"))),
        created_at: None,
        acked_at: Some(AS_OF.plus(-HOUR)),
        consumed_at: None,
        age: Some(HOUR),
        first_seen: AS_OF,
        detail: String::new(),
        status: Status::New,
        times_seen: 1,
        after_first_check: false,
    }
}

/// One new alert.
pub fn digest(run: &Run) -> Digest {
    let alert = Alert {
        key: AlertKey {
            flow: "order-paid".to_owned(),
            consumer: Some("points".to_owned()),
            metric: "missing".to_owned(),
        },
        state: AlertState::Firing,
        level: Verdict::Fail,
        value: "12".to_owned(),
        bound: "1".to_owned(),
        since: AS_OF.plus(-HOUR),
        held: 1,
        seen_at: AS_OF,
        seen_from: AS_OF,
        seen_until: AS_OF,
        told_at: None,
        told_level: None,
        told_ahead: 0,
        cleared_at: None,
        silenced: None,
    };
    Digest {
        key: "alert-7f3a-ops-1".to_owned(),
        run: run.id.clone(),
        as_of: run.as_of,
        span: run.span,
        owner: None,
        flows: vec!["order-paid".to_owned()],
        occasion: Occasion::Alert,
        notices: vec![Notice { event: Event::New, alert: alert.clone(), fresh: 12 }],
        firing: vec![alert],
        cleared: Vec::new(),
        outcome: run.outcome,
        verdict: run.verdict,
        complete: run.complete,
        exit_code: run.exit_code,
    }
}

/// A minute and a half after the as-of.
pub fn around() -> Surroundings {
    Surroundings { now: Some(AS_OF.plus(90 * SECOND)), ..Surroundings::default() }
}

/// A channel at these URLs that gives up after two seconds.
pub fn channel(kind: ChannelKind, urls: &[String]) -> Channel {
    Channel {
        name: "ops".to_owned(),
        kind,
        urls: urls.iter().map(|url| Secret::Text(url.as_str().into())).collect(),
        secret: None,
        token: None,
        command: Vec::new(),
        route: Route::default(),
        language: Language::En,
        mention: Vec::new(),
        keyword: None,
        allow_http: false,
        timeout: 2 * SECOND,
        interval: Some(HOUR),
    }
}

/// A secret as the configuration holds it.
pub fn secret(text: &str) -> Secret {
    Secret::Text(text.into())
}

/// What a service of this kind answers when it takes a message.
pub fn taken(kind: ChannelKind) -> super::peer::Reply {
    super::peer::say(
        200,
        match kind {
            ChannelKind::Feishu => r#"{"StatusCode":0,"code":0,"data":{},"msg":"success"}"#,
            ChannelKind::Dingtalk | ChannelKind::Wecom => r#"{"errcode":0,"errmsg":"ok"}"#,
            ChannelKind::Slack => "ok",
            ChannelKind::Pagerduty => r#"{"status":"success","message":"Event processed","dedup_key":"x"}"#,
            _ => "",
        },
    )
}
