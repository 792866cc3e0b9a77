//! The message, with its attachment and without, so that a server that finds it too large is sent the other one.

use super::Recipients;
use super::attachment::{Attachment, attachment};
use super::message::{Addresses, Parts, addresses, message};
use super::page::Extra;
use super::render::bodies;
use crate::config::notify::Mail;
use crate::model::{Digest, Run};
use crate::notify::brief::{Brief, brief, part};
use crate::notify::{NotDelivered, Surroundings};
use crate::report::text::grouped;

/// A message that is ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composed {
    /// From whom, and to whom.
    pub addresses: Addresses,
    /// With the attachment; `None` where there is none.
    pub full: Option<Vec<u8>>,
    /// Without it.
    pub slim: Vec<u8>,
}

impl Composed {
    /// The message of at most `limit` bytes, as they are sent; the one without attachment where both are longer.
    pub(super) fn within(&self, limit: u64) -> &[u8] {
        match &self.full {
            Some(full) if sent_len(full) <= limit => full,
            _ => &self.slim,
        }
    }
}

/// A message's length as it is sent: the line end before the closing dot is part of it.
pub(super) fn sent_len(message: &[u8]) -> u64 {
    message.len() as u64 + 2
}

pub(super) fn compose(
    mail: &Mail,
    to: &Recipients,
    run: &Run,
    digest: &Digest,
    around: &Surroundings,
) -> Result<Composed, NotDelivered> {
    let brief = brief(run, digest, around, mail.language);
    let run = &*part(run, digest);
    let addresses = addresses(mail, to)?;
    let file = if mail.attach { attachment(run)? } else { None };
    let made = |file: Option<&Attachment>, note: Option<String>| {
        let extra = Extra { attachment: note, note: None };
        let bodies = bodies(&brief, run, &extra, mail.top, mail.templates.as_deref())?;
        message(&Parts { mail, addresses: &addresses, brief: &brief, run, digest, around, bodies, file })
    };
    let full = match &file {
        Some(one) => Some(made(file.as_ref(), Some(attached(one, run, &brief)))?),
        None => None,
    };
    let left_out = file.as_ref().map(|one| left_out(one, &brief));
    Ok(Composed { slim: made(None, left_out)?, full, addresses })
}

fn attached(file: &Attachment, run: &Run, brief: &Brief) -> String {
    let (rows, total) = (count(file.rows), grouped(run.differences_total.cast_signed()));
    brief.language.fill("{0} is attached: {1} of {2} differences.", &[file.name, &rows, &total])
}

fn left_out(file: &Attachment, brief: &Brief) -> String {
    brief.language.fill(
        "{0} is not attached, since the mail would be too large: it lists {1} differences.",
        &["differences.csv", &count(file.rows)],
    )
}

fn count(rows: usize) -> String {
    grouped(i64::try_from(rows).unwrap_or(i64::MAX))
}
