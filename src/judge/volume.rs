//! Whether a day has as many messages as its weekday usually has.
//!
//! The modified z-score of Iglewicz and Hoaglin (How to Detect and Handle Outliers, 1993): 0.6745 · (x − median) / MAD, where
//! MAD is the median of the distances from the median. Unlike mean and standard deviation, neither is moved by the one
//! day that was a holiday. They take 3.5 and more for an outlier.

use crate::model::life::Volume;

/// Fewer days than this are no baseline.
const DAYS_MIN: usize = 4;
/// What makes the score comparable with standard deviations of a normal distribution.
const NORMAL: f64 = 0.6745;
/// Days that were all alike would make any difference infinite: a deviation is at least this share of the median …
const FLOOR_SHARE: f64 = 0.01;
/// … and at least so many messages.
const FLOOR: f64 = 1.0;

/// How far the day lies below what is usual, in robust deviations; 0 or less where it does not. `None` without enough
/// days to compare it with.
pub(super) fn drop(volume: &Volume) -> Option<f64> {
    if volume.usual.len() < DAYS_MIN {
        return None;
    }
    let usual: Vec<f64> = volume.usual.iter().copied().map(float).collect();
    let median = median(usual.clone());
    let deviation = self::median(usual.iter().map(|day| (day - median).abs()).collect());
    let deviation = deviation.max(median * FLOOR_SHARE).max(FLOOR);
    Some(NORMAL * (median - float(volume.acked)) / deviation)
}

#[expect(clippy::cast_precision_loss, reason = "counts of messages in a day")]
fn float(count: u64) -> f64 {
    count as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle), values.len() % 2) {
        (Some(value), 1) => *value,
        (Some(value), _) => f64::midpoint(values[middle - 1], *value),
        (None, _) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Micros, Span};

    fn score(acked: u64, usual: &[u64]) -> Option<f64> {
        let day = Span::new(Micros(0), Micros(1));
        drop(&Volume { day, acked, usual: usual.to_vec() }).map(|score| (score * 100.0).round() / 100.0)
    }

    #[test]
    fn a_day_is_held_against_its_weekdays() {
        // Median 1000, distances 0 10 20 30 500: MAD 20.
        let usual = [1000, 990, 1020, 970, 1500];
        assert_eq!(score(1000, &usual), Some(0.0));
        assert_eq!(score(500, &usual), Some(16.86));
        assert_eq!(score(0, &usual), Some(33.73));
        assert_eq!(score(1200, &usual), Some(-6.75));
        // Even number of days: the middle of the middle two.
        assert_eq!(score(900, &[900, 1000, 1100, 1200]), Some(1.01));
    }

    #[test]
    fn days_that_are_all_alike_and_days_that_are_few() {
        assert_eq!(score(990, &[1000; 4]), Some(0.67));
        assert_eq!(score(900, &[1000; 4]), Some(6.75));
        assert_eq!(score(0, &[3; 8]), Some(2.02));
        assert_eq!(score(0, &[0; 8]), Some(0.0));
        assert_eq!(score(0, &[1000; 3]), None);
    }
}
