//! A Pushgateway.

use super::peer::{Peer, say};
use msgrecon::config::notify::{Pushgateway, Secret};
use msgrecon::model::time::SECOND;
use msgrecon::notify::pushgateway::push;

fn gateway(url: &str, job: &str) -> Pushgateway {
    Pushgateway { url: Secret::Text(url.into()), job: job.to_owned(), timeout: SECOND }
}

#[tokio::test]
async fn everything_is_replaced_or_only_what_is_pushed() {
    let peer = Peer::new(&[say(200, "")]);
    push(&gateway(&peer.url(""), "msgrecon"), "a 1", true).await.unwrap();
    push(&gateway(&peer.url("/push/"), "re con"), "a 1\n", false).await.unwrap();
    push(&gateway(&peer.url("/"), "/var/tmp"), "a 1\n", true).await.unwrap();
    let sent = peer.sent();
    let asked: Vec<_> = sent.iter().map(|one| format!("{} {}", one.method, one.path)).collect();
    assert_eq!(
        asked,
        [
            "PUT /metrics/job/msgrecon",
            "POST /push/metrics/job/re%20con",
            "PUT /metrics/job@base64/L3Zhci90bXA"
        ]
    );
    assert!(sent.iter().all(|one| one.body == "a 1\n"));
    assert_eq!(sent[0].headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
}

#[tokio::test]
async fn its_login_is_sent_and_not_shown() {
    let peer = Peer::new(&[say(400, "text format parsing error in line 1 for robot:hunter22")]);
    let url = peer.url("").replace("127.0.0.1", "robot:hunter22@127.0.0.1");
    let error = push(&gateway(&url, "msgrecon"), "a", true).await.unwrap_err();
    assert_eq!(peer.sent()[0].headers["authorization"], "Basic cm9ib3Q6aHVudGVyMjI=");
    assert!(error.message.starts_with(&format!("pushgateway: {} answered 400", peer.host())), "{error}");
    assert!(error.message.contains("parsing error") && !error.message.contains("hunter"), "{error}");
}
