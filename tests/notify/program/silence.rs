//! No secret of anything that goes out is in what the program says, writes, records or sends elsewhere.

use super::super::mail::peer::{Mode, Peer as MailPeer, Script};
use super::super::peer::{Peer, Reply, say};
use super::rng::Rng;
use super::{FIRST, FOLDER, ONE_MISSING, SECOND, Shop, Told, child};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write as _;
use std::net::TcpListener;

const KINDS: [&str; 8] =
    ["webhook", "alertmanager", "slack", "feishu", "dingtalk", "wecom", "pagerduty", "command"];

/// Secrets with characters that URLs encode. Their middle, which no encoding changes, is looked for.
struct Secrets {
    rng: Rng,
    all: Vec<String>,
    /// Login and password together, as headers have them.
    logins: Vec<String>,
}

impl Secrets {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), all: Vec::new(), logins: Vec::new() }
    }

    fn one(&mut self) -> String {
        let middle = format!("{:016x}", self.rng.next());
        self.all.push(middle.clone());
        format!("p/{middle}@+ %")
    }

    fn encoded(&mut self) -> String {
        encode(&self.one())
    }

    /// A URL with a secret wherever it has room for one.
    fn url(&mut self, scheme: &str, host: &str) -> String {
        let (user, password) = (self.one(), self.one());
        self.logins.push(STANDARD.encode(format!("{user}:{password}")));
        let login = format!("{}:{}", encode(&user), encode(&password));
        let rest = format!("hook/{}?key={}&x={}", self.encoded(), self.encoded(), self.encoded());
        format!("{scheme}://{login}@{host}/{rest}")
    }

    fn hidden_in(&self, what: &str, bytes: &[u8]) {
        for secret in self.all.iter().chain(&self.logins) {
            let text = || String::from_utf8_lossy(bytes).into_owned();
            assert!(!child::holds(bytes, secret), "{secret} in {what}: {}", text());
        }
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Every kind of channel at one place, heartbeats and a Pushgateway.
fn services(secrets: &mut Secrets, scheme: &str, host: &str) -> String {
    let mut text = String::new();
    for kind in KINDS {
        let (secret, token) = (secrets.one(), secrets.one());
        let signed = if kind == "webhook" {
            let signing = STANDARD.encode(&secret);
            secrets.logins.push(signing.clone());
            format!("whsec_{signing}")
        } else {
            secret
        };
        let url = secrets.url(scheme, host);
        let _ = write!(
            text,
            "[[channels]]\nkind = '{kind}'\nurl = '{url}'\nsecret = '{signed}'\ntoken = '{token}'\ntimeout = '100ms'\n"
        );
        if kind == "command" {
            let argument = secrets.one();
            let script = "echo \"$1 $MSGRECON_URL $MSGRECON_TOKEN\"; echo \"refused: $1 $MSGRECON_URL $MSGRECON_SECRET\" >&2; exit 1";
            let _ = writeln!(text, "command = ['/bin/sh', '-c', '{script}', 'sh', '{argument}']");
        }
    }
    for kind in ["healthchecks", "sentry"] {
        let url = secrets.url(scheme, host);
        let _ = write!(text, "[[heartbeats]]\nkind = '{kind}'\nurl = '{url}'\ntimeout = '100ms'\n");
    }
    let url = secrets.url(scheme, host);
    text + &format!("[metrics]\ntextfile = 'm.prom'\npushgateway = '{url}'\ntimeout = '100ms'\n")
}

/// `[mail]` with a secret, to a server that refuses the login and repeats it.
fn refused_mail(secrets: &mut Secrets) -> (String, MailPeer) {
    let password = secrets.one();
    let wrong_login =
        format!("535 5.7.8 {password} {} is wrong", STANDARD.encode(format!("\0u\0{password}")));
    secrets.logins.push(STANDARD.encode(format!("\0u\0{password}")));
    let script = Script { login: Some(("u".to_owned(), "x".to_owned())), wrong_login, ..Script::default() };
    let peer = MailPeer::start(script);
    let place = format!("smtp://u:{}@", encode(&password));
    (super::mail(&peer, &place), peer)
}

/// Every command, with everything that it is asked to say.
fn all_is_hidden(mail: &str, services: &str, secrets: &Secrets) {
    let shop = Shop::telling(&format!("{mail}{services}"));
    shop.tell(ONE_MISSING);
    let call = |arguments: &str| {
        let mut command = shop.command(arguments);
        let told = Told(command.env("RUST_LOG", "trace").output().unwrap());
        secrets.hidden_in(arguments, &told.0.stdout);
        secrets.hidden_in(arguments, &told.0.stderr);
        told
    };
    let told = call(&format!("run --as-of {FIRST} --output out")).ended(4);
    for name in ["mail"].into_iter().chain(KINDS) {
        let target = if name == "mail" { name.to_owned() } else { format!("channel {name}") };
        assert!(told.err().contains(&target), "{target} did not fail: {}", told.err());
    }
    assert!(told.err().contains("TRACE") || told.err().contains("DEBUG"), "nothing was logged");
    assert!(shop.text("m.prom").contains("msgrecon_notification_failures 9"), "{}", shop.text("m.prom"));
    call(&format!("run --as-of {SECOND} --output again --format json --log-format json")).ended(4);
    call("test-notify").ended(4);
    for format in ["table", "csv", "json", "html"] {
        call(&format!("report --format {format} --output {format}")).ended(0);
    }
    for arguments in ["status", "status --format json", "plan", "plan --sql", "history", "differences list"] {
        call(&format!("{arguments} -vv"));
    }
    for scheduler in ["crontab", "systemd", "kubernetes"] {
        call(&format!("schedule --for {scheduler}")).ended(0);
    }
    for (path, bytes) in child::files(shop.outside.path()) {
        if path.ends_with("msgrecon.toml") {
            let known = secrets.all.iter().filter(|secret| child::holds(&bytes, secret)).count();
            assert!(known + 1 >= secrets.all.len(), "only {known} of {} can be found", secrets.all.len());
        } else {
            secrets.hidden_in(&path.display().to_string(), &bytes);
        }
    }
    assert!(shop.path("ledger.db").exists() && shop.path("html/report.html").exists());
}

#[test]
fn d53_services_that_nobody_reaches() {
    let mut secrets = Secrets::new(1);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mail = format!(
        "[mail]\nfrom = 'a@example.com'\nto = 'b@example.com'\ntransport = 'smtp://u:{}@{free}'\ntimeout = '1s'\n",
        secrets.encoded()
    );
    let services = services(&mut secrets, "http", &free.to_string());
    all_is_hidden(&mail, &services, &secrets);
}

#[test]
fn d53_services_that_repeat_everything_with_an_error() {
    let (mut secrets, peer) = (Secrets::new(2), Peer::new(&[Reply::Echo(500)]));
    let (mail, _server) = refused_mail(&mut secrets);
    let services = services(&mut secrets, "http", &peer.host());
    all_is_hidden(&mail, &services, &secrets);
    assert!(peer.sent().len() > 20);
}

#[test]
fn d53_services_whose_certificate_nobody_vouches_for() {
    let mut secrets = Secrets::new(3);
    let (mail, server) = refused_mail(&mut secrets);
    let mail = mail.replace(&format!("ca_file = '{}'\n", server.ca_file.display()), "");
    let untrusted = MailPeer::start(Script { mode: Mode::Implicit, ..Script::default() });
    let services = services(&mut secrets, "https", &format!("localhost:{}", untrusted.port));
    all_is_hidden(&mail, &services, &secrets);
    assert!(untrusted.heard().lines.is_empty() && server.heard().logins == 0, "nothing was told");
}

#[test]
fn d53_services_that_speak_no_tls() {
    let mut secrets = Secrets::new(5);
    let plain = Peer::new(&[Reply::Echo(500)]);
    let mail = format!(
        "[mail]\nfrom = 'a@example.com'\nto = 'b@example.com'\ntransport = 'smtps://u:{}@{}'\ntimeout = '1s'\n",
        secrets.encoded(),
        plain.host()
    );
    let services = services(&mut secrets, "https", &plain.host());
    all_is_hidden(&mail, &services, &secrets);
    assert!(plain.sent().is_empty(), "nothing was told");
}

/// What is told of a source that fails holds nothing of its URL but where it is.
#[test]
fn d53_a_source_that_fails_is_told_of_without_its_password() {
    let mut secrets = Secrets::new(4);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let peer = Peer::new(&[say(200, "")]);
    let (password, secret) = (secrets.encoded(), secrets.one());
    let top = format!(
        "{FOLDER}[[channels]]\nkind = 'webhook'\nurl = '{}'\ntoken = '{secret}'\n\
         [databases.away]\nurl = 'postgres://app:{password}@{free}/db?password={password}'\n",
        peer.url(&format!("/{}", secrets.encoded()))
    );
    let shop = Shop { consumers: "away".to_owned(), ..Shop::telling(&top) };
    shop.tell(ONE_MISSING);
    let mut command = shop.command(&format!("run --as-of {FIRST} --output out"));
    let told = Told(command.env("RUST_LOG", "trace").output().unwrap()).ended(3);
    secrets.hidden_in("stdout", &told.0.stdout);
    secrets.hidden_in("stderr", &told.0.stderr);
    assert!(told.out().contains(&free.to_string()), "where it is may be said: {}", told.out());
    for (path, bytes) in child::files(shop.outside.path()) {
        if !path.ends_with("msgrecon.toml") {
            secrets.hidden_in(&path.display().to_string(), &bytes);
        }
    }
    let (mails, sent) = (shop.mails(), peer.sent());
    assert_eq!((mails.len(), sent.len()), (1, 1));
    secrets.hidden_in("the webhook's body", sent[0].body.as_bytes());
    let text = super::super::mail::sent::Sent::read(&mails[0]).text();
    assert!(text.contains("away"), "the source is named: {text}");
}
