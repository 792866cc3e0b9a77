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
    assert_keys(&json["run"], "id version as_of from until time_zone outcome complete verdict exit_code");
    assert_keys(flow, "name outcome verdict events consumers breaches hints");
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
        "flow consumer kind id window_from created_at acked_at consumed_at age_seconds first_seen detail",
    );
    assert_keys(&json["problems"][0], "source flow message");
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
