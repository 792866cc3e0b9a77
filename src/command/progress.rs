//! Progress on a terminal; nothing anywhere else.

use crate::reconcile::Step;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// The bar's full length: per mille of the range.
const FULL: u64 = 1_000;

/// A bar on stderr, if that is a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(quiet: bool) -> Self {
        // indicatif draws nothing where stderr is no terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(FULL), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{bar:30}] {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    pub(super) fn show(&self, step: Step<'_>) {
        match step {
            Step::Reading { flow, share, rows } => {
                self.0.set_message(format!("{flow}: {rows} rows read"));
                self.0.set_position(per_mille(share));
            }
            Step::Confirming { flow, done, of, per_second } => {
                self.0
                    .set_message(format!("{flow}: {done} of {of} suspects looked up, {per_second} a second"));
                self.0.set_position((done as u64 * FULL).checked_div(of as u64).unwrap_or(FULL));
            }
        }
    }

    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 1000")]
fn per_mille(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1_000.0) as u64
}
