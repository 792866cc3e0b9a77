//! Alert rules and dashboard: what they ask for is there, and the rules fire when they are meant to.

use crate::metrics::{run, vitals};
use crate::{root, shipped, tool, well};
use serde_json::Value;
use std::collections::BTreeSet;

/// The names of our metrics in a text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("msgrecon_")).map(ToOwned::to_owned).collect()
}

/// An alert on a metric that nobody writes never fires.
#[test]
fn every_metric_that_is_asked_for_is_written() {
    let written = msgrecon::notify::metrics::text(Some(&run()), &vitals(1));
    let written: BTreeSet<_> = written
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .map(ToOwned::to_owned)
        .collect();
    for name in ["prometheus/rules.yaml", "prometheus/dashboard.json"] {
        let asked = named(&shipped(name));
        assert!(asked.len() > 5, "{name}: {asked:?}");
        let lacking: Vec<_> = asked.difference(&written).collect();
        assert!(lacking.is_empty(), "{name} asks for {lacking:?}");
    }
}

#[test]
fn prometheus_takes_the_rules() {
    let Some(mut promtool) = tool("promtool") else { return };
    well(promtool.args(["check", "rules", "--lint-fatal"]).arg(root().join("cron/prometheus/rules.yaml")));
}

/// Prometheus runs the rules over series of metrics as we write them.
#[test]
fn the_rules_fire_when_they_are_meant_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rules.yaml"), shipped("prometheus/rules.yaml")).unwrap();
    let path = folder.path().join("test.yaml");
    std::fs::write(&path, include_str!("rules_test.yaml")).unwrap();
    let Some(mut promtool) = tool("promtool") else { return };
    well(promtool.args(["test", "rules"]).arg(path));
}

/// Every rule says whom it concerns and what to do.
#[test]
fn rules_say_what_to_do() {
    let rules: Value = yaml_serde::from_str(&shipped("prometheus/rules.yaml")).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert!(rules.len() >= 6);
    for rule in rules {
        assert!(["page", "ticket"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{rule}");
        assert!(rule["annotations"]["summary"].is_string(), "{rule}");
    }
}

#[test]
fn the_dashboard_is_one() {
    let dashboard: Value = serde_json::from_str(&shipped("prometheus/dashboard.json")).unwrap();
    assert_eq!(dashboard["uid"], "msgrecon");
    let panels = dashboard["panels"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_i64().unwrap()), "{}", panel["title"]);
        assert!(panel["title"].is_string() && panel["description"].is_string(), "{}", panel["id"]);
        let place = &panel["gridPos"];
        let number = |key: &str| place[key].as_i64().unwrap();
        for x in number("x")..number("x") + number("w") {
            for y in number("y")..number("y") + number("h") {
                assert!(x < 24 && taken.insert((x, y)), "{} lies over another panel", panel["title"]);
            }
        }
        for target in panel["targets"].as_array().unwrap() {
            assert!(target["expr"].as_str().unwrap().contains("msgrecon_"), "{target}");
        }
    }
}

/// The expressions of the dashboard are ones that Prometheus can read.
#[test]
fn prometheus_takes_what_the_dashboard_asks() {
    let dashboard: Value = serde_json::from_str(&shipped("prometheus/dashboard.json")).unwrap();
    let targets =
        dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions = targets.map(|target| target["expr"].as_str().unwrap().replace("$flow", ".*"));
    let rules: Vec<_> = expressions
        .enumerate()
        .map(|(at, expr)| serde_json::json!({"record": format!("x:{at}"), "expr": expr}))
        .collect();
    let file = serde_json::json!({"groups": [{"name": "dashboard", "rules": rules}]});
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dashboard.json");
    // JSON is YAML.
    std::fs::write(&path, file.to_string()).unwrap();
    let Some(mut promtool) = tool("promtool") else { return };
    well(promtool.args(["check", "rules"]).arg(path));
}
