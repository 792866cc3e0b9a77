//! Whether a database has more to do than its guard allows: pure.

use super::load::{Lag, Load};
use crate::config::Guard;
use std::time::Duration;

/// What is exceeded, in words; `None` where a statement may start.
pub fn excess(guard: &Guard, load: &Load) -> Option<String> {
    running(guard, load).or_else(|| lag(guard, load))
}

fn running(guard: &Guard, load: &Load) -> Option<String> {
    let (max, running) = (guard.max_running?, load.running?);
    (running > max)
        .then(|| format!("{running} statements of others run there, and `guard.max_running` is {max}"))
}

fn lag(guard: &Guard, load: &Load) -> Option<String> {
    let max = super::micros(guard.max_lag?);
    let shown = humantime::format_duration(max);
    match load.lag {
        Lag::None => None,
        Lag::Behind(behind) if behind <= max => None,
        Lag::Behind(behind) => {
            Some(format!("the replica is {} s behind, and `guard.max_lag` is {shown}", behind.as_secs()))
        }
        Lag::Unknown => Some(format!(
            "how far the replica is behind cannot be told, since it does not replicate, and `guard.max_lag` is {shown}"
        )),
    }
}

/// Why nothing is read from it.
pub fn too_busy(excess: &str, longest: Duration) -> String {
    format!(
        "too busy to be read: {excess}; waited for {} in all (`guard.wait`)",
        humantime::format_duration(longest)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(max_running: Option<u64>, max_lag: Option<i64>) -> Guard {
        Guard { max_running, running: None, max_lag, lag: None, every: Guard::EVERY, wait: Guard::WAIT }
    }

    #[test]
    fn only_what_is_above_its_bound_holds_statements_up() {
        let second = 1_000_000;
        let behind = |seconds| Lag::Behind(Duration::from_secs(seconds));
        let cases = [
            (Some(25), None, Some(25), Lag::None, None),
            (
                Some(25),
                None,
                Some(26),
                Lag::None,
                Some("26 statements of others run there, and `guard.max_running` is 25"),
            ),
            (None, Some(30 * second), None, Lag::None, None),
            (None, Some(30 * second), None, behind(30), None),
            (None, Some(30 * second), None, behind(31), Some("31 s behind, and `guard.max_lag` is 30s")),
            (None, Some(30 * second), None, Lag::Unknown, Some("does not replicate")),
            (Some(5), Some(second), Some(1), behind(9), Some("9 s behind")),
        ];
        for (max_running, max_lag, running, lag, expected) in cases {
            let found = excess(&guard(max_running, max_lag), &Load { running, lag });
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or("")));
        }
    }

    #[test]
    fn who_waited_in_vain_is_told_what_for_and_how_long() {
        let message = too_busy("26 statements", Duration::from_mins(10));
        assert_eq!(message, "too busy to be read: 26 statements; waited for 10m in all (`guard.wait`)");
    }
}
