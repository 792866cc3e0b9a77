//! The files of `cron/` and the metrics, held to what their readers say of them: systemd's and Prometheus' own tools, a
//! shell, and the types of Kubernetes.
//!
//! A tool that is not there leaves its tests out, unless `MSGRECON_TEST_REQUIRE=1`; `tests/run` brings all of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod crontab;
mod image;
mod kubernetes;
mod metrics;
mod named;
mod rules;
mod systemd;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file below `cron/`.
fn shipped(name: &str) -> String {
    let path = root().join("cron").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A tool, or `None` where it may be left out.
fn tool(name: &str) -> Option<Command> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        let required = std::env::var("MSGRECON_TEST_REQUIRE").is_ok_and(|value| value == "1");
        assert!(!required, "{name} is not there, and MSGRECON_TEST_REQUIRE=1");
        eprintln!("left out: {name} is not there; tests/run brings it");
    }
    found.map(Command::new)
}

/// Everything that a program said.
fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Everything that a program said that did what it was to do.
fn well(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    said(&output)
}

/// The program.
fn msgrecon(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_msgrecon"));
    command.current_dir(folder).env("NO_COLOR", "1");
    for name in ["RUST_LOG", "MSGRECON_CONFIG", "CREDENTIALS_DIRECTORY", "POINTS_DB_URL"] {
        command.env_remove(name);
    }
    command
}

/// What `schedule` prints of a configuration; nothing is on stderr.
fn schedule(folder: &Path, config: &str, arguments: &[&str]) -> String {
    std::fs::write(folder.join("msgrecon.toml"), config).unwrap();
    let output = msgrecon(folder).arg("schedule").args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

/// A configuration with an SQLite ledger, two databases and a flow with windows of `window`.
fn config(window: &str) -> String {
    format!(
        "time_zone = 'America/New_York'\n\
         [databases.orders]\nurl_file = '${{CREDENTIALS_DIRECTORY}}/orders_db_url'\ntime_zone = 'UTC'\n\
         [databases.points]\nurl = '${{POINTS_DB_URL}}'\ntime_zone = 'UTC'\n\
         [[flows]]\nname = 'order-paid'\nwindow = '{window}'\n\
         events = {{ database = 'orders', table = 'event', id = 'id', acked_at = 'sent_at' }}\n\
         [[flows.consumers]]\nname = 'points'\ndatabase = 'points'\ntable = 'inbox'\nid = 'id'\nconsumed_at = 'at'\n"
    )
}

/// Every file below a folder with one of these endings.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
