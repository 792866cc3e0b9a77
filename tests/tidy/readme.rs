//! The README's blocks, executed.

use super::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The fenced blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    readme().split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A shell line's words, without its comment.
fn words(line: &str) -> Vec<String> {
    line.split('#').next().unwrap().split_whitespace().map(ToOwned::to_owned).collect()
}

fn msgrecon(folder: &Path, arguments: &[String]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_msgrecon"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").env_remove("RUST_LOG");
    command.env("SHOP_DB_URL", format!("sqlite://{}", folder.join("shop.db").display())).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_first_command_runs_the_demo() {
    let line = blocks("sh")[0].clone();
    let arguments = words(line.trim()).split_off(words("cargo run --release --").len());
    assert_eq!(line.trim(), format!("cargo run --release -- {}", arguments.join(" ")));
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        // The second time over the first one's folder.
        let output = msgrecon(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(
            said(&output).contains("Every planted fault was found, and nothing else."),
            "{}",
            said(&output)
        );
    }
    for file in ["report.json", "windows.csv", "differences.csv", "report.html"] {
        assert!(folder.path().join("msgrecon-demo/report").join(file).exists(), "{file}");
    }
}

#[test]
fn the_second_command_is_there_and_can_be_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let script: PathBuf = root().join(blocks("sh")[1].trim());
    let mode = std::fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{} is executable", script.display());
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains("tests/run"), "CI runs the same command");
}

/// The shop that the first configuration is for: a message that is fine and, at the end of the day, one that is lost.
fn shop(folder: &Path) {
    let statements = [
        "CREATE TABLE event (msg_id TEXT PRIMARY KEY, status INTEGER, created_at TEXT, sent_at TEXT)",
        "CREATE TABLE consumed_message (consumer TEXT, msg_id TEXT, consumed_at TEXT, PRIMARY KEY (consumer, msg_id))",
        "INSERT INTO event VALUES ('m1', 1, '2026-03-02 10:00:00', '2026-03-02 10:00:01')",
        "INSERT INTO event VALUES ('m2', 1, '2026-03-02 23:00:00', '2026-03-02 23:00:01')",
        "INSERT INTO consumed_message VALUES ('points', 'm1', '2026-03-02 10:00:02')",
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::Connection as _;
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(folder.join("shop.db"))
            .create_if_missing(true);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        for statement in statements {
            sqlx::query(statement).execute(&mut connection).await.unwrap();
        }
        connection.close().await.unwrap();
    });
}

#[test]
fn the_first_configuration_works_with_the_commands_below_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), &blocks("toml")[0]).unwrap();
    shop(folder.path());
    let lines: Vec<_> = blocks("sh")[2].lines().map(words).filter(|words| !words.is_empty()).collect();
    // In the order of the README: a plan, a day and a week in which one message is missing, a quiet last day, a text.
    let codes = [0, 1, 1, 0, 0];
    assert_eq!(lines.len(), codes.len());
    for (line, code) in lines.iter().zip(codes) {
        assert_eq!(line[0], "msgrecon");
        let output = msgrecon(folder.path(), &line[1..]);
        assert_eq!(output.status.code(), Some(code), "{line:?}\n{}", said(&output));
    }
    let report = std::fs::read_to_string(folder.path().join("reports/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["differences"][0]["id"], "m2");
    assert_eq!(report["flows"][0]["consumers"][0]["totals"]["ok"], 1);
}

#[test]
fn what_is_said_of_schedules_and_the_ledger_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), &blocks("toml")[0]).unwrap();
    shop(folder.path());
    let lines: Vec<_> =
        [3, 4].iter().flat_map(|place| blocks("sh")[*place].lines().map(words).collect::<Vec<_>>()).collect();
    // Yesterday is empty; in March a message is missing, and so many windows are due that one run does not judge them all,
    // which is why the flow is overdue; everything else does what it says.
    let codes = [0, 1, 1, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(lines.len(), codes.len());
    for (line, code) in lines.iter().zip(codes) {
        assert_eq!(line[0], "msgrecon");
        let output = msgrecon(folder.path(), &line[1..]);
        assert_eq!(output.status.code(), Some(code), "{line:?}\n{}", said(&output));
    }
    let repair = std::fs::read_to_string(folder.path().join("repair.csv")).unwrap();
    assert!(repair.contains("order-paid,points,replay,m2,missing,"), "{repair}");
}

