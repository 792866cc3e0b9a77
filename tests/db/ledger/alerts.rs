//! Who is told, and when: over many runs, through the program itself.

use super::{Bench, everywhere};
use crate::child;
use msgrecon::model::Micros;
use serde_json::Value;
use std::path::PathBuf;

const MAIL: &str =
    "[mail]\nfrom = 'msgrecon@example.com'\nto = ['oncall@example.com']\ntransport = 'file://mail'\n";

/// What was told: `as-of state event metric fresh …`, in the order of the as-ofs.
async fn told(bench: &Bench, target: &str) -> Vec<String> {
    let rows = format!("msgrecon_deliveries WHERE target = '{target}' ORDER BY msgrecon_deliveries.as_of");
    let rows = bench.ask("as_of, state, body", &rows).await;
    let line = |row: &String| {
        let mut parts = row.splitn(3, '|');
        let at = Micros(parts.next().unwrap().parse().unwrap()).to_utc().format("%dT%H:%M").to_string();
        let state = parts.next().unwrap().to_owned();
        let digest: Value = serde_json::from_str(parts.next().unwrap()).unwrap();
        let notice = |notice: &Value| {
            let metric = notice["alert"]["key"]["metric"].as_str().unwrap();
            format!("{} {metric} {}", notice["event"].as_str().unwrap(), notice["fresh"])
        };
        let notices: Vec<_> = digest["notices"].as_array().unwrap().iter().map(notice).collect();
        let what = if notices.is_empty() { digest["occasion"].to_string() } else { notices.join(", ") };
        format!("{at} {state} {what}")
    };
    rows.iter().map(line).collect()
}

/// The messages in the folder of the mail transport, by name.
fn mails(bench: &Bench) -> Vec<(PathBuf, String)> {
    let Ok(folder) = std::fs::read_dir(bench.folder.path().join("mail")) else { return Vec::new() };
    let mut found: Vec<_> = folder
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), String::from_utf8(std::fs::read(path).unwrap()).unwrap()))
        .collect();
    found.sort();
    found
}

const STUCK: &str =
    "day 2026-03-02\nevent s1 pending 00:00:00 -\nevent s2 pending 00:00:00 -\nevent s3 pending 00:00:00 -";

/// Twenty-four runs, one an hour. What each one says is a report, whoever is told of it.
async fn day(bench: &mut Bench, arguments: impl Fn(&str) -> String) {
    bench.top += MAIL;
    bench.tell(STUCK).await;
    for hour in 1..=24 {
        let as_of = if hour == 24 {
            "2026-03-03T00:00:00Z".to_owned()
        } else {
            format!("2026-03-02T{hour:02}:00:00Z")
        };
        if hour == 16 {
            bench.tell("day 2026-03-02\nevent s4 pending 14:00:00 -").await;
        }
        if hour == 21 {
            bench.sql("UPDATE event SET status = 'acked', sent_at = '2026-03-02 20:10:00'").await;
            let receipts: Vec<_> = (1..=4).map(|n| format!("receipt s{n} billing 20:10:01")).collect();
            bench.tell(&format!("day 2026-03-02\n{}", receipts.join("\n"))).await;
        }
        let run = bench.run(&arguments(&as_of)).ended(0);
        assert!(run.json()["flows"].is_array(), "every run reports");
    }
}

#[tokio::test]
async fn d45_scheduled_runs_tell_of_change_remind_slowly_and_say_when_it_is_over() {
    everywhere(async |bench| {
        day(bench, |as_of| format!("--as-of {as_of}")).await;
        let told = told(bench, "mail").await;
        assert_eq!(
            told,
            [
                "02T01:00 sent new stuck 3",
                "02T07:00 sent reminder stuck 0",
                "02T13:00 sent reminder stuck 0",
                "02T16:00 sent grown stuck 1",
                "02T21:00 sent cleared stuck 0",
            ]
        );
        assert_eq!(mails(bench).len(), 5);
    })
    .await;
}

#[tokio::test]
async fn d45_the_same_by_ranges_that_a_schedule_names_itself() {
    everywhere(async |bench| {
        day(bench, |as_of| format!("--from 2026-03-02 --until 2026-03-03 --as-of {as_of}")).await;
        let told = told(bench, "mail").await;
        let lines: Vec<_> = told.iter().map(String::as_str).collect();
        assert_eq!(lines[0], "02T01:00 sent new stuck 3");
        assert_eq!(
            lines[1..4],
            [
                "02T07:00 sent reminder stuck 0",
                "02T13:00 sent reminder stuck 0",
                "02T16:00 sent grown stuck 1",
            ]
        );
        assert_eq!(lines[4..], ["02T21:00 sent cleared stuck 0"]);
    })
    .await;
}

