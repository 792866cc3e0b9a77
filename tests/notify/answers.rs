//! What services answer when it does not go well.

use super::letters::{KINDS, around, channel, digest, run};
use super::peer::{Peer, Reply, say};
use msgrecon::config::notify::{Channel, ChannelKind};
use msgrecon::model::time::SECOND;
use msgrecon::notify::NotDelivered;
use msgrecon::notify::channel::send;
use std::time::Instant;

const PATH: &str = "/p4th/T0KENT0KEN?key=K3YK3YK3Y";

/// The error, and how often the peer was asked.
async fn refused(kind: ChannelKind, replies: &[Reply]) -> (NotDelivered, usize) {
    let (run, peer) = (run(12), Peer::new(replies));
    let channel = Channel { timeout: SECOND / 2, ..channel(kind, &[peer.url(PATH)]) };
    let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
    let words = error.message.strip_prefix("channel ops: ").unwrap_or_else(|| panic!("{error}"));
    assert!(words.starts_with(&peer.host()), "{error}");
    assert!(!words.contains("p4th") && !words.contains("T0KEN") && !words.contains("K3Y"), "{error}");
    (error, peer.sent().len())
}

#[tokio::test]
async fn statuses_that_may_pass_are_tried_three_times() {
    for status in [429, 500, 502, 504] {
        let (error, asked) = refused(ChannelKind::Webhook, &[say(status, "")]).await;
        assert!(error.retry && asked == 3, "{status}: {asked} {error}");
        assert!(
            error.message.contains(&status.to_string()) && error.message.ends_with("(3 attempts)"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn statuses_that_will_not_pass_are_tried_once() {
    for status in [301, 302, 307, 400, 401, 403, 404, 410, 413] {
        let (error, asked) = refused(ChannelKind::Slack, &[say(status, "no_service")]).await;
        assert!(!error.retry && asked == 1, "{status}: {asked} {error}");
        assert!(error.message.contains(&status.to_string()), "{error}");
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let (elsewhere, run) = (Peer::new(&[say(200, "")]), run(12));
    for status in [301, 302, 303, 307, 308] {
        let reply = Reply::Say(status, vec![("location", elsewhere.url("/stolen"))], String::new());
        let peer = Peer::new(&[reply]);
        let channel = channel(ChannelKind::Webhook, &[peer.url(PATH)]);
        let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
        assert!(error.message.contains("redirects are not followed"), "{error}");
    }
    assert!(elsewhere.sent().is_empty());
}

#[tokio::test]
async fn a_service_that_asks_for_patience_has_it_within_bounds() {
    let soon = Reply::Say(429, vec![("retry-after", "1".to_owned())], String::new());
    let (run, peer) = (run(12), Peer::new(&[soon, say(200, "")]));
    let begun = Instant::now();
    let told = channel(ChannelKind::Webhook, &[peer.url(PATH)]);
    send(&told, &run, &digest(&run), &around()).await.unwrap();
    assert!(begun.elapsed().as_millis() >= 1_000 && peer.sent().len() == 2);
    let late = Reply::Say(503, vec![("retry-after", "3600".to_owned())], String::new());
    let (error, asked) = refused(ChannelKind::Webhook, &[late]).await;
    assert!(error.retry && asked == 1, "{error}");
}

#[tokio::test]
async fn connections_that_break_are_tried_again() {
    for (reply, words) in [(Reply::Close, "closed the connection"), (Reply::Noise, "no HTTP")] {
        let (error, asked) = refused(ChannelKind::Webhook, &[reply]).await;
        assert!(error.retry && asked == 3 && error.message.contains(words), "{asked} {error}");
    }
    let (run, peer) = (run(12), Peer::new(&[say(200, "")]));
    let gone = channel(ChannelKind::Webhook, &[peer.url(PATH)]);
    drop(peer);
    let error = send(&gone, &run, &digest(&run), &around()).await.unwrap_err();
    assert!(error.retry && error.message.contains("refuses the connection (3 attempts)"), "{error}");
}

#[tokio::test]
async fn a_silent_service_is_given_up_once() {
    let (error, asked) = refused(ChannelKind::Webhook, &[Reply::Silent]).await;
    assert!(error.retry && asked == 1, "{error}");
    assert!(error.message.contains("gave no answer within 500ms"), "{error}");
}

#[tokio::test]
async fn an_answer_that_never_ends_ends() {
    let (run, peer) = (run(12), Peer::new(&[Reply::Huge]));
    send(&channel(ChannelKind::Webhook, &[peer.url(PATH)]), &run, &digest(&run), &around()).await.unwrap();
    let (error, _) = refused(ChannelKind::Feishu, &[Reply::Huge]).await;
    assert!(error.message.contains("without the `code`"), "{error}");
}

#[tokio::test]
async fn half_an_answer_is_enough_where_the_status_says_it_all() {
    let (run, peer) = (run(12), Peer::new(&[Reply::Half]));
    send(&channel(ChannelKind::Slack, &[peer.url(PATH)]), &run, &digest(&run), &around()).await.unwrap();
    let (error, asked) = refused(ChannelKind::Feishu, &[Reply::Half]).await;
    assert!(error.retry && asked == 3 && error.message.contains("broke off"), "{error}");
}

#[tokio::test]
async fn a_code_in_the_body_is_read() {
    let cases = [
        (
            ChannelKind::Feishu,
            r#"{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}"#,
            false,
        ),
        (ChannelKind::Feishu, r#"{"code":11232,"msg":"frequency limited"}"#, true),
        (ChannelKind::Feishu, r#"{"code":9499,"msg":"Bad Request"}"#, false),
        (ChannelKind::Dingtalk, r#"{"errcode":310000,"errmsg":"keywords not in content"}"#, false),
        (
            ChannelKind::Dingtalk,
            r#"{"errcode":130101,"errmsg":"send too fast, exceed 20 times per minute"}"#,
            true,
        ),
        (ChannelKind::Wecom, r#"{"errcode":93000,"errmsg":"invalid webhook url"}"#, false),
        (ChannelKind::Wecom, r#"{"errcode":45009,"errmsg":"api freq out of limit"}"#, true),
        (ChannelKind::Wecom, "<html>proxy</html>", false),
        (ChannelKind::Feishu, "", false),
    ];
    for (kind, body, retry) in cases {
        let (error, asked) = refused(kind, &[say(200, body)]).await;
        assert!(error.retry == retry && asked == 1, "{body}: {error}");
        let words = body.split('"').rev().nth(1).unwrap_or("that it always gives");
        assert!(error.message.contains(words), "{words}: {error}");
    }
}

#[tokio::test]
async fn plain_http_never_leaves_the_machine() {
    let run = run(12);
    for kind in KINDS {
        let channel = channel(kind, &["http://hooks.example.invalid/T0KENT0KEN".to_owned()]);
        let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
        if kind == ChannelKind::Alertmanager {
            // Allowed there, and no such host.
            assert!(error.retry && !error.message.contains("T0KEN"), "{error}");
            continue;
        }
        assert!(!error.retry && error.message.contains("allow_http"), "{error}");
        assert!(
            error.message.contains("hooks.example.invalid") && !error.message.contains("T0KEN"),
            "{error}"
        );
    }
}
