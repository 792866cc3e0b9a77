//! Windows as stacked bars: numbers in, coordinates out; how they look is the template's matter.

pub mod trend;

use super::facts::judged::stretches;
use super::facts::{distinct_consumed, kind_name, other_than_ok};
use super::text::{MESSAGES, WINDOWS, grouped, local, several};
use crate::language::Language;
use crate::model::{Kind, Totals, Window};
use chrono_tz::Tz;

/// At most this many bars; more windows than that share bars.
pub const BARS_MAX: usize = 96;
/// Height of the drawing, in its own units.
pub const HEIGHT: u64 = 1000;
/// Distance from bar to bar.
pub const STEP: u64 = 10;
/// A part that is there is at least this high: one lost among a million must be seen.
const SLIVER: u64 = 40;

/// What is drawn in one colour, from the bottom up: class and kinds.
const PARTS: [(&str, &[Kind]); 5] = [
    ("ok", &[Kind::Ok]),
    ("open", &[Kind::InFlight, Kind::Unverifiable, Kind::Discarded]),
    ("slow", &[Kind::Late, Kind::Duplicate]),
    ("stray", &[Kind::Orphan, Kind::AckLost]),
    ("lost", &[Kind::Missing, Kind::DeadLettered]),
];

/// Bars beside each other: one consumer's windows, or a flow's trend.
#[derive(Debug)]
pub struct Chart {
    /// In time order.
    pub bars: Vec<Bar>,
    /// Width of the drawing.
    pub width: u64,
    /// Messages in the fullest bar.
    pub peak: u64,
    /// How many windows share a bar.
    pub windows_per_bar: usize,
    /// Start of the first and end of the last, in local time.
    pub ends: [String; 2],
    /// Whether time that belongs to no window lies between two bars or within one.
    pub gaps: bool,
}

/// One window, or several in a row; or one day.
#[derive(Debug)]
pub struct Bar {
    /// The same in words.
    pub title: String,
    /// Left edge.
    pub x: u64,
    /// From the bottom up.
    pub parts: Vec<Part>,
    /// `false` where the trend knows that not all of it was judged.
    pub complete: bool,
}

/// A rectangle.
#[derive(Debug)]
pub struct Part {
    /// One of `ok`, `open`, `slow`, `stray`, `lost`.
    pub class: &'static str,
    /// Upper edge.
    pub y: u64,
    /// How high.
    pub height: u64,
}

/// The chart of one consumer; `None` where there is nothing to compare with each other.
#[must_use]
pub fn chart(
    windows: &[(Window, Totals)],
    undecidable: &[Kind],
    zone: Tz,
    language: Language,
) -> Option<Chart> {
    let windows_per_bar = windows.len().div_ceil(BARS_MAX).max(1);
    let slices: Vec<_> = windows.chunks(windows_per_bar).map(|slice| (slice, merged(slice))).collect();
    let peak = slices.iter().map(|(_, totals)| volume(totals, undecidable)).max().filter(|peak| *peak > 0)?;
    let bars = slices.iter().zip(0..).map(|((slice, totals), place)| Bar {
        title: language
            .fill("{0}: {1}", &[&extent(slice, zone, language), &contents(totals, undecidable, language)]),
        x: place * STEP,
        parts: stacked(PARTS.map(|(class, kinds)| (class, count(totals, kinds, undecidable))), peak),
        complete: true,
    });
    let ends = [windows.first()?.0.0.from, windows.last()?.0.0.until].map(|at| local(at, zone));
    let width = STEP * slices.len() as u64;
    let gaps = stretches(windows.iter().map(|(window, _)| window)) > 1;
    (slices.len() > 1).then(|| Chart { bars: bars.collect(), width, peak, windows_per_bar, ends, gaps })
}

fn merged(slice: &[(Window, Totals)]) -> Totals {
    slice.iter().fold(Totals::default(), |mut all, (_, one)| {
        all.merge(one);
        all
    })
}

/// From when until when a bar reaches; with a gap inside, how many windows it holds of that time.
fn extent(slice: &[(Window, Totals)], zone: Tz, language: Language) -> String {
    let windows = || slice.iter().map(|(window, _)| window);
    let (Some(first), Some(last)) = (windows().next(), windows().next_back()) else { return String::new() };
    let [from, until] = [first.0.from, last.0.until].map(|at| local(at, zone));
    match stretches(windows()) {
        1 => language.fill("{0} until {1}", &[&from, &until]),
        _ => {
            let windows = several(slice.len() as u64, WINDOWS, language);
            language.fill("{0} between {1} and {2}", &[&windows, &from, &until])
        }
    }
}

