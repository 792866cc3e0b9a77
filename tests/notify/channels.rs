//! What every service receives when all goes well.

use super::letters::{AS_OF, KINDS, around, channel, digest, run, secret, taken};
use super::peer::{Peer, say};
use msgrecon::config::notify::{Channel, ChannelKind};
use msgrecon::model::time::{HOUR, SECOND};
use msgrecon::notify::channel::send;
use msgrecon::notify::signature;

const OLD: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEW: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const PATH: &str = "/hook/T0KENT0KEN";

#[tokio::test]
async fn every_service_takes_its_message() {
    let run = run(12);
    for kind in KINDS {
        let peer = Peer::new(&[taken(kind)]);
        let channel = channel(kind, &[peer.url(PATH)]);
        assert_eq!(send(&channel, &run, &digest(&run), &around()).await, Ok(()), "{}", kind.name());
        let sent = peer.sent();
        assert_eq!((sent.len(), sent[0].method.as_str()), (1, "POST"));
        assert_eq!(sent[0].headers["content-type"], "application/json; charset=utf-8");
        assert!(sent[0].headers["user-agent"].starts_with("msgrecon/"));
        assert!(sent[0].json().to_string().contains("order-paid"), "{}", sent[0].body);
    }
}

#[tokio::test]
async fn no_message_about_ten_thousand_differences_is_too_long() {
    let run = run(10_000);
    for (kind, most) in KINDS.into_iter().zip([20_000, 100_000, 40_000, 20_000, 20_000, 5_000, 512_000]) {
        let peer = Peer::new(&[taken(kind)]);
        send(&channel(kind, &[peer.url(PATH)]), &run, &digest(&run), &around()).await.unwrap();
        let sent = peer.sent();
        assert!(sent[0].body.len() < most, "{}: {}", kind.name(), sent[0].body.len());
    }
}

#[tokio::test]
async fn a_webhook_is_signed_with_every_secret() {
    let (run, peer) = (run(12), Peer::new(&[say(200, "")]));
    let secrets = format!("{OLD} {NEW}");
    let channel = Channel {
        secret: Some(secret(&secrets)),
        token: Some(secret("t0ken")),
        ..channel(ChannelKind::Webhook, &[peer.url(PATH)])
    };
    send(&channel, &run, &digest(&run), &around()).await.unwrap();
    let sent = &peer.sent()[0];
    assert_eq!(sent.path, PATH);
    assert_eq!(sent.headers["webhook-id"], "msg_alert-7f3a-ops-1");
    assert_eq!(sent.headers["authorization"], "Bearer t0ken");
    let at: i64 = sent.headers["webhook-timestamp"].parse().unwrap();
    assert_eq!(at, AS_OF.0 / SECOND + 90);
    let signatures: Vec<_> = sent.headers["webhook-signature"].split(' ').collect();
    for (signature, secret) in signatures.iter().zip([OLD, NEW]) {
        let own = signature::standard_webhook(secret, &sent.headers["webhook-id"], at, sent.body.as_bytes());
        assert_eq!(own.as_deref(), Ok(*signature));
    }
    assert_eq!(sent.json()["type"], "msgrecon.run.alert");
}

#[tokio::test]
async fn an_id_stays_and_a_timestamp_does_not() {
    let (run, peer) = (run(12), Peer::new(&[say(500, ""), say(503, ""), say(200, "")]));
    let channel = Channel { secret: Some(secret(OLD)), ..channel(ChannelKind::Webhook, &[peer.url(PATH)]) };
    send(&channel, &run, &digest(&run), &around()).await.unwrap();
    let sent = peer.sent();
    assert_eq!(sent.len(), 3);
    for one in &sent {
        assert_eq!(one.headers["webhook-id"], sent[0].headers["webhook-id"]);
        assert_eq!(one.body, sent[0].body);
        let at = one.headers["webhook-timestamp"].parse().unwrap();
        let signed = signature::standard_webhook(OLD, &one.headers["webhook-id"], at, one.body.as_bytes());
        assert_eq!(
            signed.as_deref(),
            Ok(one.headers["webhook-signature"].as_str()),
            "signed for its own time"
        );
    }
}

#[tokio::test]
async fn robots_are_signed() {
    let run = run(12);
    let peer = Peer::new(&[taken(ChannelKind::Dingtalk)]);
    let url = peer.url("/robot/send?access_token=T0KENT0KEN");
    let dingtalk = Channel { secret: Some(secret("SECabc+/=")), ..channel(ChannelKind::Dingtalk, &[url]) };
    send(&dingtalk, &run, &digest(&run), &around()).await.unwrap();
    let sent = &peer.sent()[0];
    assert_eq!(sent.query["access_token"], "T0KENT0KEN");
    let millis = sent.query["timestamp"].parse().unwrap();
    assert_eq!(sent.query["sign"], signature::dingtalk("SECabc+/=", millis));
    assert!(!sent.head.contains("%25"), "encoded once: {}", sent.head);
    let peer = Peer::new(&[taken(ChannelKind::Feishu)]);
    let feishu = Channel { secret: Some(secret("demo")), ..channel(ChannelKind::Feishu, &[peer.url(PATH)]) };
    send(&feishu, &run, &digest(&run), &around()).await.unwrap();
    let body = peer.sent()[0].json();
    let seconds = body["timestamp"].as_str().unwrap().parse().unwrap();
    assert_eq!(body["sign"], signature::feishu("demo", seconds));
    assert!(!peer.sent()[0].head.contains("sign"));
}

#[tokio::test]
async fn every_alertmanager_of_a_cluster_is_told() {
    let run = run(12);
    let peers = [Peer::new(&[say(200, "")]), Peer::new(&[say(500, "")]), Peer::new(&[say(200, "")])];
    let urls = [peers[0].url(""), peers[1].url("/am/"), peers[2].url("/api/v2/alerts")];
    let channel = channel(ChannelKind::Alertmanager, &urls);
    let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
    assert!(error.retry && error.message.contains(&peers[1].host()), "{error}");
    assert!(!error.message.contains(&peers[0].host()), "{error}");
    let paths = [0, 1, 2].map(|one| peers[one].sent()[0].path.clone());
    assert_eq!(paths, ["/api/v2/alerts", "/am/api/v2/alerts", "/api/v2/alerts"]);
    let alerts = peers[2].sent()[0].json();
    assert_eq!(alerts[0]["startsAt"], "2026-01-01T23:00:00Z");
    assert_eq!(alerts[0]["endsAt"], AS_OF.plus(HOUR * 5 / 2).to_rfc3339());
}

#[tokio::test]
async fn a_login_in_the_url_is_sent_and_not_shown() {
    let (run, peer) = (run(12), Peer::new(&[say(401, "")]));
    let url = peer.url("/x").replace("127.0.0.1", "robot:pass%40word@127.0.0.1");
    let error =
        send(&channel(ChannelKind::Alertmanager, &[url]), &run, &digest(&run), &around()).await.unwrap_err();
    assert_eq!(peer.sent()[0].headers["authorization"], "Basic cm9ib3Q6cGFzc0B3b3Jk");
    assert!(!error.retry && !error.message.contains("pass") && error.message.contains("401"), "{error}");
}
