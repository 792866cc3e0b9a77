//! The parts of the page that only a ledger can fill: what is new, what healed, how the days before were.

use super::super::chart::{Chart, trend};
use super::super::facts::life;
use super::super::text::{local, plural};
use super::flow::drawing;
use super::{data, number, sentence};
use crate::model::life::Healed;
use crate::model::{Difference, FlowLife, FlowReport, Run, Status};
use minijinja::context;
use minijinja::value::Value;

/// At most this many healed differences of a flow are on the page; `report.json` lists more.
pub const HEALED_MAX: usize = 100;

/// What the run changed, over all flows; `None` where no ledger is kept.
pub(super) fn changes(run: &Run) -> Option<Value> {
    let changes = life::changes(life::lives(run));
    let change = |(count, word): (u64, &'static str)| {
        context! { count => number(count), word, hit => word == "new" && count > 0 }
    };
    life::is_kept(run).then(|| {
        context! {
            since => life::compared(run),
            changes => changes.into_iter().map(change).collect::<Vec<_>>(),
        }
    })
}

/// How the ledger knows a difference.
pub(super) fn status(difference: &Difference, run: &Run) -> Value {
    let tone = match difference.status {
        Status::New => "bad",
        Status::Open => "warn",
        Status::Acknowledged => "plain",
        Status::Resolved => "good",
    };
    context! {
        mark => life::mark(difference.status),
        tone,
        since => difference.status == Status::Open,
        earlier => difference.first_seen < run.as_of,
        runs => (difference.times_seen > 1).then(|| number(difference.times_seen)),
    }
}

/// What the ledger knows of one flow.
pub(super) fn of_flow(flow: &FlowReport, run: &Run) -> Option<Value> {
    let known = flow.life.as_ref()?;
    let judged = [
        Some(life::changes_line(known, run)),
        Some(life::watermark(known, run.time_zone)),
        life::due(known.due),
    ];
    Some(context! {
        sentences => judged.into_iter().flatten().map(|words| sentence(&words)).collect::<Vec<_>>(),
        healed => healed_table(known, run),
        trends => trends(known, run),
    })
}

/// `None` where nothing healed.
fn healed_table(known: &FlowLife, run: &Run) -> Option<Value> {
    let total = known.resolved + known.expired;
    let shown = known.healed.iter().take(HEALED_MAX);
    (total > 0).then(|| {
        context! {
            title => if known.expired > 0 { "Healed or given up" } else { "Healed" },
            rows => shown.map(|one| healed(one, run)).collect::<Vec<_>>(),
            shown => number(known.healed.len().min(HEALED_MAX) as u64),
            total => number(total),
            more => known.healed.len() > HEALED_MAX,
            expired => known.expired > 0,
        }
    })
}

fn healed(healed: &Healed, run: &Run) -> Value {
    context! {
        id => data(&healed.id.to_string()),
        consumer => healed.consumer.as_deref().map(data),
        kind => healed.kind.name(),
        window => healed.window_from.map(|from| local(from, run.time_zone)),
        first_seen => local(healed.first_seen, run.time_zone),
        expired => healed.expired,
        evidence => data(&healed.evidence),
    }
}

/// The last windows and the last days, as far as they tell anything.
fn trends(known: &FlowLife, run: &Run) -> Vec<Value> {
    let windows = trend::windows(&known.windows, run.time_zone).map(|chart| ("window", chart));
    let days = trend::days(&known.days, run.time_zone).map(|chart| ("day", chart));
    let trend = |(noun, chart): (&str, Chart)| {
        let count = chart.bars.len() as u64;
        context! {
            title => if count == 1 { format!("Last {noun}") } else { format!("Last {}", plural(count, noun)) },
            noun,
            chart => drawing(chart),
        }
    };
    windows.into_iter().chain(days).map(trend).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::render;
    use super::*;
    use crate::model::Id;

    fn page(run: &Run) -> String {
        render(run).unwrap().split_once("</style>").unwrap().1.to_owned()
    }

    #[test]
    fn changes_are_said_first() {
        let mut run = fixture::rich();
        run.flows[1].life = Some(FlowLife { new: 1, ..FlowLife::default() });
        let page_of = page(&run);
        let [changes, flows] = ["<p class=\"changes\">", "<h2>Flows"].map(|text| page_of.find(text).unwrap());
        assert!(changes < flows);
        for words in [
            "Since the run as of 2026-11-01 02:00 -05:00:",
            "<span class=\"hit\"><strong>14</strong> new</span>",
            "<strong>2</strong> given up",
            "Since the last run: 1 new, 0 still open, 0 acknowledged, 0 resolved. Nothing is judged without a gap yet.",
            "Judged without a gap until 2026-11-01 23:00 -05:00. 12 windows are due and wait for the next run.",
        ] {
            assert!(page_of.contains(words), "{words}");
        }
        run.last_run = None;
        assert!(page(&run).contains("First run of the ledger:"));
    }

    #[test]
    fn every_difference_has_its_mark() {
        let page = page(&fixture::rich());
        for words in [
            "<span class=\"badge bad\">new</span> this run",
            "<span class=\"badge warn\">open</span> since<br>2026-11-01 02:00 -05:00<br><span class=\"soft\">seen by 2 runs",
            "<span class=\"badge plain\">acknowledged</span><br>2026-10-30 03:00 -04:00",
            "<span class=\"badge good\">settled</span> this run",
            "found after the window was first judged",
        ] {
            assert!(page.contains(words), "{words}");
        }
    }

    #[test]
    fn a_long_list_of_what_healed_is_cut_and_says_so() {
        let mut run = fixture::rich();
        assert!(page(&run).contains("Showing 5 of 7. Given up means"));
        let known = run.flows[0].life.as_mut().unwrap();
        let one = known.healed[1].clone();
        let many = (0..FlowLife::HEALED_MAX)
            .map(|id| Healed { id: Id::from_text(&format!("h-{id:04}")), ..one.clone() });
        *known = FlowLife { resolved: 5_000, expired: 0, healed: many.collect(), ..FlowLife::default() };
        let cut = page(&run);
        assert!(cut.contains("Healed since the last run"));
        assert!(cut.contains("Showing 100 of 5,000; more in report.json."));
        assert!(cut.contains("h-0099") && !cut.contains("h-0100") && !cut.contains("given up"));
    }

    #[test]
    fn what_is_not_there_leaves_no_heading() {
        let mut run = fixture::rich();
        run.flows[0].life = Some(FlowLife::default());
        let bare = page(&run);
        assert!(!bare.contains("<h4>Trend") && !bare.contains("Healed"));
        run.flows[0].life = None;
        let unkept = page(&run);
        for word in
            ["class=\"changes\"", "first judged", "badge plain\">acknowledged", "without a gap", "seen by"]
        {
            assert!(!unkept.contains(word), "{word}");
        }
    }

    #[test]
    fn bars_that_were_not_judged_completely_look_different() {
        let page = page(&fixture::rich());
        assert_eq!(page.matches("<rect class=\"partial\"").count(), 2);
        assert_eq!(page.matches("; not judged completely</title>").count(), 2);
        assert!(
            page.contains("<strong>Last 30 windows</strong>")
                && page.contains("<strong>Last 30 days</strong>")
        );
    }
}
