//! What `schedule` does with secrets, and without them.

use crate::{config, files, msgrecon, root, said, schedule};

#[test]
fn nothing_of_a_secret_is_printed_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders_db_url");
    std::fs::write(&path, "postgres://reader:s3cr3t-in-file@db/orders").unwrap();
    let inline = "[[channels]]\nkind = 'slack'\nurl = 'https://hooks.example.com/T0/s3cr3t-in-line'\n";
    std::fs::write(folder.path().join("msgrecon.toml"), config("1h") + inline).unwrap();
    for scheduler in ["crontab", "systemd", "kubernetes"] {
        let mut command = msgrecon(folder.path());
        command
            .env("CREDENTIALS_DIRECTORY", folder.path())
            .env("POINTS_DB_URL", "mysql://u:s3cr3t-in-env@db/p");
        let output = command.args(["schedule", "--for", scheduler]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(!said(&output).contains("s3cr3t"), "{}", said(&output));
        assert!(said(&output).contains("POINTS_DB_URL"), "{}", said(&output));
    }
}

#[test]
fn a_configuration_that_is_wrong_is_named_as_by_a_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), config("25h")).unwrap();
    let output = msgrecon(folder.path()).arg("schedule").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("window"), "{}", said(&output));
}

#[test]
fn intervals_that_no_scheduler_knows_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), config("1h")).unwrap();
    for arguments in [["--every", "45m"], ["--every", "2d"], ["--cron", "@hourly"], ["--cron", "* * * * *"]] {
        let output = msgrecon(folder.path()).arg("schedule").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(arguments[0]), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn an_interval_that_nobody_asked_for_is_that_of_the_windows() {
    let folder = tempfile::tempdir().unwrap();
    let starts = |window: &str| {
        let text = schedule(folder.path(), &config(window), &[]);
        let line = text.lines().find(|line| line.contains(" run --quiet ")).unwrap().to_owned();
        line.split(" out=").next().unwrap().to_owned()
    };
    assert_eq!(starts("5m"), "3,18,33,48 * * * *");
    assert_eq!(starts("1h"), "18 * * * *");
    assert_eq!(starts("24h"), "18 0 * * *");
}

/// Comments say why; every file that is shipped has some.
#[test]
fn every_shipped_file_explains_itself() {
    for path in files(&root().join("cron")) {
        let text = std::fs::read_to_string(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "json") {
            assert!(text.contains("\"description\""), "{}", path.display());
            continue;
        }
        let comments = text.lines().filter(|line| line.trim_start().starts_with('#')).count();
        assert!(comments >= 2 && text.starts_with('#'), "{}: {comments}", path.display());
        // A line of a crontab cannot be broken.
        let long = text.lines().find(|line| line.trim_start().starts_with('#') && line.chars().count() > 130);
        assert_eq!(long, None, "{}", path.display());
        assert!(text.ends_with('\n') && !text.contains('\t'), "{}", path.display());
    }
}
