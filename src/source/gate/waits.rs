//! For how long somebody was held up: pure.

use std::time::Duration;

/// The time in which at least one was held up, however many were at once. Instants are what a stopwatch says.
#[derive(Debug, Default)]
pub struct Waits {
    waiting: usize,
    since: Duration,
    total: Duration,
}

impl Waits {
    /// Somebody begins to wait.
    pub fn begin(&mut self, now: Duration) {
        if self.waiting == 0 {
            self.since = now;
        }
        self.waiting += 1;
    }

    /// Somebody goes on.
    pub fn end(&mut self, now: Duration) {
        self.total = self.total(now);
        self.since = now;
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// The time in all.
    pub fn total(&self, now: Duration) -> Duration {
        let current = if self.waiting > 0 { now.saturating_sub(self.since) } else { Duration::ZERO };
        self.total + current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_several_wait_counts_once() {
        let at = Duration::from_secs;
        let mut waits = Waits::default();
        waits.begin(at(1));
        waits.begin(at(2));
        assert_eq!(waits.total(at(3)), at(2));
        waits.end(at(4));
        waits.end(at(6));
        assert_eq!(waits.total(at(9)), at(5));
        waits.begin(at(10));
        assert_eq!(waits.total(at(11)), at(6));
    }
}
