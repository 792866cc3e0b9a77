//! How long messages took from ack to receipt: percentiles from a histogram, never averages.

use super::time::{DAY, SECOND};
use hdrhistogram::Histogram;

/// Latencies of one consumer, in bounded memory.
///
/// Values are kept in microseconds with two significant digits or better (error below 1 %); the maximum and the
/// largest skew are exact. Receipts before their ack say something of the clocks, not of the latency, and are kept out
/// of the percentiles.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "Sparse", into = "Sparse")]
pub struct Latency {
    histogram: Option<Histogram<u64>>,
    max: i64,
    skew_max: i64,
}

/// A histogram as it is kept: its buckets that are not empty, each by its highest value.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Sparse {
    buckets: Vec<(u64, u64)>,
    max: i64,
    skew_max: i64,
}

/// The percentiles, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LatencySeconds {
    /// Half of the messages were faster.
    pub p50: f64,
    /// 95 % were faster.
    pub p95: f64,
    /// 99 % were faster.
    pub p99: f64,
    /// The slowest.
    pub max: f64,
}

impl From<Latency> for Sparse {
    fn from(latency: Latency) -> Self {
        let recorded = latency.histogram.iter().flat_map(Histogram::iter_recorded);
        let buckets = recorded.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value())).collect();
        Self { buckets, max: latency.max, skew_max: latency.skew_max }
    }
}

impl From<Sparse> for Latency {
    fn from(sparse: Sparse) -> Self {
        let mut latency = Self { histogram: None, max: sparse.max, skew_max: sparse.skew_max };
        sparse.buckets.into_iter().for_each(|(value, count)| latency.count(value, count));
        latency
    }
}

impl Latency {
    /// Counts a message consumed `micros` after its ack (negative: before it).
    pub fn record(&mut self, micros: i64) {
        let Ok(value) = u64::try_from(micros) else {
            self.skew_max = self.skew_max.max(micros.saturating_neg());
            return;
        };
        self.max = self.max.max(micros);
        self.count(value, 1);
    }

    fn count(&mut self, value: u64, times: u64) {
        if self.histogram.is_none() {
            // Two significant digits from a microsecond to three years: about 50 KiB; what is slower counts as that.
            self.histogram = Histogram::new_with_max(1_000 * DAY.unsigned_abs(), 2).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.saturating_record_n(value, times);
        }
    }

    /// Adds another slice's.
    pub fn merge(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        self.skew_max = self.skew_max.max(other.skew_max);
        let recorded = other.histogram.iter().flat_map(Histogram::iter_recorded);
        recorded.for_each(|bucket| self.count(bucket.value_iterated_to(), bucket.count_at_value()));
    }

    /// Percentiles; `None` where nothing was recorded.
    #[must_use]
    pub fn seconds(&self) -> Option<LatencySeconds> {
        let histogram = self.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
        let quantile =
            |q: f64| seconds(i64::try_from(histogram.value_at_quantile(q)).unwrap_or(i64::MAX).min(self.max));
        Some(LatencySeconds {
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            max: seconds(self.max),
        })
    }

    /// The furthest that a receipt lay before its ack, in seconds; 0 where none did.
    #[must_use]
    pub fn skew_seconds(&self) -> f64 {
        seconds(self.skew_max)
    }
}

/// Microseconds as seconds, rounded to the microsecond.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 µs, which is 285 years")]
pub fn seconds(micros: i64) -> f64 {
    micros as f64 / SECOND as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_added_up_gives_the_same_percentiles() {
        let mut all = Latency::default();
        let (mut left, mut right) = (Latency::default(), Latency::default());
        for step in 0..5_000_i64 {
            let micros = (step * step * 37) % 90_000_000 - 100;
            all.record(micros);
            if step % 3 == 0 { left.record(micros) } else { right.record(micros) }
        }
        let kept: Latency = serde_json::from_str(&serde_json::to_string(&right).unwrap()).unwrap();
        left.merge(&kept);
        assert_eq!(
            (left.seconds(), left.skew_seconds().to_bits()),
            (all.seconds(), all.skew_seconds().to_bits())
        );
    }

    #[test]
    fn percentiles_are_within_a_percent_and_skew_stays_out() {
        let mut latency = Latency::default();
        assert_eq!(latency.seconds(), None);
        (1..=1000).for_each(|milliseconds| latency.record(milliseconds * 1_000));
        latency.record(-2 * SECOND);
        let found = latency.seconds().unwrap();
        for (value, right) in [(found.p50, 0.5), (found.p95, 0.95), (found.p99, 0.99), (found.max, 1.0)] {
            assert!((value - right).abs() <= right * 0.01, "{value} {right}");
        }
        assert!((latency.skew_seconds() - 2.0).abs() < 1e-9);
    }
}
