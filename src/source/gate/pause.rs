//! The pause file: while it lies there, no statement starts on any source of a run.

use crate::clock::Stopwatch;
use crate::config;
use crate::source::error::{ErrorKind, Failure};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// So often it is looked for while waiting.
const EVERY: Duration = Duration::from_millis(500);

/// One run's pause, shared by all its databases. Cheap to clone.
#[derive(Clone, Default)]
pub struct Pause(Option<Arc<Inner>>);

struct Inner {
    file: PathBuf,
    longest: Duration,
    /// For how long it was waited in all. Whoever waits holds the others up.
    waited: Mutex<Duration>,
}

impl Pause {
    /// As configured.
    #[must_use]
    pub fn new(config: &config::Pause) -> Self {
        let inner = |file: &PathBuf| Inner {
            file: file.clone(),
            longest: super::micros(config.longest),
            waited: Mutex::default(),
        };
        Self(config.file.as_ref().map(inner).map(Arc::new))
    }

    /// Whether the file lies there.
    pub(super) fn is_on(&self) -> Result<bool, Failure> {
        self.0.as_ref().map_or(Ok(false), |inner| is_there(&inner.file))
    }

    /// Waits until the file is gone, or the patience is at its end.
    pub(in crate::source) async fn wait(&self) -> Result<(), Failure> {
        let Some(inner) = &self.0 else { return Ok(()) };
        let mut waited = inner.waited.lock().await;
        if !is_there(&inner.file)? {
            return Ok(());
        }
        let (stopwatch, before) = (Stopwatch::start(), *waited);
        let file = inner.file.display();
        if before < inner.longest {
            tracing::info!("paused: {file} is there");
        }
        while is_there(&inner.file)? {
            *waited = before + stopwatch.elapsed();
            let left = inner.longest.saturating_sub(*waited);
            if left.is_zero() {
                return Err(Failure { kind: ErrorKind::Busy, message: over(&inner.file, inner.longest) });
            }
            tokio::time::sleep(EVERY.min(left)).await;
        }
        tracing::info!(seconds = stopwatch.elapsed().as_secs(), "goes on: {file} is gone");
        Ok(())
    }
}

fn over(file: &Path, longest: Duration) -> String {
    format!(
        "paused for {} in all (`pause_max`), and {} is still there; remove it",
        humantime::format_duration(longest),
        file.display()
    )
}

fn is_there(file: &Path) -> Result<bool, Failure> {
    match std::fs::symlink_metadata(file) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(Failure::configuration(format!(
            "whether to pause cannot be told: {}: {error}; make its folder readable",
            file.display()
        ))),
    }
}
