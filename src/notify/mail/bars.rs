//! Bars that are rows of table cells: every mail reader draws those.

use crate::model::life::TrendPoint;
use crate::model::{Kind, Totals};

/// Width of a whole bar.
const WHOLE: u64 = 100;

/// What is drawn in one colour, from left to right: the colour's name and kinds.
const PARTS: [(&str, &[Kind]); 4] = [
    ("good", &[Kind::Ok]),
    ("open", &[Kind::InFlight, Kind::Unverifiable, Kind::Discarded]),
    ("warn", &[Kind::Late, Kind::Duplicate, Kind::Orphan, Kind::AckLost]),
    ("bad", &[Kind::Missing, Kind::DeadLettered]),
];

/// The parts of a consumer's bar that are there: the colour's name and a width in per cent. The widths make 100; a part is
/// at least 2 wide, since one lost among a million must be seen.
pub(super) fn bar(totals: &Totals, undecidable: &[Kind]) -> Vec<(&'static str, u64)> {
    let count = |kinds: &[Kind]| -> u64 {
        kinds.iter().filter(|kind| !undecidable.contains(kind)).map(|kind| totals.of(*kind)).sum()
    };
    let counts: Vec<_> = PARTS.iter().map(|(class, kinds)| (*class, count(kinds))).collect();
    let sum: u64 = counts.iter().map(|(_, count)| count).sum();
    if sum == 0 {
        return Vec::new();
    }
    let width = |count: u64| {
        let share = u128::from(count) * u128::from(WHOLE) / u128::from(sum);
        u64::try_from(share).unwrap_or(WHOLE).max(2)
    };
    let there = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut parts: Vec<_> = there.map(|(class, count)| (class, width(count))).collect();
    let used: u64 = parts.iter().map(|(_, width)| width).sum();
    if let Some((_, widest)) = parts.iter_mut().max_by_key(|(_, width)| *width) {
        *widest = (*widest + WHOLE).saturating_sub(used);
    }
    parts
}

/// A day's cell: the colour's name and a sign that says the same without colour.
pub(super) fn day(point: &TrendPoint) -> (&'static str, &'static str) {
    match point {
        TrendPoint { lost: 1.., .. } => ("bad", "✕"),
        TrendPoint { complete: false, .. } => ("open", "?"),
        TrendPoint { other: 1.., .. } => ("warn", "!"),
        TrendPoint { acked: 0, .. } => ("none", "–"),
        _ => ("good", "✓"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Micros, Span};
    use proptest::prelude::*;

    #[test]
    fn one_lost_among_a_million_is_seen() {
        let totals = Totals { ok: 1_000_000, missing: 1, ..Totals::default() };
        assert_eq!(bar(&totals, &[]), [("good", 98), ("bad", 2)]);
        assert_eq!(bar(&totals, &[Kind::Missing]), [("good", 100)]);
        assert_eq!(bar(&Totals::default(), &[]), []);
    }

    #[test]
    fn a_day_says_its_worst() {
        let span = Span::new(Micros(0), Micros(1));
        let point = TrendPoint { span, complete: true, acked: 5, lost: 0, other: 0 };
        let signs = [
            point,
            TrendPoint { acked: 0, ..point },
            TrendPoint { other: 1, ..point },
            TrendPoint { complete: false, other: 1, ..point },
            TrendPoint { complete: false, lost: 1, ..point },
        ];
        assert_eq!(signs.map(|point| day(&point).1), ["✓", "–", "!", "?", "✕"]);
    }

    proptest! {
        #[test]
        fn widths_make_a_whole(ok in 0..u64::MAX / 8, late in 0..100_u64, missing in 0..100_u64, in_flight in 0..9_u64) {
            let parts = bar(&Totals { ok, late, in_flight, missing, ..Totals::default() }, &[]);
            let sum: u64 = parts.iter().map(|(_, width)| width).sum();
            prop_assert!(parts.is_empty() || sum == 100);
            prop_assert!(parts.iter().all(|(_, width)| *width >= 2));
        }
    }
}
