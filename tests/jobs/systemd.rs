//! What systemd itself says of the units.

use crate::{config, msgrecon, schedule, shipped, tool, well};
use std::path::Path;

const UNITS: [&str; 4] =
    ["msgrecon.service", "msgrecon.timer", "msgrecon-prune.service", "msgrecon-prune.timer"];

/// The shipped units in a folder, with a program that is there.
fn lay_out(folder: &Path) {
    for name in UNITS {
        let text = shipped(&format!("systemd/{name}"))
            .replace("/usr/local/bin/msgrecon", env!("CARGO_BIN_EXE_msgrecon"));
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// systemd reads every unit without a word.
fn assert_verified(folder: &Path) {
    let Some(mut analyze) = tool("systemd-analyze") else { return };
    let units = UNITS.map(|name| folder.join(name));
    // The manual page is not installed here.
    let said = well(analyze.args(["verify", "--man=no"]).args(units));
    let ours: Vec<_> = said.lines().filter(|line| line.contains("msgrecon")).collect();
    assert!(ours.is_empty(), "{said}");
}

/// The values of a key in a unit, in order.
fn values<'a>(unit: &'a str, key: &str) -> Vec<&'a str> {
    unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
}

#[test]
fn the_shipped_units_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    lay_out(folder.path());
    assert_verified(folder.path());
}

#[test]
fn the_printed_units_are_sound_at_every_interval() {
    let folder = tempfile::tempdir().unwrap();
    for timing in [["--every", "5m"], ["--every", "1d"], ["--cron", "7 6-22/2 * * mon-fri"]] {
        let output = folder.path().display().to_string();
        let all = [["--for", "systemd"], timing, ["--output", &output]].concat();
        assert_eq!(schedule(folder.path(), &config("1h"), &all), "");
        assert_verified(folder.path());
        let service = std::fs::read_to_string(folder.path().join("msgrecon.service")).unwrap();
        assert!(service.contains(env!("CARGO_BIN_EXE_msgrecon")), "{service}");
        assert_eq!(values(&service, "LoadCredential"), ["orders_db_url:/etc/msgrecon/secrets/orders_db_url"]);
        assert_eq!(values(&service, "EnvironmentFile"), ["/etc/msgrecon/environment"]);
    }
}

/// The time that the timer says is the time that was meant.
#[test]
fn timers_start_when_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (["--every", "1h"], "*-*-* *:18:00 America/New_York"),
        (["--every", "6h"], "*-*-* 00,06,12,18:18:00 America/New_York"),
        (["--cron", "7 6 1,15 * *"], "*-*-01,15 06:07:00 America/New_York"),
        (["--cron", "7 6 * * 1-5"], "Mon..Fri *-*-* 06:07:00 America/New_York"),
    ];
    for (timing, normal) in cases {
        let text = schedule(folder.path(), &config("1h"), &[["--for", "systemd"], timing].concat());
        let calendar = values(&text, "OnCalendar")[0].to_owned();
        let Some(mut analyze) = tool("systemd-analyze") else { return };
        let said = well(analyze.args(["calendar", "--iterations=1", &calendar]));
        assert!(said.contains(normal), "{said}");
    }
}

#[test]
fn a_time_that_systemd_cannot_be_told_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), config("1h")).unwrap();
    let arguments = ["schedule", "--for", "systemd", "--cron", "7 6 1 * mon"];
    let output = msgrecon(folder.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = crate::said(&output);
    assert!(said.contains("cron starts on either, systemd on days that are both"), "{said}");
}

/// Differences are no failure of the job and not retried; what a retry can mend is.
#[test]
fn exit_codes_mean_what_the_unit_says() {
    let unit = shipped("systemd/msgrecon.service");
    let one = |key: &str| {
        let all = values(&unit, key);
        assert_eq!(all.len(), 1, "{key}");
        all[0].to_owned()
    };
    assert_eq!(one("Type"), "oneshot");
    assert_eq!(one("SuccessExitStatus"), "1 75");
    assert_eq!((one("Restart"), one("RestartPreventExitStatus")), ("on-failure".into(), "2".into()));
    let number = |key: &str| one(key).parse::<i64>().unwrap();
    assert!(number("TimeoutStartSec") < 3_600 && number("StartLimitIntervalSec") < 3_600);
    assert!(number("RestartSec") * number("StartLimitBurst") < number("StartLimitIntervalSec"));
    let timer = shipped("systemd/msgrecon.timer");
    assert_eq!(values(&timer, "Persistent"), ["true"]);
    assert!(values(&timer, "RandomizedDelaySec")[0].parse::<i64>().unwrap() > 0);
}

/// 0 is best and 10 worst; what is left over is the network that the job needs.
#[test]
fn the_services_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    lay_out(folder.path());
    for name in ["msgrecon.service", "msgrecon-prune.service"] {
        let Some(mut analyze) = tool("systemd-analyze") else { return };
        well(
            analyze
                .args(["security", "--offline=true", "--no-pager", "--threshold=20"])
                .arg(folder.path().join(name)),
        );
    }
}
