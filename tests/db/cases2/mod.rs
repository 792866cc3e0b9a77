//! Cases from the field, from lost counts to secrets, under their numbers. The rows are those of each case; unless a
//! test says otherwise the day is 2026-03-02 and the as-of 2026-03-03T06:00:00Z.

mod backlog;
mod big;
mod consumers;
mod counts;
mod dead;
mod flight;
mod formats;
mod markup;
mod partial;
mod replica;
mod secrets;
mod timeout;

use crate::world::{DIALECTS, Flow, Place, at, found, run_day};
use msgrecon::model::{Kind, Run};
use msgrecon::plan::{Edge, Request};
use msgrecon::report::{Format, Options, render};
use msgrecon::story::{Half, Story};
use serde_json::Value;

const DAY: &str = "2026-03-02";
const AS_OF: &str = "2026-03-03T06:00:00Z";

/// The test on each kind of database, with both halves of the story in one new database.
async fn everywhere(story: &str, test: impl AsyncFn(&Place)) {
    let story = Story::parse(&format!("day {DAY}\n{story}")).unwrap();
    for dialect in DIALECTS {
        let Some(place) = Place::new(dialect).await else { continue };
        eprintln!("on {dialect:?}");
        place.tell(&story, Half::Producer, false).await;
        place.tell(&story, Half::Consumer, false).await;
        test(&place).await;
        place.remove().await;
    }
}

/// Both sides in one place.
fn config(place: &Place, flow: &str) -> String {
    place.toml("p") + &place.toml("c") + flow
}

/// The usual flow with one consumer, `billing`.
fn usual() -> String {
    Flow::default().toml()
}

/// The usual flow with other text in place of some of its own.
fn changed(what: &str, with: &str) -> String {
    let flow = usual();
    assert!(flow.contains(what), "{what} is not in {flow}");
    flow.replace(what, with)
}

/// The usual day of the usual flow.
async fn usual_day(place: &Place) -> Run {
    run_day(&config(place, &usual()), DAY, AS_OF).await
}

/// From one midnight to another, UTC.
fn days(from: &str, until: &str) -> Request {
    let edge = |date: &str| Edge::At(at(&format!("{date}T00:00:00Z")));
    Request::Range(edge(from), edge(until))
}

/// Ids of a kind, sorted.
fn ids(run: &Run, kind: Kind) -> Vec<String> {
    found(run).into_iter().filter(|want| want.kind == kind).map(|want| want.id).collect()
}

/// Ids of a kind at one consumer, sorted.
fn ids_at(run: &Run, consumer: &str, kind: Kind) -> Vec<String> {
    let here = |want: &msgrecon::story::Want| want.kind == kind && want.consumer.as_deref() == Some(consumer);
    found(run).into_iter().filter(here).map(|want| want.id).collect()
}

/// The detail of the only difference of a kind.
fn detail(run: &Run, kind: Kind) -> &str {
    let mut details = run.differences.iter().filter(|difference| difference.kind == kind);
    let detail = details.next().unwrap_or_else(|| panic!("no {kind}"));
    assert!(details.next().is_none(), "more than one {kind}");
    &detail.detail
}

/// `report.json` of a run.
fn json(run: &Run) -> Value {
    serde_json::from_slice(&render(run, Format::Json, Options::default()).unwrap()).unwrap()
}

/// What a terminal shows of a run.
fn table(run: &Run) -> String {
    String::from_utf8(render(run, Format::Table, Options::default()).unwrap()).unwrap()
}
