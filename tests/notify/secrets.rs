//! No secret is in what an error, a log or a `Debug` says, whatever the peer does.

use super::letters::{KINDS, around, channel, digest, run, secret};
use super::peer::{Peer, Reply, say};
use msgrecon::config::notify::{Channel, ChannelKind, Heartbeat, HeartbeatKind, Pushgateway, Secret};
use msgrecon::model::time::SECOND;
use msgrecon::notify::channel::send;
use msgrecon::notify::heartbeat::{Pulse, beat};
use msgrecon::notify::hook::call;
use msgrecon::notify::pushgateway::push;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

/// Everything that is logged while these tests run.
static LOG: LazyLock<Log> = LazyLock::new(|| {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .init();
    log
});

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Sixteen hexadecimal digits that nobody else has.
fn random() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

struct Secrets {
    all: Vec<String>,
}

impl Secrets {
    fn new() -> Self {
        Self { all: Vec::new() }
    }

    fn one(&mut self) -> String {
        let one = random();
        self.all.push(one.clone());
        one
    }

    /// A URL of the peer with a secret wherever it has room for one.
    fn url(&mut self, peer: &Peer) -> String {
        let url = peer.url(&format!("/hook/{}?key={}&x={}", self.one(), self.one(), self.one()));
        url.replace("127.0.0.1", &format!("{}:{}@127.0.0.1", self.one(), self.one()))
    }

    fn hidden_in(&self, text: &str) {
        for secret in &self.all {
            assert!(!text.contains(secret.as_str()), "{secret} in {text}");
        }
    }
}

fn replies() -> [Reply; 9] {
    [
        Reply::Echo(400),
        Reply::Echo(500),
        Reply::Echo(200),
        Reply::Echo(302),
        Reply::Half,
        Reply::Noise,
        Reply::Close,
        Reply::Silent,
        say(200, r#"{"code":1,"errcode":1,"errmsg":"no","msg":"no"}"#),
    ]
}

async fn told(kind: ChannelKind, reply: &Reply) {
    let (run, peer) = (run(12), Peer::new(std::slice::from_ref(reply)));
    let mut secrets = Secrets::new();
    let channel = Channel {
        secret: Some(secret(&format!("whsec_{}", secrets.one()))),
        token: Some(secret(&secrets.one())),
        timeout: SECOND / 4,
        ..channel(kind, &[secrets.url(&peer)])
    };
    let delivered = send(&channel, &run, &digest(&run), &around()).await;
    secrets.hidden_in(&format!("{delivered:?} {channel:?}"));
    if let Err(error) = delivered {
        assert!(error.message.contains(&peer.host()), "{error}");
    }
    secrets.hidden_in(&String::from_utf8_lossy(&LOG.0.lock().unwrap()));
}

#[tokio::test]
async fn channels_hide_them() {
    LazyLock::force(&LOG);
    for reply in replies() {
        let (one, two, three, four) = tokio::join!(
            told(KINDS[0], &reply),
            told(KINDS[1], &reply),
            told(KINDS[2], &reply),
            told(KINDS[3], &reply)
        );
        let ((), (), ()) =
            tokio::join!(told(KINDS[4], &reply), told(KINDS[5], &reply), told(KINDS[6], &reply));
        let ((), (), (), ()) = (one, two, three, four);
    }
    let log = String::from_utf8_lossy(&LOG.0.lock().unwrap()).into_owned();
    assert!(log.contains("ureq"), "the log was not read: {log}");
}

#[tokio::test]
async fn heartbeats_and_pushes_hide_them() {
    LazyLock::force(&LOG);
    for reply in [Reply::Echo(400), Reply::Echo(404), Reply::Silent, Reply::Close] {
        let peer = Peer::new(std::slice::from_ref(&reply));
        let mut secrets = Secrets::new();
        for kind in [HeartbeatKind::Healthchecks, HeartbeatKind::Sentry] {
            let url = Secret::Text(secrets.url(&peer).into());
            let heartbeat =
                Heartbeat { kind, url, environment: None, allow_http: false, timeout: SECOND / 4 };
            let error = beat(&heartbeat, Pulse::Start, "r-1", "").await.unwrap_err();
            secrets.hidden_in(&format!("{error:?} {heartbeat:?}"));
        }
        let url = Secret::Text(secrets.url(&peer).into());
        let gateway = Pushgateway { url, job: "msgrecon".to_owned(), timeout: SECOND / 4 };
        let error = push(&gateway, "a 1\n", true).await.unwrap_err();
        secrets.hidden_in(&format!("{error:?} {gateway:?}"));
        secrets.hidden_in(&String::from_utf8_lossy(&LOG.0.lock().unwrap()));
    }
}

#[tokio::test]
async fn programs_hide_them() {
    LazyLock::force(&LOG);
    let mut secrets = Secrets::new();
    let (token, argument, url) = (secrets.one(), secrets.one(), secrets.one());
    let script = "echo \"curl: (22) https://u:$X@h/$MSGRECON_TOKEN refused, token=$X, $1 $MSGRECON_TOKEN\" >&2; exit 1";
    let command = ["sh", "-c", script, "sh", &argument].map(str::to_owned);
    let environment =
        [("MSGRECON_TOKEN", &token), ("X", &url)].map(|(name, value)| (name.to_owned(), value.clone()));
    let error = call(&command, &environment, b"", 30 * SECOND).await.unwrap_err();
    assert!(error.message.contains("curl: (22) https://h/*** refused"), "{error}");
    secrets.hidden_in(&error.message);
    secrets.hidden_in(&String::from_utf8_lossy(&LOG.0.lock().unwrap()));
}

#[tokio::test]
async fn a_secret_that_is_not_there_is_named_by_its_file() {
    let run = run(12);
    let channel = Channel {
        secret: Some(Secret::File("/no/such/secret".into())),
        ..channel(ChannelKind::Webhook, &["http://127.0.0.1:9/x".to_owned()])
    };
    let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
    assert!(
        error.retry && error.message.starts_with("channel ops: secret: /no/such/secret cannot be read"),
        "{error}"
    );
}
