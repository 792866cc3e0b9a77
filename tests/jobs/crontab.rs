//! The lines of the crontab, run as cron runs them.

use crate::{said, schedule, shipped, tool};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A crontab: its variables, and the commands of its lines with their five fields.
struct Crontab {
    variables: Vec<(String, String)>,
    lines: Vec<(String, String)>,
}

impl Crontab {
    fn read(text: &str) -> Self {
        let mut read = Self { variables: Vec::new(), lines: Vec::new() };
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let first = line.split_whitespace().next().unwrap();
            if let Some((name, _)) = first.split_once('=') {
                read.variables.push((name.to_owned(), line[name.len() + 1..].to_owned()));
                continue;
            }
            let fields: Vec<_> = line.splitn(6, ' ').collect();
            read.lines.push((fields[..5].join(" "), taken(fields[5])));
        }
        read
    }

    /// Runs the command with this word in it, with the environment that cron gives.
    fn command(&self, word: &str) -> Command {
        let lines: Vec<_> = self.lines.iter().filter(|(_, command)| command.contains(word)).collect();
        assert_eq!(lines.len(), 1, "{word}");
        let variable = |name: &str| &self.variables.iter().find(|(known, _)| known == name).unwrap().1;
        let mut command = Command::new(variable("SHELL"));
        command.env_clear().envs(self.variables.iter().cloned()).env("HOME", "/").arg("-c").arg(&lines[0].1);
        command
    }
}

/// What cron hands to the shell: everything up to the first percent sign that no backslash stands before.
fn taken(command: &str) -> String {
    let unescaped = command.char_indices().any(|(at, c)| c == '%' && !command[..at].ends_with('\\'));
    assert!(!unescaped, "cron ends the command at a percent sign: {command}");
    command.replace("\\%", "%")
}

/// A folder with a stand-in for the program, whose path needs quotes, and the crontab for it.
struct Desk {
    folder: TempDir,
    crontab: Crontab,
}

impl Desk {
    /// `script` is what the stand-in does once it has written its arguments down.
    fn new(script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("it's 100% msgrecon");
        let log = folder.path().join("log");
        std::fs::write(&program, format!("#!/bin/sh\necho \"$*\" >>{}\n{script}\n", log.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = program.display().to_string();
        let text = schedule(folder.path(), &crate::config("1h"), &["--binary", &path]);
        Self { folder, crontab: Crontab::read(&text) }
    }

    fn run(&self, word: &str) -> Output {
        self.crontab.command(word).output().unwrap()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The lock that the lines take, beside the ledger.
    fn lock(&self) -> PathBuf {
        self.folder.path().join("run.lock")
    }
}

const WORDS: [&str; 3] = [" run ", " status ", " prune "];

#[test]
fn each_line_starts_the_program_with_arguments_that_it_takes() {
    if tool("flock").is_none() {
        return;
    }
    let desk = Desk::new("echo a report");
    assert_eq!(desk.crontab.lines.len(), WORDS.len());
    for word in WORDS {
        let output = desk.run(word);
        assert_eq!(output.status.code(), Some(0), "{word}: {}", said(&output));
        assert_eq!(said(&output), "", "{word}: what is printed is mailed");
    }
    let config = desk.folder.path().join("msgrecon.toml").display().to_string();
    for (line, word) in desk.log().lines().zip(WORDS) {
        use clap::Parser as _;
        assert!(line.starts_with(word.trim()) && line.contains(&config), "{line}");
        let words = std::iter::once("msgrecon").chain(line.split_whitespace());
        assert!(msgrecon::cli::Cli::try_parse_from(words).unwrap().global.quiet, "{line}");
    }
}

#[test]
fn a_second_run_ends_at_once_with_75_and_without_a_word() {
    if tool("flock").is_none() {
        return;
    }
    let desk = Desk::new("");
    let lock = File::create(desk.lock()).unwrap();
    lock.lock().unwrap();
    let output = desk.run(" run ");
    assert_eq!(said(&output), "");
    assert_eq!(desk.log(), "", "the program is not even started");
    let locked = desk.crontab.lines[0].1.split("$(").nth(1).unwrap().split(')').next().unwrap();
    assert_eq!(Command::new("sh").arg("-c").arg(locked).status().unwrap().code(), Some(75));
    // The weekly line waits, since its next chance is a week away.
    let mut prune = desk.crontab.command(" prune ").spawn().unwrap();
    assert!(prune.try_wait().unwrap().is_none());
    assert_eq!(desk.log(), "");
    lock.unlock().unwrap();
    assert_eq!(prune.wait().unwrap().code(), Some(0));
    assert!(desk.log().starts_with("prune "), "{}", desk.log());
}

#[test]
fn what_goes_wrong_is_mailed_and_what_others_tell_is_not() {
    if tool("flock").is_none() {
        return;
    }
    for (code, mailed) in
        [(0, ""), (1, ""), (2, "a report\noh\n"), (3, "a report\noh\n"), (4, "a report\noh\n"), (75, "oh\n")]
    {
        let desk = Desk::new(&format!("echo a report; [ {code} -lt 2 ] || echo oh >&2; exit {code}"));
        assert_eq!(said(&desk.run(" run ")), mailed, "{code}");
    }
    let overdue = Desk::new("echo order-paid is overdue; exit 1").run(" status ");
    assert_eq!(said(&overdue), "order-paid is overdue\n");
}

#[test]
fn the_shipped_crontab_reads_as_one() {
    let read = Crontab::read(&shipped("crontab"));
    let names: Vec<_> = read.variables.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["SHELL", "PATH", "MAILTO", "CRON_TZ"]);
    let starts: Vec<_> = read.lines.iter().map(|(fields, _)| fields.as_str()).collect();
    assert_eq!(starts, ["18 * * * *", "48 * * * *", "41 4 * * 0"]);
    for (_, command) in &read.lines {
        assert!(command.contains("/usr/local/bin/msgrecon "), "{command}");
        assert!(!command.contains("flock") || command.contains("-E 75"), "{command}");
    }
}

/// The program itself, on a shop that is empty: the lines do what they say, and nothing is mailed.
#[test]
fn the_lines_run_with_the_program_itself() {
    if tool("flock").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop.db");
    empty_shop(&shop);
    let urls = format!("url = 'sqlite://{}'", shop.display());
    let config = crate::config("1h")
        .replace("url_file = '${CREDENTIALS_DIRECTORY}/orders_db_url'", &urls)
        .replace("url = '${POINTS_DB_URL}'", &urls);
    let crontab = Crontab::read(&schedule(folder.path(), &config, &[]));
    for word in WORDS {
        let output = crontab.command(word).output().unwrap();
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""), "{word}");
    }
    for name in ["msgrecon.db", "run.lock"] {
        assert!(folder.path().join(name).exists(), "{name}: the run is recorded, and was alone");
    }
    // A source that is away is told, and nobody has to look at an exit code.
    std::fs::remove_file(&shop).unwrap();
    assert!(said(&crontab.command(" run ").output().unwrap()).contains("orders"));
}

fn empty_shop(path: &Path) {
    use sqlx::Connection as _;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        for statement in
            ["CREATE TABLE event (id TEXT, sent_at TEXT)", "CREATE TABLE inbox (id TEXT, at TEXT)"]
        {
            sqlx::query(statement).execute(&mut connection).await.unwrap();
        }
        connection.close().await.unwrap();
    });
}
