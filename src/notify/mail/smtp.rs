//! To a mail server. Every recipient has an answer of its own: one that is refused does not cost the others their mail,
//! and those who have it do not get it twice.

mod answer;
mod session;

use super::compose::Composed;
use crate::config::notify::{Smtp, SmtpTls};
use crate::notify::{Delivered, NotDelivered};
use answer::{Answers, Next, Wrong};
use lettre::Address;
use session::Session;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// So often a message is tried.
const ATTEMPTS: u32 = 3;
/// The whole takes at most so many time-outs.
const WHOLE: u32 = 4;
/// The longest wait before a second attempt; the third waits three times as long.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// A mail server and how long it has.
#[derive(Clone, Copy)]
pub(super) struct Server<'a> {
    /// As configured.
    pub smtp: &'a Smtp,
    /// For each step.
    pub step: Duration,
    /// For everything.
    pub until: Instant,
}

impl Server<'_> {
    /// What errors name: mode, host and port.
    pub(super) fn name(&self) -> String {
        let mode = match self.smtp.tls {
            SmtpTls::StartTls => "smtp://, STARTTLS",
            SmtpTls::Implicit => "smtps://, TLS from the first byte",
            SmtpTls::None => "smtp://, no TLS",
        };
        format!("mail server {}:{} ({mode})", self.smtp.host, self.smtp.port)
    }
}

/// Sends to everybody, the message without attachment where the other is longer than `size_max` or than the server says.
pub(super) async fn send(smtp: &Smtp, composed: &Composed, size_max: u64) -> Delivered {
    let step = Duration::from_micros(u64::try_from(smtp.timeout).unwrap_or(0).max(1));
    let server = Server { smtp, step, until: Instant::now() + step * WHOLE };
    let mut sending = Sending {
        server,
        composed,
        limit: size_max,
        left: composed.addresses.receivers(),
        answers: Answers::default(),
    };
    let mut wrong = None;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            let wait = (step / 10).min(WAIT_MAX) * (2 * attempt - 1);
            sleep_until((Instant::now() + wait).min(server.until)).await;
        }
        wrong = sending.attempt().await.err();
        let again = wrong.as_ref().is_none_or(|wrong: &Wrong| wrong.next == Next::Again);
        if sending.left.is_empty() || !again || Instant::now() >= server.until {
            break;
        }
    }
    sending.outcome(wrong)
}

struct Sending<'a> {
    server: Server<'a>,
    composed: &'a Composed,
    limit: u64,
    /// Who has neither got it nor been refused for good.
    left: Vec<Address>,
    answers: Answers,
}

impl Sending<'_> {
    /// One session with the server: everything to everybody who is left.
    async fn attempt(&mut self) -> Result<(), Wrong> {
        let mut session = Session::open(self.server).await?;
        self.limit = self.limit.min(session.size_max());
        let mut result = self.tell(&mut session).await;
        if result.as_ref().is_err_and(|wrong| wrong.too_large) && self.shrink() {
            result = match session.reset().await {
                Ok(()) => self.tell(&mut session).await,
                Err(wrong) => Err(wrong),
            };
        }
        session.close().await;
        result
    }

    /// From now on without the attachment; `false` where it was not there.
    fn shrink(&mut self) -> bool {
        let shrunk = self.composed.within(self.limit).len() > self.composed.slim.len();
        self.limit = 0;
        shrunk
    }

    async fn tell(&mut self, session: &mut Session<'_>) -> Result<(), Wrong> {
        let message = self.composed.within(self.limit);
        session.begin(self.composed.addresses.sender(), &self.left, message).await?;
        let mut accepted = Vec::new();
        for address in self.left.clone() {
            match session.recipient(&address).await {
                Ok(()) => accepted.push(address),
                Err(wrong) if wrong.broken => return Err(wrong),
                Err(wrong) => self.refused(&address, &wrong),
            }
        }
        if accepted.is_empty() {
            return Ok(());
        }
        session.content(message).await?;
        self.answers.got_it += accepted.len();
        self.left.retain(|address| !accepted.contains(address));
        Ok(())
    }

    /// Kept for later where the server lets it wait.
    fn refused(&mut self, address: &Address, wrong: &Wrong) {
        self.answers.refused(address, wrong);
        if wrong.next != Next::Again {
            self.left.retain(|one| one != address);
        }
    }

    fn outcome(self, wrong: Option<Wrong>) -> Delivered {
        let name = self.server.name();
        match (wrong, self.answers.told(&self.left)) {
            (None, None) => Ok(()),
            (Some(wrong), _) if self.answers.got_it == 0 => Err(wrong.told(&name)),
            (wrong, told) => {
                let rest =
                    wrong.map(|wrong| wrong.message).into_iter().chain(told).collect::<Vec<_>>().join("; ");
                let got_it = self.answers.got_it;
                // What some have is not sent again: they would get it twice.
                let message = format!("{name}: {got_it} got the mail, others did not: {rest}");
                let nobody = format!("{name}: nobody got the mail: {rest}");
                Err(match (got_it, self.left.is_empty()) {
                    (0, false) => NotDelivered::for_now(nobody),
                    (0, true) => NotDelivered::for_good(nobody),
                    _ => NotDelivered::for_good(message),
                })
            }
        }
    }
}
