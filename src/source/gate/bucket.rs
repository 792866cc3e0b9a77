//! The throttle: rows are paid for with time, at a rate. Pure.

use std::time::Duration;

/// Time that passed without rows is kept for no longer than this.
const CREDIT: Duration = Duration::from_secs(1);

/// Says how long to wait so that in the long run no more than so many rows a second come. All connections to a database
/// share one. Instants are what a stopwatch says.
#[derive(Debug)]
pub struct Bucket {
    rate: u32,
    /// When all rows that came are paid for.
    paid_at: Duration,
}

impl Bucket {
    /// For so many rows a second.
    pub fn new(rate: u32) -> Self {
        Self { rate: rate.max(1), paid_at: Duration::ZERO }
    }

    /// So many rows came.
    pub fn spend(&mut self, rows: u64, now: Duration) {
        let micros = (u128::from(rows) * 1_000_000).div_ceil(u128::from(self.rate));
        let price = Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX));
        self.paid_at = self.paid_at.max(now.saturating_sub(CREDIT)).saturating_add(price);
    }

    /// How long it takes until everything is paid for.
    pub fn wait(&self, now: Duration) -> Duration {
        self.paid_at.saturating_sub(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_take_their_time() {
        let mut bucket = Bucket::new(100);
        assert_eq!(bucket.wait(Duration::ZERO), Duration::ZERO);
        bucket.spend(250, Duration::ZERO);
        assert_eq!(bucket.wait(Duration::ZERO), Duration::from_millis(2_500));
        assert_eq!(bucket.wait(Duration::from_secs(2)), Duration::from_millis(500));
        assert_eq!(bucket.wait(Duration::from_secs(9)), Duration::ZERO);
        // A minute of quiet buys a second's rows and no more.
        bucket.spend(200, Duration::from_mins(1));
        assert_eq!(bucket.wait(Duration::from_mins(1)), Duration::from_secs(1));
    }

    proptest! {
        #[test]
        fn no_more_rows_come_than_the_rate_allows(
            rate in 1_u32..100_000,
            statements in proptest::collection::vec((0_u64..300_000, 0_u64..5_000), 1..60),
        ) {
            let (mut bucket, mut now, mut rows) = (Bucket::new(rate), Duration::ZERO, 0);
            for (gave, took) in statements {
                now += Duration::from_millis(took);
                bucket.spend(gave, now);
                rows += gave;
                now += bucket.wait(now);
                prop_assert!(u128::from(rows) * 1_000_000 <= u128::from(rate) * (now + CREDIT).as_micros());
            }
        }

        #[test]
        fn it_never_waits_longer_than_the_rows_are_worth(
            rate in 1_u32..100_000,
            rows in 0_u64..300_000,
            now in 0_u64..1_000_000,
        ) {
            let mut bucket = Bucket::new(rate);
            let now = Duration::from_millis(now);
            bucket.spend(rows, now);
            let worth = u128::from(rows) * 1_000_000 / u128::from(rate) + 1;
            prop_assert!(bucket.wait(now).as_micros() <= worth);
        }
    }
}
