//! Servers that refuse some recipients, or everything for a while.

use super::peer::{Peer, Script};
use super::{deliver, deliver_to, mail, recipients, runs, smtp};
use msgrecon::config::notify::{Mail, SmtpTls, Transport};
use msgrecon::model::Run;

fn to_peer(peer: &Peer) -> Mail {
    mail(Transport::Smtp(smtp(peer, SmtpTls::StartTls)))
}

fn run() -> Run {
    runs::missing("order-paid", "points", &runs::ids(1))
}

fn refusing(answers: &[(&str, &str)]) -> Script {
    let answers = answers.iter().map(|(who, answer)| ((*who).to_owned(), (*answer).to_owned()));
    Script { refuse: answers.collect(), ..Script::default() }
}

#[test]
fn one_bad_recipient_does_not_cost_the_others_their_mail() {
    let peer = Peer::start(refusing(&[("bad@example.test", "550 5.1.1 no such user")]));
    let run = run();
    let to = recipients(&["good@example.test", "bad@example.test", "fine@example.test"]);
    let error = deliver_to(&to_peer(&peer), &to, &run, &runs::alarm(&run)).unwrap_err();
    assert!(error.message.contains("bad@example.test") && error.message.contains("550 5.1.1"), "{error}");
    assert!(
        !error.message.contains("good@example.test") && error.message.contains("2 got the mail"),
        "{error}"
    );
    assert!(!error.retry, "those who have it must not get it twice");
    let heard = peer.heard();
    assert_eq!((heard.mails.len(), heard.sessions), (1, 1));
    assert_eq!(heard.mails[0].to, ["good@example.test", "fine@example.test"]);
}

#[test]
fn a_recipient_who_must_wait_is_tried_again_alone() {
    let mut script = refusing(&[("slow@example.test", "450 4.2.0 greylisted")]);
    script.refuse_times = 1;
    let peer = Peer::start(script);
    let run = run();
    let to = recipients(&["good@example.test", "slow@example.test"]);
    deliver_to(&to_peer(&peer), &to, &run, &runs::alarm(&run)).unwrap();
    let got: Vec<_> = peer.heard().mails.iter().map(|mail| mail.to.clone()).collect();
    assert_eq!(got, [["good@example.test"], ["slow@example.test"]]);
}

#[test]
fn a_recipient_who_must_wait_too_long_is_named() {
    let peer = Peer::start(refusing(&[("slow@example.test", "450 4.2.0 greylisted")]));
    let run = run();
    let to = recipients(&["good@example.test", "slow@example.test"]);
    let error = deliver_to(&to_peer(&peer), &to, &run, &runs::alarm(&run)).unwrap_err();
    assert!(error.message.contains("slow@example.test") && !error.retry, "{error:?}");
    assert_eq!((peer.heard().mails.len(), peer.heard().sessions), (1, 3));
}

#[test]
fn when_nobody_got_it_the_next_run_may_try_unless_all_are_refused_for_good() {
    let run = run();
    for (answer, retry, sessions) in [("450 4.2.0 greylisted", true, 3), ("550 no such user", false, 1)] {
        let peer = Peer::start(refusing(&[("oncall@example.test", answer)]));
        let error = deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap_err();
        assert!(error.message.contains("oncall@example.test") && error.retry == retry, "{error:?}");
        assert_eq!((peer.heard().mails.len(), peer.heard().sessions), (0, sessions), "{answer}");
    }
}

#[test]
fn a_server_that_is_busy_is_asked_three_times() {
    let run = run();
    let busy =
        |times: usize| Script { greetings: vec!["421 4.3.2 busy".to_owned(); times], ..Script::default() };
    let peer = Peer::start(busy(2));
    deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap();
    assert_eq!((peer.heard().mails.len(), peer.heard().sessions), (1, 3));
    let peer = Peer::start(busy(9));
    let error = deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap_err();
    assert!(error.message.contains("421") && error.retry, "{error:?}");
    assert_eq!(peer.heard().sessions, 3);
}

#[test]
fn a_mail_that_is_refused_for_now_is_sent_again_and_one_refused_for_good_is_not() {
    let run = run();
    for (answer, sessions, mails) in [("451 4.3.0 try again", 2, 1), ("554 5.7.1 looks like spam", 1, 0)] {
        let peer = Peer::start(Script { data_answers: vec![answer.to_owned()], ..Script::default() });
        let delivered = deliver(&to_peer(&peer), &run, &runs::alarm(&run));
        assert_eq!(delivered.is_ok(), mails == 1, "{delivered:?}");
        assert_eq!((peer.heard().sessions, peer.heard().mails.len()), (sessions, mails), "{answer}");
    }
}