#[test]
fn every_configuration_loads() {
    let all = blocks("toml");
    assert_eq!(all.len(), 7);
    let environment =
        |name: &str| name.ends_with("_DB_URL").then(|| format!("postgres://u:p@localhost/{name}"));
    let load = |text: &str| {
        let folder = Path::new("msgrecon.toml");
        let config = msgrecon::config::parse(text, folder, &environment, &|_| Ok(String::new()));
        config.unwrap_or_else(|problems| panic!("{problems}\n{text}"))
    };
    for block in &all[..2] {
        assert_eq!(load(block).flows[0].name, "order-paid");
    }
    // Sections to add to the first one, each alone and all of them.
    for block in &all[2..] {
        load(&format!("{}{block}", all[0]));
    }
    let whole = load(&(all[0].clone() + &all[2..].concat()));
    assert_eq!(whole.notify.channels.len(), msgrecon::config::notify::ChannelKind::ALL.len());
    assert!(whole.notify.mail.is_some() && whole.notify.metrics.textfile.is_some());
    let mut kinds: Vec<_> = whole.notify.channels.iter().map(|channel| channel.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), whole.notify.channels.len(), "each kind once");
    for metric in msgrecon::config::threshold_metrics() {
        assert!(readme().contains(&format!("`{metric}`")), "{metric} is explained");
    }
}

#[test]
fn schedules_are_printed_as_the_readme_says() {
    let folder = tempfile::tempdir().unwrap();
    shop(folder.path());
    std::fs::write(folder.path().join("msgrecon.toml"), &blocks("toml")[0]).unwrap();
    let lines: Vec<_> = blocks("sh")[5].lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3);
    for (line, holds) in lines.iter().zip(["msgrecon run", "OnCalendar=", "kind: CronJob"]) {
        // The one value with blanks in it is quoted.
        let quoted: Vec<_> = line.split('#').next().unwrap().split('"').collect();
        let mut arguments = words(quoted[0]);
        if let [_, value, rest] = quoted[..] {
            arguments.push(value.to_owned());
            arguments.extend(words(rest));
        }
        let output = msgrecon(folder.path(), &arguments[1..]);
        assert_eq!(output.status.code(), Some(0), "{line}\n{}", said(&output));
        assert!(said(&output).contains(holds), "{line}\n{}", said(&output));
    }
}

#[test]
fn messages_can_be_tried_out_as_the_readme_says() {
    let folder = tempfile::tempdir().unwrap();
    shop(folder.path());
    let mail = blocks("toml")[2].replace("smtp://robot@mail.example.com", "file://mail");
    let mail = mail.lines().filter(|line| !line.starts_with("password_file")).collect::<Vec<_>>().join("\n");
    std::fs::write(folder.path().join("msgrecon.toml"), blocks("toml")[0].clone() + &mail).unwrap();
    let lines: Vec<_> = blocks("sh")[6].lines().map(words).collect();
    assert_eq!(lines, [["msgrecon", "test-notify"]]);
    let output = msgrecon(folder.path(), &lines[0][1..]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), "mail: delivered\n"));
    assert_eq!(std::fs::read_dir(folder.path().join("mail")).unwrap().count(), 1);
}

#[test]
fn the_table_of_kinds_is_complete() {
    let readme = readme();
    for kind in msgrecon::model::Kind::ALL {
        assert!(readme.contains(&format!("\n| `{kind}` |")), "{kind}");
    }
}

#[test]
fn explain_names_the_bounds_that_judge_applies() {
    use msgrecon::model::{Kind, Verdict};
    for kind in Kind::ALL {
        let bounds = msgrecon::judge::default_threshold(kind.name());
        let level = bounds.map(|bounds| if bounds.fail.is_some() { Verdict::Fail } else { Verdict::Warn });
        assert_eq!(msgrecon::report::explain::default_level(kind), level, "{kind}");
    }
}
