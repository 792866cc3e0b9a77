//! Ids that a spreadsheet would run.

use super::{AS_OF, DAY, config, everywhere, usual};
use crate::child;
use msgrecon::report::csv::unguard;

const IDS: [&str; 5] = ["+1+1", "-1+1", "=1+1", "@SUM(A1)", "plain"];

fn story() -> String {
    IDS.map(|id| format!("event {id:?} acked 10:00:00 10:00:00\n")).concat()
}

fn column(bytes: &[u8], name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(bytes);
    let place = reader.headers().unwrap().iter().position(|head| head == name).unwrap();
    let mut cells: Vec<_> = reader.records().map(|line| line.unwrap()[place].to_owned()).collect();
    cells.sort();
    cells
}

#[tokio::test]
async fn d50_formula_injection_in_the_csv_report() {
    everywhere(&story(), async |place| {
        let folder = tempfile::tempdir().unwrap();
        let arguments = format!("run --date {DAY} --as-of {AS_OF} --format csv --output reports");
        let output = child::run(folder.path(), &config(place, &usual()), &arguments);
        assert_eq!(child::code(&output), 1, "{}", child::said(&output));
        let file = std::fs::read(folder.path().join("reports/differences.csv")).unwrap();
        assert_eq!(output.stdout, file, "stdout and file are the same report");

        let mut reader = csv::Reader::from_reader(&file[..]);
        let cells: Vec<_> =
            reader.records().flat_map(|line| line.unwrap().deserialize::<Vec<String>>(None)).collect();
        let cells: Vec<String> = cells.into_iter().flatten().collect();
        assert!(cells.len() > 5 * IDS.len());
        assert!(cells.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{cells:?}");
        let mut back: Vec<_> = column(&file, "id").iter().map(|cell| unguard(cell)).collect();
        back.sort();
        assert_eq!(back, IDS, "what was put before them comes off again");
    })
    .await;
}

#[tokio::test]
async fn d50_json_and_raw_csv_hold_the_ids_unchanged() {
    everywhere(&story(), async |place| {
        let folder = tempfile::tempdir().unwrap();
        let run = |more: &str| {
            let arguments = format!("run --date {DAY} --as-of {AS_OF} {more}");
            child::run(folder.path(), &config(place, &usual()), &arguments)
        };
        let report = child::json(&run("--format json"));
        assert_eq!(report["flows"][0]["consumers"][0]["totals"]["missing"], 5);
        let differences = report["differences"].as_array().unwrap();
        let mut ids: Vec<_> = differences.iter().map(|one| one["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, IDS);
        assert_eq!(column(&run("--format csv --csv-raw").stdout, "id"), IDS);
    })
    .await;
}
