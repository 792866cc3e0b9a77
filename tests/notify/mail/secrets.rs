//! No failure of a mail server shows the password, not even one that repeats it.

use super::peer::{Mode, Peer, Script};
use super::{deliver, mail, runs, smtp, with_login};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use msgrecon::config::notify::{Secret, Smtp, SmtpTls, Transport};

/// Different in every run of the tests, so that nothing can have learned it by heart.
fn random() -> String {
    let name = tempfile::Builder::new().rand_bytes(20).tempdir().unwrap();
    format!("S3cr{}", name.path().file_name().unwrap().to_string_lossy().replace('.', "-"))
}

#[test]
fn no_failure_shows_the_password() {
    let secret = random();
    let plain = STANDARD.encode(format!("\0u\0{secret}"));
    let echo = format!("535 5.7.8 wrong: {secret} {plain} {}", STANDARD.encode(&secret));
    let scripts = [
        Script {
            login: Some(("u".to_owned(), "other".to_owned())),
            wrong_login: echo.clone(),
            ..Script::default()
        },
        Script { mode: Mode::Clear, ..Script::default() },
        Script { mode: Mode::Implicit, ..Script::default() },
        Script {
            mechanisms: "CRAM-MD5".to_owned(),
            login: Some(("u".to_owned(), secret.clone())),
            ..Script::default()
        },
        Script {
            login: Some(("u".to_owned(), secret.clone())),
            data_answers: vec![format!("554 {secret}")],
            ..Script::default()
        },
        Script {
            login: Some(("u".to_owned(), secret.clone())),
            refuse: vec![("oncall@example.test".to_owned(), format!("550 {plain}"))],
            ..Script::default()
        },
    ];
    let run = runs::missing("order-paid", "points", &runs::ids(1));
    for script in scripts {
        let peer = Peer::start(script);
        let server = Smtp { timeout: 500_000, ..with_login(smtp(&peer, SmtpTls::StartTls), "u", &secret) };
        let mail = mail(Transport::Smtp(server));
        let error = deliver(&mail, &run, &runs::alarm(&run)).unwrap_err();
        let shown = format!("{error} {error:?} {mail:?} {mail:#?}");
        for form in [&secret, &plain, &STANDARD.encode(&secret)] {
            assert!(!shown.contains(form.as_str()), "{shown}");
        }
    }
}

#[test]
fn a_password_file_that_is_not_there_is_named_and_costs_the_mail_alone() {
    let peer = Peer::start(Script::default());
    let server = Smtp {
        user: Some("u".to_owned()),
        password: Some(Secret::File("/no/such/secret".into())),
        ..smtp(&peer, SmtpTls::StartTls)
    };
    let run = runs::missing("order-paid", "points", &runs::ids(1));
    let error = deliver(&mail(Transport::Smtp(server)), &run, &runs::alarm(&run)).unwrap_err();
    assert!(error.message.contains("/no/such/secret") && error.retry, "{error:?}");
    assert_eq!(peer.heard().sessions, 0);
}
