//! D48: a report that is too large for the server does not keep the mail from arriving.

use super::peer::{Peer, Script};
use super::sent::Sent;
use super::{deliver, mail, runs, smtp};
use flate2::read::GzDecoder;
use msgrecon::config::notify::{Mail, SmtpTls, Transport};
use std::io::Read as _;

fn to_peer(peer: &Peer) -> Mail {
    mail(Transport::Smtp(smtp(peer, SmtpTls::StartTls)))
}

#[test]
fn a_long_list_is_packed_below_the_limit_and_totals_are_told() {
    let peer = Peer::start(Script { data_max: 10 * 1024 * 1024, ..Script::default() });
    let run = runs::missing("order-paid", "points", &runs::ids(120_000));
    deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap();
    let heard = peer.heard();
    assert_eq!((heard.mails.len(), heard.sessions), (1, 1));
    let sent = Sent::read(&heard.mails[0].data);
    assert!(sent.subject().contains("120,000 missing"), "{}", sent.subject());
    let text = sent.text();
    assert!(text.contains("20 of 120,000") && text.contains("/var/lib/msgrecon/reports/today"), "{text}");
    let files = sent.attachments();
    assert_eq!((files.len(), files[0].0.as_str()), (1, "differences.csv.gz"));
    let mut csv = String::new();
    GzDecoder::new(&files[0].1[..]).read_to_string(&mut csv).unwrap();
    assert_eq!(csv.lines().count(), 120_001);
    assert!(csv.len() > 8 * 1024 * 1024, "{}", csv.len());
}

#[test]
fn the_limit_holds_for_the_mail_as_it_is_sent() {
    let run = runs::missing("order-paid", "points", &runs::ids(5_000));
    let digest = runs::alarm(&run);
    let whole = super::written(&super::default_mail(), &run, &digest);
    // The end of a message is two bytes more.
    let sent = whole.len() as u64 + 2;
    let csv = Sent::read(&whole).attachments()[0].1.len() as u64;
    assert!(csv < 1024 * 1024 && whole.len() as u64 > csv * 5 / 4, "base64 adds a third");
    for (size_max, attached) in [(sent, 1), (sent - 1, 0), (csv + 90_000, 0)] {
        let peer = Peer::start(Script { data_max: usize::try_from(size_max).unwrap(), ..Script::default() });
        deliver(&Mail { size_max, ..to_peer(&peer) }, &run, &digest).unwrap();
        let heard = peer.heard();
        let sent = Sent::read(&heard.mails[0].data);
        assert_eq!((sent.attachments().len(), heard.refused_data), (attached, 0), "{size_max}");
        let text = sent.text().replace('\n', " ");
        assert_eq!(
            text.contains("is not attached, since the mail would be too large"),
            attached == 0,
            "{text}"
        );
        assert!(text.contains("/var/lib/msgrecon/reports/today"));
    }
}

#[test]
fn a_server_that_refuses_the_size_is_sent_the_mail_without_attachment_once() {
    let run = runs::missing("order-paid", "points", &runs::ids(5_000));
    for answer in ["552 5.3.4 Message size exceeds fixed limit", "554 message too large"] {
        let script = Script { data_max: 200_000, too_large: answer.to_owned(), ..Script::default() };
        let peer = Peer::start(script);
        deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap();
        let heard = peer.heard();
        assert_eq!((heard.mails.len(), heard.refused_data, heard.sessions), (1, 1, 1), "{answer}");
        assert!(Sent::read(&heard.mails[0].data).attachments().is_empty());
    }
}

#[test]
fn a_server_that_tells_its_size_is_not_sent_more() {
    let run = runs::missing("order-paid", "points", &runs::ids(5_000));
    let script = Script { size: Some(200_000), data_max: 200_000, ..Script::default() };
    let peer = Peer::start(script);
    deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap();
    let heard = peer.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (1, 0));
    let size = heard.mails[0].data.len();
    let begun = heard.lines.iter().find(|line| line.text.starts_with("MAIL FROM")).unwrap();
    assert!(begun.text.contains(&format!(" SIZE={size}")), "{}", begun.text);
}

#[test]
fn a_server_that_refuses_the_short_mail_too_is_a_failure() {
    let peer = Peer::start(Script { data_max: 100, ..Script::default() });
    let run = runs::missing("order-paid", "points", &runs::ids(5));
    let error = deliver(&to_peer(&peer), &run, &runs::alarm(&run)).unwrap_err();
    assert!(error.message.contains("552") && !error.retry, "{error:?}");
    let heard = peer.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (0, 2));
}
