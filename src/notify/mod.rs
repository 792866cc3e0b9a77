//! What goes out: mail, channels, heartbeats, metrics, hooks.
//!
//! Whether and whom to tell is decided before (`alert`), and kept in the ledger before anything is sent. Here a
//! [`crate::model::Digest`] and its run become bytes (pure), and bytes go out (edge).
//!
//! ```text
//! brief      &Run + &Digest → what every message says: numbers, lines, words    pure
//! secret     reads secrets when they are needed; hides them in every error      edge
//! mail       text, HTML, attachment, message; then SMTP or a folder             pure, then edge
//! channel    the bodies of each service                                         pure
//! signature  of webhooks and robots                                             pure
//! http       requests to services, with time-outs, retries and no redirects     edge
//! heartbeat  says that the job ran                                              edge
//! pushgateway  takes the metrics                                                edge
//! hook       programs around a run, and the channel `command`                   edge
//! hide       takes secrets out of what services and programs say                pure
//! ```

pub mod brief;
pub mod channel;
pub mod heartbeat;
mod hide;
pub mod hook;
mod http;
pub mod mail;
pub mod pushgateway;
pub mod secret;
pub mod signature;

#[cfg(test)]
pub(crate) mod fixture;

use crate::model::Micros;
use std::fmt;

/// What became of one attempt to deliver.
pub type Delivered = Result<(), NotDelivered>;

/// Why a message was not delivered. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDelivered {
    /// What was wrong, and the next step.
    pub message: String,
    /// Whether it may work when tried again; a login that is refused does not.
    pub retry: bool,
}

impl NotDelivered {
    /// It may work later.
    #[must_use]
    pub fn for_now(message: impl Into<String>) -> Self {
        Self { message: message.into(), retry: true }
    }

    /// Somebody has to mend something first.
    #[must_use]
    pub fn for_good(message: impl Into<String>) -> Self {
        Self { message: message.into(), retry: false }
    }
}

impl fmt::Display for NotDelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a message may say besides the run and the digest.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The real time of sending, for headers and signatures.
    pub now: Option<Micros>,
    /// The folder of the full report, if one was written.
    pub folder: Option<String>,
    /// The configuration file, for commands to copy.
    pub config: Option<String>,
    /// Runbooks by flow.
    pub runbooks: Vec<(String, String)>,
}
