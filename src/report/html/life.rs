//! The parts of the page that only a ledger can fill: what is new, what healed, how the days before were.

use super::super::chart::{Chart, trend};
use super::super::facts::{kind_name, life};
use super::super::text::several;
use super::flow::drawing;
use super::{View, data, number};
use crate::model::life::Healed;
use crate::model::{Difference, FlowLife, FlowReport, Status};
use minijinja::context;
use minijinja::value::Value;

/// At most this many healed differences of a flow are on the page; `report.json` lists more.
pub const HEALED_MAX: usize = 100;

/// What the run changed, over all flows; `None` where no ledger is kept.
pub(super) fn changes(view: View<'_>) -> Option<Value> {
    let changes = life::changes(life::lives(view.run));
    let change = |(count, word): (u64, &'static str)| {
        context! { count => number(count), word => view.text(word), hit => word == "new" && count > 0 }
    };
    life::is_kept(view.run).then(|| {
        context! {
            since => life::compared(view.run, view.language),
            changes => changes.into_iter().map(change).collect::<Vec<_>>(),
        }
    })
}

/// How the ledger knows a difference.
pub(super) fn status(difference: &Difference, view: View<'_>) -> Value {
    let tone = match difference.status {
        Status::New => "bad",
        Status::Open => "warn",
        Status::Acknowledged => "plain",
        Status::Resolved => "good",
    };
    context! {
        mark => view.text(life::mark(difference.status)),
        tone,
        since => difference.status == Status::Open,
        earlier => difference.first_seen < view.run.as_of,
        runs => (difference.times_seen > 1).then(|| number(difference.times_seen)),
    }
}

/// What the ledger knows of one flow.
pub(super) fn of_flow(flow: &FlowReport, view: View<'_>) -> Option<Value> {
    let View { run, language } = view;
    let known = flow.life.as_ref()?;
    let judged = [
        Some(life::changes_line_in(known, run, language)),
        Some(life::watermark_in(known, run.time_zone, language)),
        life::due_in(known.due, language),
    ];
    let judged: Vec<_> = judged.into_iter().flatten().map(|words| view.sentence(&words)).collect();
    Some(context! {
        sentences => judged.join(language.gap()),
        healed => healed_table(known, view),
        trends => trends(known, &data(&flow.name), view),
    })
}

/// `None` where nothing healed.
fn healed_table(known: &FlowLife, view: View<'_>) -> Option<Value> {
    let total = known.resolved + known.expired;
    let shown = known.healed.iter().take(HEALED_MAX);
    (total > 0).then(|| {
        context! {
            title => view.text(match known.expired {
                0 => "Healed since the last run",
                _ => "Healed or given up since the last run",
            }),
            rows => shown.map(|one| healed(one, view)).collect::<Vec<_>>(),
            shown => number(known.healed.len().min(HEALED_MAX) as u64),
            total => number(total),
            more => known.healed.len() > HEALED_MAX,
            expired => known.expired > 0,
        }
    })
}

fn healed(healed: &Healed, view: View<'_>) -> Value {
    context! {
        id => data(&healed.id.to_string()),
        consumer => healed.consumer.as_deref().map(data),
        kind => kind_name(healed.kind, view.language),
        window => healed.window_from.map(|from| view.local(from)),
        first_seen => view.local(healed.first_seen),
        expired => healed.expired,
        evidence => data(&view.said(&healed.evidence)),
    }
}

/// The last windows and the last days, as far as they tell anything.
fn trends(known: &FlowLife, flow: &str, view: View<'_>) -> Vec<Value> {
    let (zone, language) = (view.run.time_zone, view.language);
    let windows = trend::windows(&known.windows, zone, language).map(|chart| (&OF_WINDOWS, chart));
    let days = trend::days(&known.days, zone, language).map(|chart| (&OF_DAYS, chart));
    let trend = |(words, chart): (&Words, Chart)| {
        context! {
            title => several(chart.bars.len() as u64, words.title, language),
            gaps => view.text(words.gaps),
            label => language.fill(words.label, &[flow]),
            chart => drawing(chart, view),
        }
    };
    windows.into_iter().chain(days).map(trend).collect()
}

/// What is said of a trend.
struct Words {
    title: [&'static str; 2],
    gaps: &'static str,
    label: &'static str,
}

const OF_WINDOWS: Words = Words {
    title: ["Last window", "Last {0} windows"],
    gaps: "time between that no window covers is left out",
    label: "Messages of {0} acked in each window, with what differs on top",
};

const OF_DAYS: Words = Words {
    title: ["Last day", "Last {0} days"],
    gaps: "time between that no day covers is left out",
    label: "Messages of {0} acked in each day, with what differs on top",
};

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::{Options, render};
    use super::*;
    use crate::model::{Id, Run};

    fn page(run: &Run) -> String {
        render(run, Options::default()).unwrap().split_once("</style>").unwrap().1.to_owned()
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
