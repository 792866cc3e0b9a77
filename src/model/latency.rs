//! How long messages took from ack to receipt: percentiles from a histogram, never averages.

use super::time::{DAY, SECOND};
use hdrhistogram::Histogram;

/// Latencies of one consumer, in bounded memory.
///
/// Values are kept in microseconds with two significant digits or better (error below 1 %); the maximum and the
/// largest skew are exact. Receipts before their ack say something of the clocks, not of the latency, and are kept out
/// of the percentiles.
#[derive(Clone, Debug, Default)]
pub struct Latency {
    histogram: Option<Histogram<u64>>,
    max: i64,
    skew_max: i64,
}

/// The percentiles, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
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

impl Latency {
    /// Counts a message consumed `micros` after its ack (negative: before it).
    pub fn record(&mut self, micros: i64) {
        let Ok(value) = u64::try_from(micros) else {
            self.skew_max = self.skew_max.max(micros.saturating_neg());
            return;
        };
        self.max = self.max.max(micros);
        if self.histogram.is_none() {
            // Two significant digits from a microsecond to three years: about 50 KiB; what is slower counts as that.
            self.histogram = Histogram::new_with_max(1_000 * DAY.unsigned_abs(), 2).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            histogram.saturating_record(value);
        }
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
