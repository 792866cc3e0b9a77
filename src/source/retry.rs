//! Patience with what is transient: at most three attempts, with a pause between.

use super::error::{ErrorKind, SourceError};
use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// Attempts after the first.
const MORE_ATTEMPTS: usize = 2;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The pauses of one call.
pub struct Patience(ExponentialBackoff);

impl Patience {
    pub fn new() -> Self {
        Self(
            ExponentialBuilder::default()
                .with_min_delay(FIRST_PAUSE)
                .with_max_times(MORE_ATTEMPTS)
                .with_jitter()
                .build(),
        )
    }

    /// Passes an outcome on; `None` after a pause, where another attempt may help.
    pub async fn with<T>(&mut self, outcome: Result<T, SourceError>) -> Result<Option<T>, SourceError> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind == ErrorKind::Transient => match self.0.next() {
                Some(pause) => {
                    tokio::time::sleep(pause).await;
                    Ok(None)
                }
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}
