//! Requests to services: one at a time, each with an end in time and size; never redirected, for a redirect would carry
//! a secret elsewhere. A URL's path and query are secrets; errors name its host.

mod answer;
mod failure;
mod target;

pub(super) use answer::{Answer, Answered};
pub(super) use target::Target;

use super::hide::Hidden;
use super::{Delivered, NotDelivered};
use crate::clock;
use crate::model::Micros;
use std::io::Read as _;
use std::time::{Duration, Instant};
use ureq::http::{self, Method};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// So often is one message sent within one call.
const ATTEMPTS: u32 = 3;
/// A connection that is not made after so long is tried again.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// No more of an answer is read.
const ANSWER_MAX: u64 = 64 * 1024;
/// A service that asks for more patience than this is told by the next run.
const PATIENCE: Duration = Duration::from_secs(30);
/// The first pause between two attempts; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// What is sent, to a [`Target`]. It has no `Debug`: signatures and tokens are in it.
pub(super) struct Post {
    /// The method.
    pub method: Method,
    /// Added to the URL's own query; encoded here.
    pub query: Vec<(&'static str, String)>,
    /// Besides those that every request has.
    pub headers: Vec<(&'static str, String)>,
    /// Of the body.
    pub content_type: &'static str,
    /// May be empty.
    pub body: Vec<u8>,
}

impl Post {
    /// JSON, sent by POST.
    pub fn json(body: Vec<u8>) -> Self {
        let content_type = "application/json; charset=utf-8";
        Self { method: Method::POST, query: Vec::new(), headers: Vec::new(), content_type, body }
    }
}

/// How one message is sent.
pub(super) struct Call<'a> {
    /// Named in errors: `channel ops`.
    pub what: &'a str,
    /// After so many microseconds one request is given up.
    pub timeout: i64,
    /// After so many microseconds nothing is tried again.
    pub budget: i64,
    /// The instant of the first attempt.
    pub now: Micros,
    /// What an answer may repeat, and an error may not.
    pub hidden: &'a Hidden,
}

impl Call<'_> {
    /// Sends what `make` makes for the instant of each attempt, until the service has it, refuses it, or has failed
    /// [`ATTEMPTS`] times; `judge` reads the answer.
    ///
    /// # Errors
    /// What was wrong last, without a secret.
    pub async fn send<M, J>(&self, target: &Target, make: M, judge: J) -> Delivered
    where
        M: Fn(Micros) -> Result<Post, NotDelivered>,
        J: Fn(&Answer) -> Answered,
    {
        let begun = Instant::now();
        for attempt in 1.. {
            let post = make(self.now.plus(micros(begun.elapsed())))?;
            let answered = match self.once(target, post, self.left(begun)).await {
                Ok(answer) => judge(&answer),
                Err(error) => failure::of(&error, self.timeout),
            };
            let (why, wait) = match answered {
                Answered::Taken => return Ok(()),
                Answered::Refused(why) => {
                    return Err(NotDelivered::for_good(self.words(target, &why, attempt)));
                }
                Answered::Later(why) => return Err(NotDelivered::for_now(self.words(target, &why, attempt))),
                Answered::Busy(why, after) => (why, after.unwrap_or_else(|| pause(attempt, clock::random()))),
            };
            if attempt >= ATTEMPTS || wait > PATIENCE || wait >= self.left(begun) {
                return Err(NotDelivered::for_now(self.words(target, &why, attempt)));
            }
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// What is left of the budget.
    fn left(&self, begun: Instant) -> Duration {
        duration(self.budget).saturating_sub(begun.elapsed())
    }

    async fn once(&self, target: &Target, post: Post, left: Duration) -> Result<Answer, ureq::Error> {
        let agent = agent(target, duration(self.timeout).min(left));
        let request = target.request(&post)?;
        let now = self.now;
        let sent = tokio::task::spawn_blocking(move || Ok(read(agent.run(request)?, now))).await;
        sent.unwrap_or(Err(ureq::Error::ConnectionFailed))
    }

    fn words(&self, target: &Target, why: &str, attempts: u32) -> String {
        let tried = if attempts > 1 { format!(" ({attempts} attempts)") } else { String::new() };
        // The host may be part of what is hidden, and is wanted here.
        format!("{}: {} {}{tried}", self.what, target.host(), self.hidden.hide(why))
    }
}

fn agent(target: &Target, timeout: Duration) -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let proxy = if target.is_loopback() { None } else { Proxy::try_from_env() };
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(timeout))
        .timeout_resolve(Some(timeout.min(CONNECT_MAX)))
        .timeout_connect(Some(timeout.min(CONNECT_MAX)))
        .max_idle_connections(0)
        .user_agent(concat!("msgrecon/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .proxy(proxy);
    config.build().into()
}

fn read(response: http::Response<ureq::Body>, now: Micros) -> Answer {
    let (parts, body) = response.into_parts();
    let retry_after = parts.headers.get(http::header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| answer::patience(value.to_str().ok()?, now));
    let mut bytes = Vec::new();
    let whole = body.into_reader().take(ANSWER_MAX).read_to_end(&mut bytes).is_ok();
    Answer { status: parts.status.as_u16(), retry_after, body: whole.then_some(bytes) }
}

/// Half of it to all of it, so that many jobs that fail together do not come back together.
fn pause(attempt: u32, random: u64) -> Duration {
    let full = PAUSE * 2_u32.saturating_pow(attempt - 1);
    let part = u32::try_from(random % 1_000).unwrap_or_default();
    full / 2 + full / 2 * part / 1_000
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(micros.max(0).unsigned_abs())
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ() {
        for (attempt, full) in [(1, 500), (2, 1_000), (3, 2_000)] {
            assert_eq!(pause(attempt, 0), Duration::from_millis(full / 2));
            let longest = pause(attempt, 999);
            assert!(longest < Duration::from_millis(full) && longest > Duration::from_millis(full * 9 / 10));
        }
    }
}
