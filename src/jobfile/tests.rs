use super::*;
use crate::config::{Config, parse};
use std::path::Path;

const CONFIGMAP: &str = include_str!("../../cron/kubernetes/configmap.yaml");

/// The configuration of the shipped example.
fn shipped_config() -> String {
    let (_, text) = CONFIGMAP.split_once("msgrecon.toml: |\n").unwrap();
    text.lines().map(|line| line.trim_start().to_owned() + "\n").collect()
}

/// The same with its ledger in a file, as on a machine of its own.
fn on_one_machine() -> String {
    let file = format!("url = \"sqlite://{STATE}/msgrecon.db\"");
    shipped_config().replace("url_file = \"${CREDENTIALS_DIRECTORY}/ledger_url\"", &file)
}

fn checked(text: &str) -> Config {
    let environment = |name: &str| (name == "CREDENTIALS_DIRECTORY").then(|| "/run".to_owned());
    let file = |path: &Path| Ok(format!("postgres://localhost/{}", path.file_name().unwrap().display()));
    parse(text, Path::new(CONFIG), &environment, &file).unwrap_or_else(|problems| panic!("{problems}"))
}

fn job(text: &str) -> Job {
    let config = checked(text);
    Job {
        binary: BINARY.to_owned(),
        config: CONFIG.to_owned(),
        zone: config.time_zone,
        timing: Timing::of_flows(&config.flows),
        named: named(text),
        ledger: text.contains("sqlite://").then(|| format!("{STATE}/msgrecon.db")),
        image: "msgrecon:0.1.0".to_owned(),
    }
}

/// One whose every value is another.
fn other() -> Job {
    let text = on_one_machine()
        .replace("window = \"1h\"", "window = \"6h\"")
        .replace("grace = \"15m\"", "grace = \"70m\"")
        .replace("Etc/UTC", "Asia/Shanghai")
        .replace("${CREDENTIALS_DIRECTORY}/orders_db_url", "/srv/secrets/main url")
        .replace("url_file = \"${CREDENTIALS_DIRECTORY}/points_db_url\"", "url = \"${POINTS_URL}\"");
    let environment = |name: &str| {
        let value = if name == "POINTS_URL" { "mysql://localhost/points" } else { "/run" };
        Some(value.to_owned())
    };
    let file = |_: &Path| Ok("postgres://localhost/orders".to_owned());
    let config = parse(&text, Path::new(CONFIG), &environment, &file).unwrap();
    Job {
        binary: "/opt/my tools/100%/msgrecon".to_owned(),
        config: "/home/me/recon.toml".to_owned(),
        zone: config.time_zone,
        timing: Timing::of_flows(&config.flows),
        named: named(&text),
        ledger: Some("/srv/recon/ledger.db".to_owned()),
        image: "registry.example.com:5000/msgrecon@sha256:00".to_owned(),
    }
}

#[test]
fn the_shipped_files_are_those_of_the_shipped_configuration() {
    let one_machine = job(&on_one_machine());
    let cluster = job(&shipped_config());
    let all = [
        (&one_machine, Scheduler::Crontab, "cron"),
        (&one_machine, Scheduler::Systemd, "cron/systemd"),
        (&cluster, Scheduler::Kubernetes, "cron/kubernetes"),
    ];
    for (job, scheduler, folder) in all {
        for sheet in sheets(job, scheduler).unwrap() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(sheet.name);
            let shipped = std::fs::read_to_string(&path).unwrap();
            assert_eq!(sheet.text, shipped, "{}", path.display());
        }
    }
}

#[test]
fn no_shipped_value_is_left_where_the_configuration_says_otherwise() {
    let job = other();
    for (name, scheduler) in Scheduler::ALL {
        let text: String = sheets(&job, scheduler).unwrap().iter().map(Sheet::whole).collect();
        let mut values = vec![
            WHY,
            "Etc/UTC",
            CRON,
            "*:18:00",
            "=3000\n",
            ": 3000\n",
            ": 1800\n",
            "overdue 2h",
            "image: msgrecon",
        ];
        values.extend(["points_db_url:", "points_db_url,"]);
        if scheduler != Scheduler::Kubernetes {
            values.extend([BINARY, CONFIG]);
        }
        for value in values {
            assert!(!text.contains(value), "{name}: {value}\n{text}");
        }
        assert!(text.contains("Asia/Shanghai") && text.contains("POINTS_URL"), "{text}");
        insta::assert_snapshot!(format!("other_{name}"), text);
    }
}

#[test]
fn bounds_follow_from_the_interval() {
    let flows = checked(&shipped_config()).flows;
    for minutes in [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440] {
        let timing = Timing::every(minutes * 60_000_000, &flows).unwrap();
        let interval = minutes * 60;
        assert!(timing.run_max() < interval && timing.tries_span() < interval, "{timing:?}");
        // Far above the 10 s of the controller's look, and never 100 starts.
        assert!(timing.late_max() >= 60 && timing.late_max() / interval < 100, "{timing:?}");
        assert!(timing.spread() * 4 < interval && timing.pause() * 3 <= interval, "{timing:?}");
    }
    let refused = Timing::every(45 * 60_000_000, &flows).unwrap_err().to_string();
    assert!(refused.contains("45m") && refused.contains("30m, 1h"), "{refused}");
    assert!(Timing::cron("* * * * *").is_err());
    assert_eq!(Timing::cron("7 */2 * * *").unwrap().interval, 2 * 3_600_000_000);
}

#[test]
fn the_usual_interval_is_that_of_the_shortest_window() {
    let mut flows = checked(&shipped_config()).flows;
    let starts = |flows: &[crate::config::Flow]| Timing::of_flows(flows).starts.to_string();
    for (window, text) in [
        ("1m", "3,18,33,48 * * * *"),
        ("45m", "18,48 * * * *"),
        ("1h", "18 * * * *"),
        ("7h", "18 0,6,12,18 * * *"),
        ("24h", "18 0 * * *"),
    ] {
        flows[0].window = i64::try_from(humantime::parse_duration(window).unwrap().as_micros()).unwrap();
        assert_eq!(starts(&flows), text, "{window}");
    }
    // Of two flows with windows of one length, the one that is due later counts.
    let mut late = flows[0].clone();
    late.grace = 3 * 3_600_000_000;
    flows.push(late);
    assert_eq!(starts(&flows), "3 3 * * *");
}
