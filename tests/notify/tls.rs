//! A certificate that nobody trusts is refused, on the loopback too.

use super::letters::{around, channel, digest, run};
use msgrecon::config::notify::ChannelKind;
use msgrecon::notify::channel::send;
use rcgen::{CertificateParams, KeyPair};
use std::io::Read as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel as pipe};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

fn config() -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.into());
    Arc::new(config.unwrap())
}

/// The port, and whatever it is told once a session is encrypted.
fn peer() -> (u16, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, heard) = pipe();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            let mut bytes = vec![0; 1_000];
            let mut session = StreamOwned::new(ServerConnection::new(config()).unwrap(), stream.unwrap());
            let read = session.read(&mut bytes).unwrap_or_default();
            bytes.truncate(read);
            let _ = told.send(bytes);
        }
    });
    (port, heard)
}

#[tokio::test]
async fn nothing_is_told_to_whom_nobody_vouches_for() {
    let (run, (port, heard)) = (run(12), peer());
    let channel = channel(ChannelKind::Webhook, &[format!("https://localhost:{port}/hook/T0KENT0KEN")]);
    let error = send(&channel, &run, &digest(&run), &around()).await.unwrap_err();
    assert!(error.message.contains("was not reached") && error.message.contains("certificate"), "{error}");
    assert!(!error.message.contains("T0KEN"), "{error}");
    assert!(heard.iter().all(|bytes| bytes.is_empty()), "something was told");
}
