//! Heartbeats: a service is told that the job runs and has run, and notices when it is told nothing. They say nothing
//! of whether the data agree: a run that found differences is a run.

use super::hide::Hidden;
use super::http::{Answer, Call, Post, Target};
use super::{Delivered, signature};
use crate::clock;
use crate::config::notify::{Heartbeat, HeartbeatKind};
use crate::model::time::SECOND;
use secrecy::ExposeSecret as _;
use ureq::http::Method;

/// healthchecks' own limit, unless its operator raises it.
const WORDS_MAX: usize = 10_000;
/// A service that is down delays a run by no more than this, whatever the time-out.
const DELAY_MAX: i64 = 10 * SECOND;

/// What a service is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// The job begins.
    Start,
    /// The job has ended.
    End {
        /// See `exit`: 0 and 1 are runs that judged everything, whatever they found.
        exit_code: u8,
    },
}

impl Pulse {
    /// Whether it tells of a job that ran: differences do not make it a failed one.
    fn is_good(self) -> bool {
        matches!(self, Self::Start | Self::End { exit_code: 0 | 1 })
    }
}

/// Tells the service; `words` go with it where the service keeps them: counts, and nothing that is somebody's business.
/// Start and end of one run hang together by `run_id`.
///
/// # Errors
/// What kept the service from being told: for the log, never a reason to stop.
pub async fn beat(heartbeat: &Heartbeat, pulse: Pulse, run_id: &str, words: &str) -> Delivered {
    let what = "heartbeat";
    let url = heartbeat.url.read(what)?;
    let mut hidden = Hidden::default();
    hidden.add_url(url.expose_secret());
    let target = Target::of(what, &url, heartbeat.allow_http)?;
    let budget = heartbeat.timeout.min(DELAY_MAX);
    let call = Call { what, timeout: heartbeat.timeout, budget, now: clock::now(), hidden: &hidden };
    let target = match heartbeat.kind {
        HeartbeatKind::Healthchecks => target.below(suffix(pulse).as_deref()),
        HeartbeatKind::Sentry => target,
    };
    call.send(&target, |_| Ok(post(heartbeat, pulse, run_id, words)), Answer::by_status).await
}

/// healthchecks: `/start`, nothing for success, `/<exit code>` for a failure.
fn suffix(pulse: Pulse) -> Option<String> {
    match pulse {
        Pulse::Start => Some("start".to_owned()),
        Pulse::End { .. } if pulse.is_good() => None,
        Pulse::End { exit_code } => Some(exit_code.to_string()),
    }
}

fn post(heartbeat: &Heartbeat, pulse: Pulse, run_id: &str, words: &str) -> Post {
    let content_type = "text/plain; charset=utf-8";
    let id = uuid(run_id);
    match heartbeat.kind {
        HeartbeatKind::Healthchecks => {
            let body = words.as_bytes()[..words.floor_char_boundary(WORDS_MAX)].to_vec();
            Post { method: Method::POST, query: vec![("rid", id)], headers: Vec::new(), content_type, body }
        }
        HeartbeatKind::Sentry => {
            let mut query = vec![("status", status(pulse).to_owned()), ("check_in_id", id)];
            query.extend(heartbeat.environment.clone().map(|name| ("environment", name)));
            Post { method: Method::GET, query, headers: Vec::new(), content_type, body: Vec::new() }
        }
    }
}

fn status(pulse: Pulse) -> &'static str {
    match pulse {
        Pulse::Start => "in_progress",
        Pulse::End { .. } if pulse.is_good() => "ok",
        Pulse::End { .. } => "error",
    }
}

/// A UUID that only this run has: both services take nothing else. It looks like one of version 4, which all accept.
fn uuid(run_id: &str) -> String {
    let hex = signature::fingerprint(&["run", run_id]);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_found_differences_is_a_run() {
        let code = |exit_code| suffix(Pulse::End { exit_code });
        assert_eq!((code(0), code(1)), (None, None));
        assert_eq!((code(3).as_deref(), code(75).as_deref()), (Some("3"), Some("75")));
        assert_eq!(status(Pulse::End { exit_code: 1 }), "ok");
        assert_eq!((status(Pulse::Start), status(Pulse::End { exit_code: 3 })), ("in_progress", "error"));
    }

    #[test]
    fn a_run_has_one_uuid() {
        let id = uuid("20260101T000000Z-00000001");
        assert_eq!(id, uuid("20260101T000000Z-00000001"));
        assert_ne!(id, uuid("20260101T000000Z-00000002"));
        let parts: Vec<_> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert!(id.chars().all(|c| c == '-' || c.is_ascii_hexdigit()) && id[14..].starts_with('4'));
    }
}
