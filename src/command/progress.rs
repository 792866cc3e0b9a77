//! Progress on a terminal, a bar for each flow that is at work; nothing anywhere else.

use crate::reconcile::Step;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A bar's full length: per mille of the range.
const FULL: u64 = 1_000;

/// Bars on stderr, if that is a terminal.
pub(super) struct Progress {
    all: MultiProgress,
    flows: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Progress {
    pub(super) fn new(quiet: bool) -> Self {
        // indicatif draws nothing where stderr is no terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self { all: MultiProgress::with_draw_target(target), flows: Mutex::default() }
    }

    pub(super) fn show(&self, step: Step<'_>) {
        match step {
            Step::Reading { flow, share, rows } => {
                self.set(flow, format!("{flow}: {rows} rows read"), per_mille(share));
            }
            Step::Confirming { flow, done, of, per_second } => {
                let position = (done as u64 * FULL).checked_div(of as u64).unwrap_or(FULL);
                let text = format!("{flow}: {done} of {of} suspects looked up, {per_second} a second");
                self.set(flow, text, position);
            }
            Step::Done { flow } => {
                let bar = self.flows.lock().unwrap_or_else(PoisonError::into_inner).remove(flow);
                bar.inspect(ProgressBar::finish_and_clear);
            }
        }
    }

    fn set(&self, flow: &str, message: String, position: u64) {
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = flows.entry(flow.to_owned()).or_insert_with(|| self.bar());
        bar.set_message(message);
        bar.set_position(position);
    }

    fn bar(&self) -> ProgressBar {
        let bar = self.all.add(ProgressBar::new(FULL));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{bar:30}] {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    pub(super) fn clear(&self) {
        let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *flows).into_values().for_each(|bar| bar.finish_and_clear());
        // A terminal that cannot be cleared is no reason to fail.
        let _ = self.all.clear();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 1000")]
fn per_mille(share: f64) -> u64 {
    (share.clamp(0.0, 1.0) * 1_000.0) as u64
}