fn count(totals: &Totals, kinds: &[Kind], undecidable: &[Kind]) -> u64 {
    kinds.iter().filter(|kind| !undecidable.contains(kind)).map(|kind| totals.of(*kind)).sum()
}

fn volume(totals: &Totals, undecidable: &[Kind]) -> u64 {
    PARTS.iter().map(|(_, kinds)| count(totals, kinds, undecidable)).sum()
}

fn contents(totals: &Totals, undecidable: &[Kind], language: Language) -> String {
    let messages = several(totals.acked, MESSAGES, language);
    let consumed = grouped(distinct_consumed(totals).cast_signed());
    let both = language.fill("{0} acked, {1} consumed", &[&messages, &consumed]);
    let others = other_than_ok(totals, undecidable).into_iter();
    let others =
        others.map(|(kind, count)| format!("{} {}", kind_name(kind, language), grouped(count.cast_signed())));
    std::iter::once(both).chain(others).collect::<Vec<_>>().join(language.text(", "))
}

/// The parts of a bar, stacked from the bottom up; what the slivers take is taken from the first.
fn stacked<const N: usize>(counts: [(&'static str, u64); N], peak: u64) -> Vec<Part> {
    let height = |count: u64| match count {
        0 => 0,
        count => (u128::from(count) * u128::from(HEIGHT) / u128::from(peak))
            .try_into()
            .unwrap_or(HEIGHT)
            .max(SLIVER),
    };
    let mut heights = counts.map(|(_, count)| height(count));
    let others: u64 = heights[1..].iter().sum();
    heights[0] = heights[0].min(HEIGHT.saturating_sub(others));
    let mut y = HEIGHT;
    let stacked = counts.iter().zip(heights).filter(|(_, height)| *height > 0).map(|((class, _), height)| {
        let height = height.min(y);
        y -= height;
        Part { class, y, height }
    });
    stacked.collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_month_of_hours_fits_and_one_lost_message_is_seen() {
        let run = fixture::many(1);
        let counts = run.flows[0].consumers[0].counts.as_ref().unwrap();
        let chart = chart(&counts.windows, &[], run.time_zone, Language::En).unwrap();
        assert_eq!((counts.windows.len(), chart.bars.len(), chart.windows_per_bar), (745, 94, 8));
        assert_eq!(chart.width, 940);
        let lost = chart.bars[0].parts.iter().find(|part| part.class == "lost").unwrap();
        assert!(lost.height >= SLIVER);
        for bar in &chart.bars {
            assert!(bar.parts.iter().map(|part| part.height).sum::<u64>() <= HEIGHT, "{bar:?}");
        }
        assert_eq!(chart.bars.len() as u64, chart.width / STEP);
    }

    #[test]
    fn nothing_and_one_window_make_no_chart() {
        let run = fixture::rich();
        let counts = run.flows[0].consumers[0].counts.as_ref().unwrap();
        assert!(chart(&counts.windows[..1], &[], run.time_zone, Language::En).is_none());
        assert!(chart(&[], &[], run.time_zone, Language::En).is_none());
        let title = &chart(&counts.windows, &[], run.time_zone, Language::En).unwrap().bars[1].title;
        assert_eq!(
            title,
            "2026-11-01 01:00 -04:00 until 2026-11-01 01:00 -05:00: 86 messages acked, 80 consumed, missing 6"
        );
    }

    #[test]
    fn a_bar_over_a_gap_claims_no_span() {
        let mut run = fixture::many(0);
        let windows = &mut run.flows[0].consumers[0].counts.as_mut().unwrap().windows;
        assert!(!chart(windows, &[], run.time_zone, Language::En).unwrap().gaps);
        windows.drain(2..7);
        let chart = chart(windows, &[], run.time_zone, Language::En).unwrap();
        assert!(chart.gaps);
        assert!(
            chart.bars[0].title.starts_with(
                "8 windows between 2026-10-02 00:00 -04:00 and 2026-10-02 13:00 -04:00: 749 messages acked"
            ),
            "{}",
            chart.bars[0].title
        );
        assert!(chart.bars[1].title.starts_with("2026-10-02 13:00 -04:00 until 2026-10-02 21:00 -04:00: "));
    }
}
