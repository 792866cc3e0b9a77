//! Mail: how it is encoded, what it may not do, how large it may be, and how it is sent.

mod encoding;
mod headers;
mod injection;
mod looks;
pub mod peer;
mod refusals;
mod runs;
mod secrets;
pub mod sent;
mod size;
mod transport;

use msgrecon::config::notify::{Mail, Route, Secret, Smtp, SmtpTls, Thread, Transport};
use msgrecon::language::Language;
use msgrecon::model::{Digest, Run};
use msgrecon::notify::mail::{Recipients, send};
use msgrecon::notify::{Delivered, Surroundings};
use peer::Peer;
use std::path::{Path, PathBuf};

/// `[mail]` as the defaults have it, into a folder.
fn mail(transport: Transport) -> Mail {
    Mail {
        from: "\"Message reconciliation\" <msgrecon@example.test>".to_owned(),
        to: vec!["oncall@example.test".to_owned()],
        cc: Vec::new(),
        reply_to: None,
        owners: Vec::new(),
        transport,
        route: Route::default(),
        language: Language::En,
        all_quiet: None,
        size_max: 10 * 1024 * 1024,
        attach: true,
        top: 20,
        thread: Thread::Off,
        templates: None,
    }
}

fn recipients(to: &[&str]) -> Recipients {
    Recipients { to: to.iter().map(|one| (*one).to_owned()).collect(), cc: Vec::new() }
}

/// A server as configured for a peer. A time-out of 2 s is enough on the loopback, and keeps whatever fails short.
fn smtp(peer: &Peer, tls: SmtpTls) -> Smtp {
    Smtp {
        host: "localhost".to_owned(),
        port: peer.port,
        tls,
        user: None,
        password: None,
        ca_file: Some(peer.ca_file.clone()),
        timeout: 2_000_000,
    }
}

fn with_login(smtp: Smtp, user: &str, password: &str) -> Smtp {
    Smtp { user: Some(user.to_owned()), password: Some(Secret::Text(password.to_owned().into())), ..smtp }
}

/// Sends to `oncall@example.test`.
fn deliver(mail: &Mail, run: &Run, digest: &Digest) -> Delivered {
    deliver_to(mail, &recipients(&["oncall@example.test"]), run, digest)
}

fn deliver_to(mail: &Mail, to: &Recipients, run: &Run, digest: &Digest) -> Delivered {
    let around = Surroundings {
        now: Some(digest.as_of),
        folder: Some("/var/lib/msgrecon/reports/today".to_owned()),
        config: Some("/etc/msgrecon/shop.toml".to_owned()),
        runbooks: vec![(digest.flows[0].clone(), "https://wiki.example.test/order-paid".to_owned())],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(send(mail, to, run, digest, &around))
}

/// The one `.eml` file in a folder.
fn only_file(folder: &Path) -> PathBuf {
    let files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// Writes the mail into a folder and reads it from there.
fn written(mail: &Mail, run: &Run, digest: &Digest) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mail = Mail { transport: Transport::Folder(folder.path().join("out")), ..mail.clone() };
    deliver(&mail, run, digest).unwrap();
    std::fs::read(only_file(&folder.path().join("out"))).unwrap()
}

/// The same with the defaults.
fn default_mail() -> Mail {
    mail(Transport::Folder(PathBuf::new()))
}
