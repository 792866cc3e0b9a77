//! D49: mail servers that speak otherwise than configured, refuse, or say nothing, and a run with one missing.

use super::super::mail::peer::{Mode, Peer, Script};
use super::super::mail::sent::Sent;
use super::{FIRST, ONE_MISSING, SECOND, Shop, Told, child, mail};
use std::time::{Duration, Instant};

const PASSWORD: &str = "Pw-9x";
const LOGIN: &str = "smtp://u:Pw-9x@";

fn login() -> Script {
    Script { login: Some(("u".to_owned(), PASSWORD.to_owned())), ..Script::default() }
}

fn shop(top: &str) -> Shop {
    let shop = Shop::telling(top);
    shop.tell(ONE_MISSING);
    shop
}

/// A run that reports and does not deliver: what it says.
fn fails(shop: &Shop) -> Told {
    let told = shop.due(FIRST).ended(4).says("judged, and not delivered: mail: mail server localhost:");
    shop.assert_reported();
    assert!(told.out().contains("missing"), "the report is printed all the same: {}", told.out());
    assert_eq!(shop.ask("state, exit_code", "msgrecon_runs"), ["finished|1"]);
    hidden(shop, &told);
    told
}

/// Nothing holds the password but the configuration.
fn hidden(shop: &Shop, told: &Told) {
    let said = child::said(&told.0) + &child::said(&shop.call("status").0);
    assert!(!said.contains(PASSWORD), "{said}");
    for (path, bytes) in child::files(shop.outside.path()) {
        let config = path.ends_with("msgrecon.toml");
        assert!(config || !child::holds(&bytes, PASSWORD), "{}", path.display());
    }
}

#[test]
fn d49_a_starttls_logs_in_and_delivers_and_the_other_mode_is_named_with_its_port() {
    let peer = Peer::start(login());
    let mut shop = shop(&mail(&peer, LOGIN));
    let told = shop.due(FIRST).ended(1);
    shop.assert_reported();
    hidden(&shop, &told);
    let heard = peer.heard();
    assert_eq!((heard.mails.len(), heard.logins), (1, 1));
    assert!(heard.lines.iter().filter(|line| !line.encrypted).all(|line| !line.text.starts_with("AUTH")));
    let data = &heard.mails[0].data;
    assert!(!child::holds(data, PASSWORD));
    assert!(Sent::read(data).subject().contains("1 missing"));

    std::fs::remove_file(shop.path("ledger.db")).unwrap();
    shop.top = mail(&peer, "smtps://u:Pw-9x@");
    let place = format!("localhost:{} (smtps://, TLS from the first byte)", peer.port);
    fails(&shop).says(&place).says("write smtp://");
    assert_eq!((peer.heard().mails.len(), peer.heard().logins), (1, 1), "nobody logged in");
}

#[test]
fn d49_b_without_starttls_no_login_is_told() {
    let peer = Peer::start(Script { mode: Mode::Clear, ..login() });
    fails(&shop(&mail(&peer, LOGIN))).says("offers no STARTTLS");
    let heard = peer.heard();
    assert_eq!((heard.logins, heard.mails.len()), (0, 0));
    let said: Vec<_> = heard.lines.iter().map(|line| line.text[..4].to_owned()).collect();
    assert!(said.iter().all(|word| word == "EHLO" || word == "QUIT"), "{said:?}");
}

#[test]
fn d49_c_a_refused_login_is_told_without_the_password_and_mended_later() {
    let script = Script { wrong_login: "535 5.7.8 Pw-9x is wrong for AHUAUHctOXg=".to_owned(), ..login() };
    let script = Script { login: Some(("u".to_owned(), "another".to_owned())), ..script };
    let peer = Peer::start(script);
    let mut shop = shop(&mail(&peer, LOGIN));
    let told = fails(&shop).says("the login of u was refused").says("535");
    assert!(!told.err().contains("AHUAUHctOXg="), "{}", told.err());
    assert_eq!(peer.heard().sessions, 1);
    shop.top = mail(&peer, "smtp://u:another@");
    shop.due(SECOND).ended(1);
    assert_eq!((peer.heard().mails.len(), shop.deliveries()), (1, vec!["mail|sent".to_owned()]));
}

#[test]
fn d49_d_a_silent_server_is_given_up_in_time() {
    let peer = Peer::start(Script { mode: Mode::Silent, ..Script::default() });
    let shop = shop(&mail(&peer, LOGIN).replace("timeout = '5s'", "timeout = '1s'"));
    let begun = Instant::now();
    fails(&shop).says("no answer within 1s");
    let took = begun.elapsed();
    // Where it were not bounded, lettre alone would wait for 60 s.
    assert!(took < Duration::from_secs(25), "{took:?}");
    assert_eq!((peer.heard().sessions, shop.deliveries()), (1, vec!["mail|waiting".to_owned()]));
}

#[test]
fn d49_e_a_refused_recipient_is_named_and_the_other_has_the_mail_once() {
    let refuse = vec![("gone@example.com".to_owned(), "550 5.1.1 no such user".to_owned())];
    let peer = Peer::start(Script { refuse, ..login() });
    let to = "to = ['oncall@example.com', 'gone@example.com']";
    let shop = shop(&mail(&peer, LOGIN).replace("to = ['oncall@example.com']", to));
    fails(&shop).says("gone@example.com").says("550");
    let heard = peer.heard();
    assert_eq!(
        (heard.mails.len(), heard.mails[0].to.as_slice()),
        (1, &["oncall@example.com".to_owned()][..])
    );
    shop.due(SECOND).ended(1);
    assert_eq!(peer.heard().mails.len(), 1, "who has it does not get it twice");
}
