//! The password of a database URL is nowhere in what the program says or leaves behind.

use super::{AS_OF, DAY, usual};
use crate::child;
use std::path::Path;
use std::process::Output;

const SECRET: &str = "S3cretPw";
/// The same, percent-encoded where nobody has to.
const ENCODED: &str = "%533cretP%77";

/// URLs of which the first two are refused by nobody's port and the third by the configuration.
const URLS: [(&str, i32); 3] = [
    ("mysql://app:S3cretPw@127.0.0.1:1/db", 3),
    ("postgres://app:S3cretPw@127.0.0.1:1/db?password=S3cretPw", 3),
    ("mysq://app:S3cretPw@h/db", 2),
];

fn config(url: &str) -> String {
    let one = |name: &str| format!("[databases.{name}]\nurl = {url}\ntime_zone = \"UTC\"\n\n");
    one("p") + &one("c") + &usual()
}

/// Every place where the secret could be, in either form; and the source is named all the same.
fn assert_hidden(folder: &Path, output: &Output, what: &str) {
    let files = child::files(folder).into_iter().filter(|(path, _)| !is_input(path));
    let left: Vec<_> = files.map(|(path, bytes)| (path.display().to_string(), bytes)).collect();
    let said = [("stdout".to_owned(), output.stdout.clone()), ("stderr".to_owned(), output.stderr.clone())];
    for (place, bytes) in said.into_iter().chain(left) {
        let shown = String::from_utf8_lossy(&bytes);
        for form in [SECRET, ENCODED, "3cretP"] {
            assert!(
                !child::holds(&bytes, form) && !child::holds(place.as_bytes(), form),
                "{what}, {place}: {shown}"
            );
        }
    }
}

/// What the test itself wrote.
fn is_input(path: &Path) -> bool {
    path.ends_with("msgrecon.toml") || path.ends_with("url")
}

fn trace(folder: &Path, config: &str, url: &str, arguments: &str) -> Output {
    let mut command = child::command(folder, config);
    command.env("RUST_LOG", "trace").env("SHOP_DB_URL", url);
    let output = command.args(arguments.split_whitespace()).output().unwrap();
    assert_hidden(folder, &output, arguments);
    output
}

/// The ways to give a URL: in the file, by the environment, in a file of its own.
fn ways(folder: &Path, url: &str) -> [String; 3] {
    std::fs::write(folder.join("url"), format!("{url}\n")).unwrap();
    let from_file = config("'${SHOP_DB_URL}'").replace("url = '${SHOP_DB_URL}'", "url_file = 'url'");
    [config(&format!("'{url}'")), config("'${SHOP_DB_URL}'"), from_file]
}

#[test]
fn d53_password_of_a_database_url_in_a_run_and_its_reports() {
    for (url, code) in URLS {
        for url in [url.to_owned(), url.replace(SECRET, ENCODED)] {
            let folder = tempfile::tempdir().unwrap();
            for config in ways(folder.path(), &url) {
                for format in ["table", "csv", "json", "html"] {
                    let arguments =
                        format!("run --date {DAY} --as-of {AS_OF} --format {format} --output reports");
                    let output = trace(folder.path(), &config, &url, &arguments);
                    assert_eq!(child::code(&output), code, "{}", child::said(&output));
                    let said = child::said(&output) + &report(folder.path());
                    let named = if code == 3 { "127.0.0.1:1" } else { "databases.p.url" };
                    assert!(said.contains(named) && said.contains('p'), "the source is named: {said}");
                }
            }
        }
    }
}

fn report(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("reports/report.json")).unwrap_or_default()
}

#[test]
fn d53_password_of_a_database_url_in_plans_logs_and_help() {
    for (url, code) in URLS {
        let folder = tempfile::tempdir().unwrap();
        for config in ways(folder.path(), url) {
            let selection = format!("--date {DAY} --as-of {AS_OF}");
            let plan = trace(folder.path(), &config, url, &format!("plan {selection}"));
            assert_eq!(child::code(&plan), if code == 2 { 2 } else { 0 }, "{}", child::said(&plan));
            let sql = trace(folder.path(), &config, url, &format!("plan --sql {selection}"));
            assert_eq!(child::code(&sql), code, "{}", child::said(&sql));
            trace(folder.path(), &config, url, &format!("-vv --log-format json run {selection}"));
            trace(folder.path(), &config, url, "--help");
            trace(folder.path(), &config, url, "run --help");
            let wrong = trace(
                folder.path(),
                &config.replace("window = ", "windo = "),
                url,
                &format!("run {selection}"),
            );
            assert_eq!(child::code(&wrong), 2, "{}", child::said(&wrong));
        }
    }
}

/// A typing error beside the secret quotes its line in a message.
#[test]
fn d53_a_syntax_error_in_the_line_of_the_url_does_not_show_it() {
    for line in [
        "url = 'mysql://app:S3cretPw@h/db",
        "url = mysql://app:S3cretPw@h/db",
        "url = 'mysql://app:S3cretPw@h/db' x",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("[databases.p]\n{line}\n\n{}", usual());
        let output = trace(folder.path(), &config, "", &format!("run --date {DAY}"));
        assert_eq!(child::code(&output), 2, "{}", child::said(&output));
        assert!(child::err(&output).contains("msgrecon.toml:2"), "{}", child::err(&output));
    }
}
