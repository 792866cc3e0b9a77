//! What the cases share: a flow over tables of their own, and short ways to say what a run found.

use crate::world::{Flow, Place, flow, totals};
use msgrecon::config::Dialect;
use msgrecon::model::run::Counts;
use msgrecon::model::{Outcome, Run, Totals};
use msgrecon::report::{Format, Options, render};
use msgrecon::story::{Half, Story};

/// The day and the as-of of most cases.
pub const DAY: &str = "2026-03-02";
pub const AS_OF: &str = "2026-03-03T06:00:00Z";

/// Runs a case on each of these servers that is there, in a new database.
pub async fn on(dialects: &[Dialect], case: impl AsyncFn(&Place)) {
    for dialect in dialects {
        if let Some(place) = Place::new(*dialect).await {
            case(&place).await;
            place.remove().await;
        }
    }
}

/// A case of its own tables `events` and `consumed`, in database `p`.
pub struct Tables<'a> {
    /// Lines of `[flows.events]`; `id` is `msg_id` unless they say so.
    pub events: &'a str,
    /// Lines of `[[flows.consumers]]`; likewise.
    pub consumer: &'a str,
}

impl Tables<'_> {
    /// Plain columns: `msg_id`, `status`, `created_at`, `acked_at`; `msg_id`, `consumer`, `consumed_at`.
    pub const PLAIN: Tables<'static> = Tables { events: "", consumer: "" };

    /// The configuration of the flow, without databases. A key of the case replaces the plain one.
    pub fn flow(&self) -> String {
        let events = with(
            self.events,
            &[
                ("table", "\"events\""),
                ("id", "\"msg_id\""),
                ("created_at", "\"created_at\""),
                ("acked_at", "\"acked_at\""),
                ("acked", "\"status = 'SENT'\""),
                ("pending", "\"status = 'PENDING'\""),
            ],
        );
        let consumer = with(
            self.consumer,
            &[("id", "\"msg_id\""), ("consumer", "\"consumer\""), ("consumed_at", "\"consumed_at\"")],
        );
        format!(
            "[[flows]]\nname = \"orders\"\n{}\n[flows.events]\ndatabase = \"p\"\n{events}\n\
             [[flows.consumers]]\nname = \"billing\"\ndatabase = \"p\"\ntable = \"consumed\"\n{consumer}",
            Flow::default().rules
        )
    }

    /// The whole configuration.
    pub fn toml(&self, place: &Place) -> String {
        place.toml("p") + &self.flow()
    }
}

fn with(own: &str, plain: &[(&str, &str)]) -> String {
    let set = |key: &str| own.lines().any(|line| line.split('=').next().is_some_and(|it| it.trim() == key));
    let rest = plain.iter().filter(|(key, _)| !set(key)).map(|(key, value)| format!("{key} = {value}\n"));
    format!("{own}\n{}", rest.collect::<String>())
}

/// Builds both halves of a story in the database.
pub async fn tell(place: &Place, story: &str) {
    let story = Story::parse(story).unwrap();
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&story, half, false).await;
    }
}

/// The configuration of a story whose halves lie in one database.
pub fn told(place: &Place, rules: &str) -> String {
    let flow = Flow { rules: rules.to_owned(), ..Flow::default() };
    place.toml("p") + &place.toml("c") + &flow.toml()
}

/// The counts of the only consumer.
pub fn counts(run: &Run) -> &Counts {
    let consumer = &flow(run).consumers[0];
    consumer.counts.as_ref().unwrap_or_else(|| panic!("not judged: {:#?}", run.problems))
}

/// `acked`, all of them `ok`.
pub fn all_ok(acked: u64) -> Totals {
    Totals { acked, ok: acked, ..Totals::default() }
}

/// Nothing kept the run from being complete, nothing differs, and the books balance.
pub fn assert_balanced(run: &Run, right: Totals) {
    assert!(run.problems.is_empty(), "{:#?}", run.problems);
    assert_eq!(totals(run, "billing"), right);
    assert_eq!((counts(run).residual(), run.outcome), (0, Outcome::Balanced), "{:#?}", run.differences);
    assert_eq!((run.complete, run.exit_code), (true, 0));
}

/// Differences were found in a complete run, and the books balance.
pub fn assert_differs(run: &Run, right: Totals) {
    assert!(run.problems.is_empty(), "{:#?}", run.problems);
    assert_eq!(totals(run, "billing"), right);
    assert_eq!((counts(run).residual(), run.outcome), (0, Outcome::Differences));
}

/// The longest latency in seconds, as text.
pub fn longest(run: &Run) -> String {
    counts(run).latency.map_or_else(|| "-".to_owned(), |latency| format!("{:?}", latency.max))
}

/// The largest clock skew in seconds, as text.
pub fn skew(run: &Run) -> String {
    counts(run).clock_skew_seconds.map_or_else(|| "-".to_owned(), |skew| format!("{skew:?}"))
}

/// The report in one format.
pub fn report(run: &Run, format: Format) -> String {
    String::from_utf8(render(run, format, Options::default()).unwrap()).unwrap()
}

/// The report for machines.
pub fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&report(run, Format::Json)).unwrap()
}

/// No report shows one of these, for example years that a broken conversion would give.
pub fn assert_nowhere(run: &Run, words: &[&str]) {
    for format in Format::ALL {
        let text = report(run, format);
        for word in words {
            assert!(!text.contains(word), "{word} in the {} report:\n{text}", format.name());
        }
    }
}

/// Whether a hint of the flow holds all of these words.
pub fn hinted(run: &Run, words: &[&str]) -> bool {
    flow(run).hints.iter().any(|hint| words.iter().all(|word| hint.contains(word)))
}

/// A source did not fit the configuration: nothing is judged, the exit code says so, and the message names the words.
pub fn assert_misconfigured(run: &Run, words: &[&str]) {
    assert_eq!((run.outcome, run.exit_code), (Outcome::Incomplete, 2), "{:#?}", run.problems);
    assert!(flow(run).consumers[0].counts.is_none() && run.differences.is_empty());
    let message = run.problems.iter().map(|problem| problem.message.to_lowercase()).collect::<String>();
    for word in words {
        assert!(message.contains(word), "{word} is not in: {message}");
    }
}