/// A day in which everything is missing.
fn missing(count: usize) -> String {
    let events = (0..count).map(|n| format!("event m{n:05} acked 10:00:00 10:00:01\n"));
    format!("day 2026-03-02\n{}", events.collect::<String>())
}

#[tokio::test]
async fn d45_ten_thousand_missing_are_one_mail_with_totals_and_a_list_that_is_cut() {
    let Some(mut bench) =
        Bench::new(msgrecon::config::Dialect::Sqlite, msgrecon::config::Dialect::Sqlite).await
    else {
        return;
    };
    bench.top += MAIL;
    bench.tell(&missing(10_000)).await;
    bench.due("2026-03-03T00:30:00Z").ended(1);
    let mails = mails(&bench);
    assert_eq!(mails.len(), 1);
    let mail = &mails[0].1;
    assert!(mail.contains("10,000"), "totals");
    let named = mail.matches("m000").count();
    assert!(named > 0 && named < 200, "{named} ids are named in the mail itself");
    assert_eq!(told(&bench, "mail").await, ["03T00:30 sent new missing 10000"]);
}

#[tokio::test]
async fn d45_what_could_not_be_delivered_waits_for_the_next_run_and_is_told_once() {
    everywhere(async |bench| {
        bench.top += MAIL;
        bench.tell("day 2026-03-02\nevent a acked 10:00:00 10:00:01").await;
        // A file lies where the folder should be.
        let place = bench.folder.path().join("mail");
        std::fs::write(&place, "").unwrap();
        let failed = bench.run("--as-of 2026-03-03T00:30:00Z --output out").ended(4);
        assert!(failed.err().contains("not delivered: mail"), "{}", failed.err());
        assert!(bench.folder.path().join("out/report.json").exists());
        assert_eq!(told(bench, "mail").await, ["03T00:30 waiting new missing 1"]);
        assert_eq!(bench.ask("state", "msgrecon_runs").await, ["finished"]);

        bench.due("2026-03-03T01:30:00Z").ended(4);
        assert_eq!(told(bench, "mail").await, ["03T00:30 waiting new missing 1"], "the state is the same");
        std::fs::remove_file(&place).unwrap();
        bench.due("2026-03-03T02:30:00Z").ended(1);
        assert_eq!(told(bench, "mail").await, ["03T00:30 sent new missing 1"]);
        bench.due("2026-03-03T03:30:00Z").ended(1);
        assert_eq!(mails(bench).len(), 1);
        assert_eq!(bench.ask("attempts", "msgrecon_deliveries").await, ["3"]);
    })
    .await;
}

