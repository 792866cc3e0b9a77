//! Heartbeats: the job ran.

use super::peer::{Peer, Reply, say};
use msgrecon::config::notify::{Heartbeat, HeartbeatKind, Secret};
use msgrecon::model::time::SECOND;
use msgrecon::notify::heartbeat::{Pulse, beat};
use std::time::{Duration, Instant};

const RUN: &str = "20260102T000000Z-0000abcd";

fn heartbeat(kind: HeartbeatKind, url: &str) -> Heartbeat {
    let url = Secret::Text(url.into());
    Heartbeat { kind, url, environment: None, allow_http: false, timeout: SECOND }
}

#[tokio::test]
async fn healthchecks_is_told_how_the_job_went() {
    let peer = Peer::new(&[say(200, "OK")]);
    let heartbeat = heartbeat(HeartbeatKind::Healthchecks, &peer.url("/ping-key/recon?create=1"));
    let pulses = [Pulse::Start, end(0), end(1), end(2), end(3), end(75)];
    for pulse in pulses {
        beat(&heartbeat, pulse, RUN, "12 missing / 1,000,000 acked").await.unwrap();
    }
    let sent = peer.sent();
    let paths: Vec<_> = sent.iter().map(|one| one.path.trim_start_matches("/ping-key/recon")).collect();
    assert_eq!(paths, ["/start", "", "", "/2", "/3", "/75"]);
    for one in &sent {
        assert_eq!((one.method.as_str(), one.body.as_str()), ("POST", "12 missing / 1,000,000 acked"));
        assert_eq!((&one.query["rid"], &one.query["create"]), (&sent[0].query["rid"], &"1".to_owned()));
    }
    assert_eq!(sent[0].query["rid"].len(), 36);
}

#[tokio::test]
async fn words_are_cut_between_characters() {
    let peer = Peer::new(&[say(200, "OK")]);
    let heartbeat = heartbeat(HeartbeatKind::Healthchecks, &peer.url("/u-u-i-d"));
    beat(&heartbeat, end(0), RUN, &"丢".repeat(5_000)).await.unwrap();
    assert_eq!(peer.sent()[0].body, "丢".repeat(3_333));
}

#[tokio::test]
async fn sentry_is_told_start_and_end_of_one_check_in() {
    let peer = Peer::new(&[say(202, "")]);
    let url = peer.url("/api/1/cron/recon/pub1ickey/");
    let heartbeat =
        Heartbeat { environment: Some("prod".to_owned()), ..heartbeat(HeartbeatKind::Sentry, &url) };
    for pulse in [Pulse::Start, end(1), end(4)] {
        beat(&heartbeat, pulse, RUN, "").await.unwrap();
    }
    let sent = peer.sent();
    let states: Vec<_> = sent.iter().map(|one| one.query["status"].as_str()).collect();
    assert_eq!(states, ["in_progress", "ok", "error"]);
    for one in &sent {
        assert_eq!(
            (one.path.as_str(), one.query["environment"].as_str()),
            ("/api/1/cron/recon/pub1ickey/", "prod")
        );
        assert_eq!(one.query["check_in_id"], sent[0].query["check_in_id"]);
    }
}

#[tokio::test]
async fn a_service_that_is_down_costs_no_more_than_its_time() {
    for reply in [Reply::Silent, say(500, "")] {
        let peer = Peer::new(std::slice::from_ref(&reply));
        let heartbeat = heartbeat(HeartbeatKind::Healthchecks, &peer.url("/5ecret-uuid-5ecret"));
        let begun = Instant::now();
        let error = beat(&heartbeat, end(0), RUN, "").await.unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10), "{reply:?}");
        assert!(
            error.message.starts_with("heartbeat: 127.0.0.1:") && !error.message.contains("5ecret"),
            "{error}"
        );
    }
}

fn end(exit_code: u8) -> Pulse {
    Pulse::End { exit_code }
}
