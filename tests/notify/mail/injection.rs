//! D47: nothing that a table or a configuration holds becomes a header, markup, or a control character.

use super::peer::{Peer, Script};
use super::sent::Sent;
use super::{deliver, mail, runs, smtp};
use msgrecon::config::notify::{SmtpTls, Transport};
use msgrecon::language::Language;

const FLOW: &str = "orders\r\nBcc: x@example.test";
const CONSUMER: &str = "\"><script>alert(1)</script>";
const IDS: [&str; 4] = [
    "<img src=x onerror=alert(1)>",
    "../../tmp/x",
    "\u{1b}[31mred",
    "\r\n.\r\nMAIL FROM:<evil@example.test>",
];

#[test]
fn hostile_names_and_ids_stay_text() {
    for language in [Language::En, Language::ZhCn] {
        let peer = Peer::start(Script::default());
        let run = runs::missing(FLOW, CONSUMER, &IDS.map(str::to_owned));
        let mut mail = mail(Transport::Smtp(smtp(&peer, SmtpTls::StartTls)));
        mail.language = language;
        deliver(&mail, &run, &runs::alarm(&run)).unwrap();
        let heard = peer.heard();
        assert_eq!(heard.mails.len(), 1);
        assert_eq!(heard.mails[0].from, "msgrecon@example.test");
        assert_eq!(heard.mails[0].to, ["oncall@example.test"]);
        let raw = &heard.mails[0].data;
        let sent = Sent::read(raw);
        assert!(sent.message.bcc().is_none());
        assert!(!sent.header_names().contains(&"bcc".to_owned()), "{:?}", sent.header_names());
        let subject = sent.subject();
        assert!(!subject.chars().any(char::is_control), "{subject:?}");
        assert!(subject.contains("orders\\u{d}\\u{a}Bcc: x@example.test"), "{subject}");
        let html = sent.html().to_lowercase();
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<svg"), "{html}");
        assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;") && html.contains("&lt;script&gt;"));
        for body in [sent.html(), sent.text()] {
            assert!(!body.chars().any(|c| c.is_control() && !"\r\n".contains(c)), "{body:?}");
        }
        let csv = &sent.attachments()[0];
        assert_eq!(csv.0, "differences.csv");
    }
}

/// The only characters between `<` and `>` of a mail are ours: a name cannot close an attribute either.
#[test]
fn a_runbook_is_a_link_only_where_it_is_one() {
    let run = runs::missing("order-paid", "points", &runs::ids(1));
    let digest = runs::alarm(&run);
    let folder = tempfile::tempdir().unwrap();
    let mail = mail(Transport::Folder(folder.path().to_owned()));
    let around = msgrecon::notify::Surroundings {
        runbooks: vec![("order-paid".to_owned(), "javascript:alert(1)\"><b onclick=\"x".to_owned())],
        ..msgrecon::notify::Surroundings::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let to = super::recipients(&["a@example.test"]);
    runtime.block_on(super::send(&mail, &to, &run, &digest, &around)).unwrap();
    let raw = std::fs::read(super::only_file(folder.path())).unwrap();
    let html = Sent::read(&raw).html();
    assert!(!html.contains("href=\"javascript") && !html.contains("<b onclick"), "{html}");
    assert!(html.contains("javascript:alert(1)&quot;&gt;"));
}
