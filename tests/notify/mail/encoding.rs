//! D46: what is not ASCII arrives as it was.

use super::sent::Sent;
use super::{default_mail, runs, written};
use msgrecon::config::notify::Mail;
use msgrecon::language::Language;

const NAME: &str = "订单对账 – Übergröße 🚚 ";

#[test]
fn a_long_name_that_is_not_ascii_arrives_whole() {
    let name = NAME.repeat(12);
    assert!(name.chars().count() >= 200);
    let run = runs::missing(&name, "点数", &runs::ids(3));
    for (language, around) in
        [(Language::En, ": 3 missing / 1.2M acked ("), (Language::ZhCn, "：丢失 3 / 已确认 1.2M（")]
    {
        let mail =
            Mail {
                from: "\"Prüfung, 对账\" <msgrecon@example.test>".to_owned(), language, ..default_mail()
            };
        let raw = written(&mail, &run, &runs::alarm(&run));
        let sent = Sent::read(&raw);
        let begin = format!("[FAIL] {name}{around}2026-03-02 00:00 ");
        assert!(sent.subject().starts_with(&begin), "{}", sent.subject());
        let from: Vec<_> = sent.message.from().unwrap().iter().collect();
        assert_eq!(from.len(), 1, "the comma makes no second address");
        assert_eq!(
            (from[0].name(), from[0].address()),
            (Some("Prüfung, 对账"), Some("msgrecon@example.test"))
        );
        assert!(sent.text().contains(name.trim_end()), "{}", sent.text());
        assert!(sent.html().contains(name.trim_end()));
        let text = String::from_utf8_lossy(&raw).to_lowercase();
        for kind in ["text/plain; charset=utf-8", "text/html; charset=utf-8"] {
            assert_eq!(text.matches(kind).count(), 1, "{kind}");
        }
    }
}

#[test]
fn recipients_keep_their_names_and_answers_go_where_they_should() {
    let run = runs::quiet();
    let digest = runs::report(&run, msgrecon::model::Occasion::Report);
    let folder = tempfile::tempdir().unwrap();
    let mail = Mail {
        reply_to: Some("Der Müller <mueller@example.test>".to_owned()),
        ..super::mail(msgrecon::config::notify::Transport::Folder(folder.path().to_owned()))
    };
    let to = super::Recipients {
        to: vec!["\"值班, 一线\" <oncall@example.test>".to_owned(), "b@example.test".to_owned()],
        cc: vec!["c@example.test".to_owned()],
    };
    super::deliver_to(&mail, &to, &run, &digest).unwrap();
    let raw = std::fs::read(super::only_file(folder.path())).unwrap();
    let sent = Sent::read(&raw);
    let to: Vec<_> = sent.message.to().unwrap().iter().map(|one| (one.name(), one.address())).collect();
    assert_eq!(to, [(Some("值班, 一线"), Some("oncall@example.test")), (None, Some("b@example.test"))]);
    assert_eq!(sent.message.cc().unwrap().first().unwrap().address(), Some("c@example.test"));
    assert_eq!(sent.message.reply_to().unwrap().first().unwrap().name(), Some("Der Müller"));
}
