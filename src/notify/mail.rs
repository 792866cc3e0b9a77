//! Mail: text, HTML and attachment of a digest, the message, and its way out.
//!
//! ```text
//! page        &Brief + &Run → what the templates are told, within a budget     pure
//! bars        counts and days → widths of table cells                          pure
//! render      templates, the user's or our own                                 pure, reads templates
//! attachment  differences.csv, plain or gzip                                   pure
//! message     headers and parts → one message                                  pure
//! compose     the message that fits the server's limit                         pure, reads templates
//! smtp        to a mail server: each recipient has an answer of its own        edge
//! folder      to an .eml file                                                  edge
//! ```

mod attachment;
mod bars;
mod compose;
mod folder;
mod message;
mod page;
mod render;
mod smtp;

#[cfg(test)]
mod tests;

use super::{Delivered, Surroundings};
use crate::config::notify::{Mail, Transport};
use crate::model::{Digest, Run};

/// Who gets a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipients {
    /// Mailboxes, as the configuration has them.
    pub to: Vec<String>,
    /// The same, for copies.
    pub cc: Vec<String>,
}

/// Sends one mail. Where the server lets it wait, it is tried up to three times, within four times the configured time-out.
///
/// # Errors
/// Where it was not delivered, or not to everybody: the message names each recipient that was refused, and no secret.
/// What some have and others cannot get is not worth another attempt: [`NotDelivered::retry`](super::NotDelivered::retry)
/// is false.
pub async fn send(
    mail: &Mail,
    to: &Recipients,
    run: &Run,
    digest: &Digest,
    around: &Surroundings,
) -> Delivered {
    let composed = compose::compose(mail, to, run, digest, around)?;
    match &mail.transport {
        Transport::Smtp(server) => smtp::send(server, &composed, mail.size_max).await,
        Transport::Folder(folder) => folder::write(folder, digest, composed.within(mail.size_max)),
    }
}
