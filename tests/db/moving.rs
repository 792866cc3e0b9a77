//! Moving the ledger: what one holds, another takes over, whatever their databases.

use crate::child;
use crate::world::{DIALECTS, Flow, Place, at};
use msgrecon::ledger::{Filter, Ledger};
use msgrecon::story::{Half, Story};
use secrecy::SecretString;

const STORY: &str = "day 2026-03-02
event a acked 10:00:00 10:00:00
receipt a billing 10:01:00
event b acked 11:00:00 11:00:00
event c acked 12:00:00 12:00:00
receipt c billing 12:01:00
receipt c billing 12:02:00
event d pending 13:00:00 -
";

/// What a ledger holds, in words that compare.
async fn content(url: &str) -> String {
    let mut ledger = Ledger::open(&SecretString::from(url.to_owned()), false).await.unwrap();
    let flows = ledger.flows().await.unwrap();
    let begin = msgrecon::model::Span::new(at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
    let windows = ledger.windows("orders", begin).await.unwrap();
    let begins: Vec<_> = windows.iter().map(|window| window.span.from).collect();
    let counts = ledger.counted("orders", &begins).await.unwrap();
    let differences = ledger.list(&Filter::default(), None, 1_000).await.unwrap();
    let runs = ledger.runs(None, 100).await.unwrap();
    let report = ledger.report(None).await.unwrap();
    ledger.close().await;
    format!("{flows:#?}\n{windows:#?}\n{counts:#?}\n{differences:#?}\n{runs:#?}\n{report:#?}")
}

#[tokio::test]
async fn a_ledger_moves_from_each_database_to_the_next_and_back() {
    let sources = Place::new(DIALECTS[0]).await.unwrap();
    let story = Story::parse(STORY).unwrap();
    sources.tell(&story, Half::Producer, false).await;
    sources.tell(&story, Half::Consumer, false).await;
    let tables = sources.toml("p") + &sources.toml("c") + &Flow::default().toml();
    let mut places = Vec::new();
    for dialect in [DIALECTS[0], DIALECTS[1], DIALECTS[2], DIALECTS[0]] {
        places.extend(Place::new(dialect).await);
    }
    let config = |place: &Place| format!("[ledger]\nurl = '{}'\n{tables}", place.url);
    let folder = tempfile::tempdir().unwrap();
    let run = "run --as-of 2026-03-03T06:00:00Z --format json";
    let first = child::run(folder.path(), &config(&places[0]), run);
    assert_eq!(child::code(&first), 1, "{}", child::said(&first));
    let before = content(&places[0].url).await;
    assert!(
        before.contains("Missing") && before.contains("Stuck") && before.contains("Duplicate"),
        "{before}"
    );
    for pair in places.windows(2) {
        eprintln!("from {:?} to {:?}", pair[0].dialect, pair[1].dialect);
        std::fs::write(folder.path().join("old.toml"), config(&pair[0])).unwrap();
        let copy = "ledger copy --from-config old.toml";
        let moved = child::run(folder.path(), &config(&pair[1]), copy);
        assert_eq!(child::code(&moved), 0, "{}", child::said(&moved));
        assert!(child::out(&moved).contains("msgrecon_differences: 3 row(s)"), "{}", child::said(&moved));
        assert_eq!(content(&pair[1].url).await, before);
        let twice = child::run(folder.path(), &config(&pair[1]), copy);
        assert_eq!(child::code(&twice), 2, "{}", child::said(&twice));
        assert!(child::err(&twice).contains("not empty"), "{}", child::said(&twice));
    }
    let last = places.last().unwrap();
    let again = child::run(folder.path(), &config(last), run);
    assert_eq!(child::json(&again)["flows"][0]["life"]["still_open"], 3, "the new ledger goes on");
    for place in places {
        place.remove().await;
    }
}
