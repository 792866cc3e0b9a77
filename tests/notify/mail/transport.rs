//! D49: the mode is explicit, nobody logs in in the clear, and every failure ends in time.

use super::peer::{Mode, Peer, Script};
use super::sent::Sent;
use super::{deliver, mail, runs, smtp, with_login};
use msgrecon::config::notify::{Smtp, SmtpTls, Transport};
use msgrecon::model::{Digest, Run};
use msgrecon::notify::Delivered;

const PASSWORD: &str = "Pw-9x";

fn one_missing() -> (Run, Digest) {
    let run = runs::missing("order-paid", "points", &runs::ids(1));
    let digest = runs::alarm(&run);
    (run, digest)
}

fn told(smtp: Smtp) -> Delivered {
    let (run, digest) = one_missing();
    deliver(&mail(Transport::Smtp(smtp)), &run, &digest)
}

fn login() -> Script {
    Script { login: Some(("u".to_owned(), PASSWORD.to_owned())), ..Script::default() }
}

#[test]
fn a_mail_goes_through_starttls_and_login() {
    for mechanisms in ["PLAIN LOGIN", "LOGIN"] {
        let peer = Peer::start(Script { mechanisms: mechanisms.to_owned(), ..login() });
        told(with_login(smtp(&peer, SmtpTls::StartTls), "u", PASSWORD)).unwrap();
        let heard = peer.heard();
        assert_eq!((heard.mails.len(), heard.logins), (1, 1), "{mechanisms}");
        let clear: Vec<_> =
            heard.lines.iter().filter(|line| !line.encrypted).map(|line| &line.text[..4]).collect();
        assert_eq!(clear, ["EHLO", "STAR"], "nothing else is said in the clear");
        assert!(
            Sent::read(&heard.mails[0].data)
                .subject()
                .starts_with("[FAIL] order-paid: 1 missing / 1.2M acked (")
        );
    }
}

#[test]
fn a_mail_goes_through_tls_from_the_first_byte_and_in_the_clear_on_the_loopback() {
    let peer = Peer::start(Script { mode: Mode::Implicit, ..login() });
    told(with_login(smtp(&peer, SmtpTls::Implicit), "u", PASSWORD)).unwrap();
    assert_eq!(peer.heard().mails.len(), 1);
    let peer = Peer::start(Script { mode: Mode::Clear, ..Script::default() });
    told(smtp(&peer, SmtpTls::None)).unwrap();
    assert_eq!(peer.heard().mails.len(), 1);
}

#[test]
fn a_wrong_mode_is_named_with_host_and_port() {
    let peer = Peer::start(login());
    let error = told(with_login(smtp(&peer, SmtpTls::Implicit), "u", PASSWORD)).unwrap_err();
    let place = format!("localhost:{} (smtps://, TLS from the first byte)", peer.port);
    assert!(error.message.contains(&place) && error.message.contains("write smtp://"), "{error}");
    assert_eq!(peer.heard().logins, 0);

    let peer = Peer::start(Script { mode: Mode::Implicit, ..login() });
    let short = Smtp { timeout: 300_000, ..smtp(&peer, SmtpTls::StartTls) };
    let error = told(with_login(short, "u", PASSWORD)).unwrap_err();
    let place = format!("localhost:{} (smtp://, STARTTLS)", peer.port);
    assert!(error.message.contains(&place) && error.message.contains("write smtps://"), "{error}");
}

#[test]
fn without_starttls_nothing_is_told() {
    let peer = Peer::start(Script { mode: Mode::Clear, ..login() });
    let error = told(with_login(smtp(&peer, SmtpTls::StartTls), "u", PASSWORD)).unwrap_err();
    assert!(error.message.contains("offers no STARTTLS") && !error.retry, "{error:?}");
    let heard = peer.heard();
    assert_eq!((heard.logins, heard.mails.len()), (0, 0));
    assert!(
        heard.lines.iter().all(|line| line.text.starts_with("EHLO") || line.text == "QUIT"),
        "{:?}",
        heard.lines
    );
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (peer, other) = (Peer::start(login()), Peer::start(Script::default()));
    for ca_file in [None, Some(other.ca_file.clone())] {
        let untrusting = Smtp { ca_file, ..smtp(&peer, SmtpTls::StartTls) };
        let error = told(with_login(untrusting, "u", PASSWORD)).unwrap_err();
        assert!(error.message.contains("certificate") && !error.retry, "{error:?}");
    }
    let elsewhere = Smtp { host: "127.0.0.1".to_owned(), ..smtp(&peer, SmtpTls::StartTls) };
    let error = told(with_login(elsewhere, "u", PASSWORD)).unwrap_err();
    assert!(error.message.contains("not valid for name"), "{error}");
    assert_eq!((peer.heard().logins, peer.heard().mails.len()), (0, 0));
}

#[test]
fn a_refused_login_is_told_without_the_password() {
    let peer = Peer::start(login());
    let error = told(with_login(smtp(&peer, SmtpTls::StartTls), "u", "another-one")).unwrap_err();
    assert!(error.message.contains("the login of u was refused") && error.message.contains("535"), "{error}");
    assert!(!error.message.contains("another-one") && !error.retry, "{error:?}");
    assert_eq!(peer.heard().sessions, 1, "a wrong password is not tried again");
}

#[test]
fn a_silent_server_is_given_up_in_time() {
    let peer = Peer::start(Script { mode: Mode::Silent, ..Script::default() });
    let patient = Smtp { timeout: 400_000, ..smtp(&peer, SmtpTls::StartTls) };
    let error = told(patient).unwrap_err();
    assert!(error.message.contains("no answer within 400ms") && error.retry, "{error:?}");
    assert_eq!(peer.heard().sessions, 1, "another attempt would wait as long");
}

#[test]
fn nobody_listens_and_no_such_certificate_file() {
    let peer = Peer::start(Script::default());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = told(Smtp { port: free, timeout: 500_000, ..smtp(&peer, SmtpTls::StartTls) }).unwrap_err();
    assert!(error.message.to_lowercase().contains("refused") && error.retry, "{error:?}");
    let ca_file = Some("/no/such/ca.pem".into());
    let error = told(Smtp { ca_file, ..smtp(&peer, SmtpTls::StartTls) }).unwrap_err();
    assert!(error.message.contains("`ca_file` /no/such/ca.pem"), "{error}");
}
