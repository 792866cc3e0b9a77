use super::*;
use crate::model::alert::Event;
use crate::model::{Alert, Occasion, Verdict};
use crate::notify::channel::pagerduty::dedup_key;

fn alertmanager(run: &Run, digest: &Digest) -> Vec<Value> {
    match sent(&channel(ChannelKind::Alertmanager), run, digest).pop() {
        Some(Value::Array(alerts)) => alerts,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_alert_has_labels_that_stay() {
    let run = runs::rich();
    let digest = Digest { owner: Some("team-a".to_owned()), ..fixture::rich(&run) };
    let alerts = alertmanager(&run, &digest);
    assert_eq!(alerts.len(), 3, "the silenced one is left out");
    let labels = serde_json::json!({
        "alertname": "MsgreconMissing", "severity": "critical", "flow": "order-paid", "consumer": "points",
        "metric": "missing", "owner": "team-a",
    });
    assert_eq!(alerts[0]["labels"], labels);
    assert_eq!(alerts[2]["labels"]["alertname"], "MsgreconOldestPending");
    assert_eq!(alerts[2]["labels"].get("consumer"), None);
    let later = run.as_of.plus(2 * HOUR + HOUR / 2);
    assert_eq!(alerts[0]["startsAt"], run.as_of.plus(-6 * HOUR).to_rfc3339());
    assert_eq!(alerts[0]["endsAt"], later.to_rfc3339());
    assert_eq!(alerts[0]["annotations"]["runbook_url"], "https://wiki.example.test/order-paid?a=1&b=2");
    let again = alertmanager(&run, &Digest { key: "other".to_owned(), ..digest });
    assert_eq!(again[0]["labels"], labels);
}

#[test]
fn what_is_cleared_ends_when_it_was() {
    let run = runs::balanced();
    let mut digest = fixture::resolved(&run);
    digest.cleared[1].cleared_at = Some(run.as_of.plus(-HOUR));
    let alerts = alertmanager(&run, &digest);
    assert_eq!(alerts[0]["endsAt"], run.as_of.to_rfc3339());
    assert_eq!(alerts[1]["endsAt"], run.as_of.plus(-HOUR).to_rfc3339());
    assert_eq!(alerts[1]["labels"]["metric"], "stuck");
}

#[test]
fn an_alert_that_gets_worse_replaces_itself() {
    let run = runs::rich();
    let mut digest = fixture::rich(&run);
    digest.notices[0].event = Event::Raised;
    let alerts = alertmanager(&run, &digest);
    let ended: Vec<_> = alerts.iter().filter(|one| one["endsAt"] == run.as_of.to_rfc3339()).collect();
    assert_eq!(ended.len(), 1);
    assert_eq!(
        (&ended[0]["labels"]["metric"], &ended[0]["labels"]["severity"]),
        (&"missing".into(), &"warning".into())
    );
    digest.notices.clear();
    digest.firing = vec![Alert { told_level: Some(Verdict::Fail), ..digest.firing[1].clone() }];
    let alerts = alertmanager(&run, &digest);
    assert_eq!(alerts[1]["labels"]["severity"], "critical", "it was worse before");
}

#[test]
fn an_unknown_interval_is_measured_or_a_day() {
    let mut run = runs::balanced();
    let mut digest = fixture::rich(&run);
    digest.firing.truncate(1);
    let channel = Channel { interval: None, ..channel(ChannelKind::Alertmanager) };
    let mut ends = |ago: Option<i64>| {
        run.last_run =
            ago.map(|ago| crate::model::life::LastRun { id: "x".to_owned(), as_of: run.as_of.plus(-ago) });
        sent(&channel, &run, &digest)[0][0]["endsAt"].as_str().unwrap().to_owned()
    };
    let after = |span: i64| digest.as_of.plus(span).to_rfc3339();
    assert_eq!(ends(None), after(60 * HOUR));
    assert_eq!(ends(Some(4 * HOUR)), after(10 * HOUR));
    assert_eq!(ends(Some(SECOND)), after(5 * HOUR / 2));
}

#[test]
fn nothing_is_said_to_who_wants_to_know_of_alerts_where_there_are_none() {
    let run = runs::balanced();
    for kind in [ChannelKind::Alertmanager, ChannelKind::Pagerduty] {
        assert!(sent(&channel(kind), &run, &fixture::plain(&run)).is_empty());
    }
}

#[test]
fn pagerduty_knows_an_alert_by_its_key() {
    let run = runs::rich();
    let digest = fixture::rich(&run);
    let keys = || Keys { secret: None, token: Some("R0UT1NG".into()) };
    let events = sent_with(&channel(ChannelKind::Pagerduty), &run, &digest, keys);
    let actions: Vec<_> = events.iter().map(|one| one["event_action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["trigger", "trigger", "trigger", "resolve"]);
    for (event, notice) in events.iter().zip(&digest.notices) {
        assert_eq!(event["dedup_key"], dedup_key(&notice.alert.key));
        assert_eq!(
            (event["routing_key"].as_str(), dedup_key(&notice.alert.key).len()),
            (Some("R0UT1NG"), 64)
        );
    }
    let payload = &events[0]["payload"];
    assert_eq!((&payload["severity"], &payload["source"]), (&"critical".into(), &"order-paid".into()));
    assert_eq!(events[1]["payload"]["severity"], "warning");
    assert_eq!(events[0]["links"][0]["href"], "https://wiki.example.test/order-paid?a=1&b=2");
}

#[test]
fn pagerduty_events_stay_within_their_limits() {
    let (run, digest) = huge();
    for event in sent(&channel(ChannelKind::Pagerduty), &run, &digest) {
        assert!(event.to_string().len() <= 512_000);
        let summary = event["payload"]["summary"].as_str().unwrap_or_default();
        assert!(summary.chars().map(char::len_utf16).sum::<usize>() <= 1_024, "{summary}");
    }
}

#[test]
fn a_test_opens_nothing_that_stays() {
    let run = runs::rich();
    let digest = Digest { occasion: Occasion::Test, ..fixture::rich(&run) };
    let events = sent(&channel(ChannelKind::Pagerduty), &run, &digest);
    assert_eq!((events.len(), &events[1]["event_action"]), (2, &"resolve".into()));
    assert_eq!(
        (&events[0]["dedup_key"], &events[0]["payload"]["severity"]),
        (&events[1]["dedup_key"], &"info".into())
    );
    let alerts = alertmanager(&run, &digest);
    assert_eq!((alerts.len(), &alerts[0]["labels"]["alertname"]), (1, &"MsgreconTest".into()));
}
