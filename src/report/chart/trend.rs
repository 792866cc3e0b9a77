//! The last windows and days of a flow as bars: the acked messages, and on top of them what differs.

use super::super::facts::judged::stretches;
use super::super::text::{MESSAGES, grouped, local, several};
use super::{Bar, Chart, STEP, stacked};
use crate::language::Language;
use crate::model::life::TrendPoint;
use crate::model::window::local_date;
use crate::model::{FlowLife, Span, Window};
use chrono_tz::Tz;

/// The chart of a flow's last windows; `None` where they hold nothing at all.
#[must_use]
pub fn windows(points: &[TrendPoint], zone: Tz, language: Language) -> Option<Chart> {
    let ends = |span: Span| [span.from, span.until].map(|at| local(at, zone));
    chart(points, zone, language, |point| {
        let [from, until] = ends(point.span);
        language.fill("{0} until {1}", &[&from, &until])
    })
}

/// The chart of its last local days.
#[must_use]
pub fn days(points: &[TrendPoint], zone: Tz, language: Language) -> Option<Chart> {
    chart(points, zone, language, |point| local_date(point.span.from, zone).to_string())
}

/// Bars keep their width while the history grows: there is always room for [`FlowLife::TREND`] of them.
fn chart(
    points: &[TrendPoint],
    zone: Tz,
    language: Language,
    name: impl Fn(&TrendPoint) -> String,
) -> Option<Chart> {
    let peak = points.iter().map(|point| parts(point).map(|(_, count)| count).iter().sum()).max()?;
    let bars = points.iter().zip(0..).map(|(point, place)| Bar {
        title: language.fill("{0}: {1}", &[&name(point), &contents(point, language)]),
        x: place * STEP,
        parts: stacked(parts(point), peak),
        complete: point.complete,
    });
    let windows: Vec<_> = points.iter().map(|point| Window(point.span)).collect();
    let ends = [windows.first()?.0.from, windows.last()?.0.until].map(|at| local(at, zone));
    let width = STEP * points.len().max(FlowLife::TREND) as u64;
    let tells = peak > 0 || points.iter().any(|point| !point.complete);
    let gaps = stretches(&windows) > 1;
    tells.then(|| Chart { bars: bars.collect(), width, peak, windows_per_bar: 1, ends, gaps })
}

/// What is lost was acked; other differences need not have been.
fn parts(point: &TrendPoint) -> [(&'static str, u64); 3] {
    let TrendPoint { acked, lost, other, .. } = *point;
    [("ok", acked.saturating_sub(lost)), ("slow", other), ("lost", lost)]
}

fn contents(point: &TrendPoint, language: Language) -> String {
    let acked = language.fill("{0} acked", &[&several(point.acked, MESSAGES, language)]);
    let lost = language.fill("{0} missing or dead-lettered", &[&grouped(point.lost.cast_signed())]);
    let other = several(point.other, ["{0} other difference", "{0} other differences"], language);
    let parts = [(true, acked), (point.lost > 0, lost), (point.other > 0, other)];
    let parts: Vec<_> = parts.into_iter().filter(|(told, _)| *told).map(|(_, part)| part).collect();
    let parts = parts.join(language.text(", "));
    if point.complete { parts } else { language.fill("{0}; not judged completely", &[&parts]) }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::{HEIGHT, SLIVER};
    use super::*;

    fn life() -> FlowLife {
        fixture::rich().flows.remove(0).life.unwrap()
    }

    #[test]
    fn one_lost_message_among_many_is_seen() {
        let zone = chrono_tz::America::New_York;
        let chart = windows(&life().windows, zone, Language::En).unwrap();
        let of = |bar: usize, class: &str| chart.bars[bar].parts.iter().find(|part| part.class == class);
        assert_eq!(of(6, "lost").unwrap().height, SLIVER);
        assert_eq!((of(6, "slow").is_none(), of(7, "slow").unwrap().height), (true, SLIVER));
        assert!(
            of(7, "lost").unwrap().height > 2 * SLIVER && of(7, "lost").unwrap().y < of(7, "ok").unwrap().y
        );
        for bar in &chart.bars {
            assert!(bar.parts.iter().map(|part| part.height).sum::<u64>() <= HEIGHT, "{bar:?}");
        }
        assert_eq!(
            chart.bars[7].title,
            "2026-11-01 01:00 -05:00 until 2026-11-01 02:00 -05:00: 455,433 messages acked, 60,000 missing or \
             dead-lettered, 1 other difference"
        );
    }

    #[test]
    fn what_was_not_judged_completely_is_said_and_marked() {
        let zone = chrono_tz::America::New_York;
        let chart = days(&life().days, zone, Language::En).unwrap();
        assert_eq!(chart.bars.iter().filter(|bar| !bar.complete).count(), 1);
        let last = chart.bars.last().unwrap();
        assert_eq!(
            last.title,
            "2026-11-01: 493 messages acked, 9 missing or dead-lettered; not judged completely"
        );
        let unread = TrendPoint { acked: 0, lost: 0, complete: false, ..life().days[29] };
        let alone = days(&[unread], zone, Language::En).unwrap();
        assert_eq!((alone.peak, alone.bars.len(), alone.bars[0].parts.len()), (0, 1, 0));
    }

    #[test]
    fn a_short_history_has_narrow_bars_and_an_empty_one_none() {
        let zone = chrono_tz::America::New_York;
        let points = life().windows;
        assert_eq!(
            windows(&points[..2], zone, Language::En).unwrap().width,
            windows(&points, zone, Language::En).unwrap().width
        );
        assert!(windows(&[points[0], points[2]], zone, Language::En).unwrap().gaps);
        assert!(!windows(&points, zone, Language::En).unwrap().gaps);
        assert!(windows(&[], zone, Language::En).is_none());
        assert!(windows(&[TrendPoint { acked: 0, ..points[0] }], zone, Language::En).is_none());
    }
}
