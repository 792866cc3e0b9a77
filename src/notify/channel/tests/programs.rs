use super::*;

#[test]
fn a_webhook_tells_names_values_and_totals() {
    let run = runs::rich();
    let digest = fixture::rich(&run);
    let body = &sent(&channel(ChannelKind::Webhook), &run, &digest)[0];
    assert_eq!(
        (&body["type"], &body["timestamp"]),
        (&"msgrecon.run.alert".into(), &run.as_of.to_rfc3339().into())
    );
    let data = &body["data"];
    assert_eq!((&data["key"], &data["status"]), (&digest.key.clone().into(), &"FAIL".into()));
    assert_eq!(data["notices"]["listed"][0]["event"], "new");
    assert_eq!(data["notices"]["listed"][0]["metric"], "missing");
    assert_eq!((&data["firing"]["total"], &data["run"]["exit_code"]), (&4.into(), &run.exit_code.into()));
    assert_eq!(data["counts"]["missing"], 6);
    assert_eq!(data["flows"]["listed"][1], "orders\r\nBcc: x@example.test", "JSON carries what there is");
    assert_eq!(data["differences"]["total"], run.differences_total);
}

#[test]
fn a_webhook_stays_below_20_kilobytes() {
    let (run, digest) = huge();
    let body = &sent(&channel(ChannelKind::Webhook), &run, &digest)[0];
    assert!(body.to_string().len() < 20_000, "{}", body.to_string().len());
    assert_eq!(body["data"]["differences"]["total"], 10_000);
    assert_eq!(body["data"]["notices"]["total"], 300);
    let run = runs::many(10_000);
    let body = &sent(&channel(ChannelKind::Webhook), &run, &fixture::rich(&run))[0];
    assert_eq!(body["data"]["differences"]["listed"].as_array().unwrap().len(), 20);
}