#[tokio::test]
async fn d42_an_outage_of_six_days_is_one_mail() {
    everywhere(async |bench| {
        bench.top += MAIL;
        bench.change("window = \"1h\"", "window = \"1h\"\nstart = 2026-02-25");
        bench.tell("day 2026-02-27\nevent lost acked 05:10:00 05:10:01").await;
        bench.due("2026-03-03T00:30:00Z").ended(1);
        bench.due("2026-03-03T00:35:00Z").ended(1);
        assert_eq!(told(bench, "mail").await, ["03T00:30 sent new missing 1"]);
        assert_eq!(mails(bench).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn nobody_is_told_where_nobody_is_to_be_told() {
    everywhere(async |bench| {
        bench.top += MAIL;
        bench.tell("day 2026-03-02\nevent a acked 10:00:00 10:00:01").await;
        bench.run("--as-of 2026-03-03T00:30:00Z --no-notify").ended(1);
        assert!(mails(bench).is_empty() && told(bench, "mail").await.is_empty());
        assert_eq!(bench.ask("flow", "msgrecon_alerts").await, [""; 0], "so that the next run tells of it");
        bench.due("2026-03-03T01:30:00Z").ended(1);
        assert_eq!(told(bench, "mail").await, ["03T01:30 sent new missing 1"]);
    })
    .await;
}

#[tokio::test]
async fn acknowledged_and_silenced_ones_are_counted_and_not_told() {
    everywhere(async |bench| {
        bench.top += MAIL;
        bench.tell("day 2026-03-02\nevent a acked 10:00:00 10:00:01").await;
        bench.top += "[[silences]]\nmetric = 'missing'\nuntil = 2026-03-03T02:00:00Z\nreason = 'moving'\n";
        bench.due("2026-03-03T00:30:00Z").ended(1);
        assert!(told(bench, "mail").await.is_empty());
        bench.due("2026-03-03T02:30:00Z").ended(1);
        assert_eq!(told(bench, "mail").await, ["03T02:30 sent new missing 1"], "the silence is over");
        let words = "differences acknowledge a --until 2099-01-01 --reason known";
        let output = bench.command(words).output().unwrap();
        assert_eq!(child::code(&output), 0, "{}", child::said(&output));
        bench.due("2026-03-03T03:30:00Z").ended(0);
        assert_eq!(told(bench, "mail").await[1..], ["03T03:30 sent cleared missing 0"]);
    })
    .await;
}

#[tokio::test]
async fn owners_are_told_of_their_own_flows_and_a_quiet_week_is_told_too() {
    everywhere(async |bench| {
        let second = bench.flows.replace("name = \"orders\"", "name = \"other\"\nowner = 'team-a'");
        bench.flows += &second;
        bench.top += MAIL;
        bench.top += "owners = { team-a = ['a@example.com'] }\n";
        bench.due("2026-03-03T00:30:00Z").ended(0);
        bench.tell("day 2026-03-03\nevent a acked 10:00:00 10:00:01").await;
        // Both flows read the same table.
        bench.due("2026-03-04T00:30:00Z").ended(1);
        for target in ["mail", "mail:team-a"] {
            assert_eq!(told(bench, target).await, ["04T00:30 sent new missing 1"], "{target}");
        }
        let mails = mails(bench);
        let to =
            |address: &str| mails.iter().filter(|(_, mail)| mail.contains(&format!("To: {address}"))).count();
        assert_eq!((to("oncall@example.com"), to("a@example.com")), (1, 1));
        bench.tell("day 2026-03-03\nreceipt a billing 10:00:02").await;
        bench.due("2026-03-05T00:30:00Z").ended(0);
        for day in 6..=11 {
            bench.due(&format!("2026-03-{day:02}T00:30:00Z")).ended(0);
        }
        assert_eq!(told(bench, "mail").await.len(), 2);
        bench.due("2026-03-12T00:30:00Z").ended(0);
        assert_eq!(told(bench, "mail").await[2..], ["12T00:30 sent \"all_quiet\""]);
    })
    .await;
}

#[tokio::test]
async fn hooks_are_run_around_a_run_and_one_before_keeps_it_back() {
    everywhere(async |bench| {
        let log = bench.folder.path().join("log");
        let note = |word: &str| {
            format!("['/bin/sh', '-c', 'echo {word} $MSGRECON_EXIT_CODE $MSGRECON_OUTCOME $MSGRECON_DIFFERENCES >> log']")
        };
        let hooks = format!(
            "[hooks]\nbefore = {}\nafter = {}\non_differences = {}\non_incomplete = {}\non_error = {}\n",
            note("before"), note("after"), note("differ"), note("incomplete"), note("error")
        );
        bench.top += &hooks;
        bench.tell("day 2026-03-02\nevent a acked 10:00:00 10:00:01").await;
        bench.due("2026-03-03T00:30:00Z").ended(1);
        let said = std::fs::read_to_string(&log).unwrap();
        assert_eq!(said, "before\ndiffer 1 differences 1\nafter 1 differences 1\n");
        bench.top = bench.top.replace("echo before", "exit 9; echo");
        let kept = bench.due("2026-03-03T01:30:00Z").ended(3);
        assert!(kept.err().contains("hook `before`"), "{}", kept.err());
        let said = std::fs::read_to_string(&log).unwrap();
        assert!(said.ends_with("error 3\nafter 3\n"), "{said}");
        assert_eq!(bench.ask("run", "msgrecon_runs").await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn d46_a_name_as_long_as_they_come_is_kept_and_told_whole() {
    everywhere(async |bench| {
        let name: String = "订单对账 – Übergröße 🚚 ".chars().cycle().take(249).chain(['终']).collect();
        bench.change("name = \"orders\"", &format!("name = \"{name}\""));
        bench.top += MAIL;
        bench.tell("day 2026-03-02\nevent a acked 10:00:00 10:00:01").await;
        bench.due("2026-03-03T00:30:00Z").ended(1);
        bench.due("2026-03-03T01:30:00Z").ended(1);
        assert_eq!(told(bench, "mail").await, ["03T00:30 sent new missing 1"]);
        for table in ["msgrecon_alerts", "msgrecon_windows", "msgrecon_differences", "msgrecon_deliveries"] {
            let names = bench.ask("flow", &format!("{table} GROUP BY flow")).await;
            assert_eq!(names, [name.as_str()], "{table}");
        }
        assert!(mails(bench)[0].1.lines().all(|line| line.len() <= 998));
        let longer = format!("name = \"{name}x\"");
        bench.change(&format!("name = \"{name}\""), &longer);
        let refused = bench.due("2026-03-03T02:30:00Z").ended(2);
        assert!(refused.err().contains("longer than 250 characters"), "{}", refused.err());
    })
    .await;
}
