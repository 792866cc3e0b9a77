//! Nothing secret is ever said.

use super::*;

#[test]
fn a_configuration_shows_no_secret() {
    let config = parsed(EXAMPLE).unwrap();
    let shown = format!("{config:?} {config:#?}");
    assert!(shown.contains("order-paid") && !shown.contains("Pw"), "{shown}");
}

/// Lines with a secret in them, each wrong in its own way.
const WRONG: [&str; 24] = [
    "databases.x.url = 'mysq://app:S3cretPw@h/db'",
    "databases.x.url = 'S3cretPw'",
    "databases.x.url = 'app:S3cretPw@h/db'",
    "databases.x.url = 'postgres://app:S3cretPw@h:port/db'",
    "databases.x.url = 'postgres://app:1/S3cretPw@h/db'",
    "databases.x.url = '${BAD_URL}'",
    "databases.x.url = '${NONE}:S3cretPw'",
    "databases.x.url = '${NONE:-S3cretPw}'",
    "databases.x.url = ['S3cretPw']",
    "databases.x.url = { S3 = 1, value = 'S3cretPw' }",
    "databases.x.urll = 'S3cretPw'",
    "databases.x = { url = 'mysql://u:S3cretPw@h/d', max_connections = 0 }",
    "databases.x.url_file = 'mysql://u:S3cretPw@h/d'",
    "databases.x.url_file = '/run/secrets/bad'",
    "databases.x.pasword = 'S3cretPw'",
    "databases.x.nonsense = 'S3cretPw'",
    "time_zone = 'mysql://u:S3cretPw@h/d'",
    "time_zone = '${BAD_URL}'",
    "mail = { transport = 'smtp://u:S3cretPw@h', when = 'nver' }",
    "mail = { password = \"\"\"\nS3cretPw\"\"\", nonsense = 1 }",
    "databases.x.url = 'S3cretPw",
    "databases.x.url = 'postgres://u:S3cretPw@h/d' 5",
    "mail.password = \"\"\"\nS3cretPw \\q",
    "mail.password = \"\"\"\nS3cretPw",
];

#[test]
fn problems_show_no_secret() {
    for line in WRONG {
        let problems = parsed(&format!("{line}\n{LEAST}")).unwrap_err();
        let shown = format!("{problems} {problems:?}");
        assert!(!shown.contains("S3cret"), "{line}:\n{problems}");
    }
}

#[test]
fn a_line_that_names_a_variable_alone_is_shown() {
    let problems = parsed(&format!("databases.x.url = '${{NONE}}'\n{LEAST}")).unwrap_err();
    assert!(problems.to_string().contains("    1 | databases.x.url = '${NONE}'\n"), "{problems}");
}
