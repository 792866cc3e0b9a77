//! Exit codes: the interface to cron and Kubernetes. New ones may be added, none changes its meaning.

use crate::model::Verdict;

/// Balanced, or below every fail threshold.
pub const OK: u8 = 0;
/// Differences at or above a fail threshold. A retry does not help.
pub const DIFFERENCES: u8 = 1;
/// Usage or configuration. A retry does not help.
pub const USAGE: u8 = 2;
/// A source could not be read, or no verdict was possible. A retry may help.
pub const INCOMPLETE: u8 = 3;
/// Judged, but not recorded or not delivered. A retry may help.
pub const NOT_DELIVERED: u8 = 4;
/// Another run holds the lease. A retry helps later.
pub const BUSY: u8 = 75;

/// Ended by SIGINT, as a shell says it.
pub const INTERRUPTED: u8 = 130;
/// Ended by SIGTERM, as a shell says it.
pub const TERMINATED: u8 = 143;

/// The exit code of a run. A fail verdict outranks everything: what was found must be looked at, whatever else went
/// wrong; then a configuration that no retry mends, then incompleteness.
#[must_use]
pub fn of_run(verdict: Verdict, complete: bool, misconfigured: bool) -> u8 {
    match (verdict, misconfigured, complete) {
        (Verdict::Fail, _, _) => DIFFERENCES,
        (Verdict::Pass | Verdict::Warn, true, _) => USAGE,
        (Verdict::Pass | Verdict::Warn, false, false) => INCOMPLETE,
        (Verdict::Pass | Verdict::Warn, false, true) => OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_is_never_success_and_differences_outrank_it() {
        assert_eq!(of_run(Verdict::Pass, true, false), OK);
        assert_eq!(of_run(Verdict::Warn, true, false), OK);
        assert_eq!(of_run(Verdict::Pass, false, false), INCOMPLETE);
        assert_eq!(of_run(Verdict::Warn, false, false), INCOMPLETE);
        assert_eq!(of_run(Verdict::Pass, false, true), USAGE);
        assert_eq!(of_run(Verdict::Fail, false, true), DIFFERENCES);
    }
}
