//! Keys, nulls and layout of `report.json`.

use super::super::fixture;
use super::*;
use serde_json::Value;

fn parsed(run: &Run) -> Value {
    serde_json::from_slice(&render(run).unwrap()).unwrap()
}

fn assert_keys(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "{key} is missing in {value}");
    }
}

#[test]
fn every_promised_key_is_there() {
    let json = parsed(&fixture::rich());
    let totals = "acked ok late duplicate dead_lettered discarded in_flight missing unverifiable orphan ack_lost \
                  duplicate_records residual ack_lost_records orphan_records consumed";
    let (flow, window) = (&json["flows"][0], &json["flows"][0]["consumers"][0]["windows"][0]);
    assert_keys(&json, "format_version run flows differences problems listed total");
    assert_keys(
        &json["run"],
        "id version as_of from until time_zone outcome complete verdict exit_code scheduled last_run",
    );
    assert_keys(flow, "name outcome verdict events consumers breaches hints life acknowledged");
    assert_keys(
        &flow["events"],
        "rows acked pending stuck publish_failed unknown_state unattributable ack_lost without_id \
         oldest_pending_seconds backlog",
    );
    assert_keys(
        &flow["consumers"][0],
        "name outcome complete strategy totals latency_seconds clock_skew_seconds windows not_decidable receipts \
         consumed_but_parked other_consumers",
    );
    assert_keys(&flow["consumers"][0]["totals"], totals);
    assert_keys(window, "from until");
    assert_keys(window, totals);
    assert_keys(&flow["consumers"][0]["latency_seconds"], "p50 p95 p99 max");
    assert_keys(
        &json["differences"][0],
        "flow consumer kind id window_from created_at acked_at consumed_at age_seconds first_seen detail \
         status times_seen after_first_check",
    );
    assert_keys(&json["problems"][0], "source flow message");
}

/// The keys of an object, in the order in which they stand.
fn keys(text: &str) -> Vec<&str> {
    let pairs = text.split('"').skip(1).step_by(2).zip(text.split('"').skip(2).step_by(2));
    pairs.filter(|(_, after)| after.starts_with(':')).map(|(key, _)| key).collect()
}

#[test]
fn what_the_ledger_knows_has_its_promised_keys() {
    let json = parsed(&fixture::rich());
    let flow = &json["flows"][0];
    let life = &flow["life"];
    assert_keys(&json["run"]["last_run"], "id as_of");
    assert_keys(
        life,
        "new still_open acknowledged resolved expired watermark due healed healed_listed healed_total trend",
    );
    assert_keys(&life["healed"][0], "consumer id kind window_from first_seen expired evidence");
    assert_keys(&life["trend"]["windows"][0], "from until complete acked lost other");
    assert_keys(&life["trend"]["days"][0], "from until complete acked lost other");
    assert_keys(&flow["acknowledged"][0], "consumer kind count");
    assert_eq!((&life["healed_listed"], &life["healed_total"]), (&5.into(), &7.into()));
    assert_eq!(life["healed"][0]["id"], fixture::HOSTILE[0]);
}

#[test]
fn new_keys_come_last_and_are_null_without_a_ledger() {
    let run = fixture::balanced();
    let json = parsed(&run);
    assert_eq!((&json["run"]["scheduled"], &json["run"]["last_run"]), (&Value::from(false), &Value::Null));
    assert_eq!(
        (&json["flows"][0]["life"], &json["flows"][0]["acknowledged"]),
        (&Value::Null, &Value::from(Vec::<u8>::new()))
    );
    assert_eq!(parsed(&fixture::scheduled())["run"]["scheduled"], true);
    let nothing = parsed(&fixture::nothing_due());
    assert_eq!(nothing["flows"][0]["life"]["trend"]["days"], Value::from(Vec::<u8>::new()));
    let text = String::from_utf8(render(&fixture::rich()).unwrap()).unwrap();
    let row = text.lines().find(|line| line.contains("after_first_check")).unwrap();
    assert_eq!(keys(row)[10..], ["detail", "status", "times_seen", "after_first_check"]);
    let [hints, life] = ["\"hints\"", "\"life\""].map(|key| text.find(key).unwrap());
    assert!(hints < life);
}

#[test]
fn unknown_is_null_and_ids_are_exact() {
    let json = parsed(&fixture::rich());
    let (sms, stock) = (&json["flows"][0]["consumers"][1], &json["flows"][0]["consumers"][2]);
    assert!(sms["totals"].is_null() && sms["latency_seconds"].is_null());
    for kind in ["duplicate", "duplicate_records", "orphan", "orphan_records"] {
        assert!(stock["totals"][kind].is_null() && stock["windows"][0][kind].is_null(), "{kind}");
    }
    assert!(json["flows"][1]["events"].is_null());
    let ids: Vec<_> = json["differences"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    for id in fixture::HOSTILE {
        assert!(ids.contains(&&Value::from(id)), "{id:?}");
    }
    assert!(ids.contains(&&Value::from("9007199254740993")));
    assert!(ids.contains(&&Value::from("hex:ff00")) && ids.contains(&&Value::Null));
}

#[test]
fn json_is_laid_out_row_by_row() {
    let text = String::from_utf8(render(&fixture::rich()).unwrap()).unwrap();
    insta::assert_snapshot!(text);
    assert!(text.ends_with("}\n"));
    assert_eq!(render(&fixture::empty()).unwrap(), render(&fixture::empty()).unwrap());
}

#[test]
fn ages_are_rounded_to_the_millisecond() {
    for (micros, right) in [(0, 0.0), (1_234_567, 1.235), (-1_499, -0.001), (-1_500, -0.001)] {
        assert!((to_the_millisecond(micros) - right).abs() < 1e-12, "{micros}");
    }
}
