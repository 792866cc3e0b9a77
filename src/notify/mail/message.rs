//! Headers and parts.

use super::Recipients;
use super::attachment::Attachment;
use super::render::Bodies;
use crate::config::notify::{Mail, Thread};
use crate::model::window::local_date;
use crate::model::{Digest, Micros, Run};
use crate::notify::brief::Brief;
use crate::notify::{NotDelivered, Surroundings};
use crate::report::text::{exact, visible};
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment as File, Body, Mailbox, Message, MessageBuilder, MultiPart, SinglePart};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

/// Flows named in a header for filters.
const FLOWS_MAX: usize = 50;
const NAME_MAX: usize = 120;

/// From whom, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    from: Mailbox,
    to: Vec<Mailbox>,
    cc: Vec<Mailbox>,
    reply_to: Option<Mailbox>,
}

impl Addresses {
    /// The sender's.
    pub(super) fn sender(&self) -> &Address {
        &self.from.email
    }

    /// Everybody who gets the mail, each once.
    pub(super) fn receivers(&self) -> Vec<Address> {
        let mut all: Vec<Address> = Vec::new();
        for mailbox in self.to.iter().chain(&self.cc) {
            if !all.contains(&mailbox.email) {
                all.push(mailbox.email.clone());
            }
        }
        all
    }
}

/// Reads the configured mailboxes.
pub(super) fn addresses(mail: &Mail, to: &Recipients) -> Result<Addresses, NotDelivered> {
    let many = |texts: &[String]| texts.iter().map(|text| mailbox(text)).collect::<Result<Vec<_>, _>>();
    let addresses = Addresses {
        from: mailbox(&mail.from)?,
        to: many(&to.to)?,
        cc: many(&to.cc)?,
        reply_to: mail.reply_to.as_deref().map(mailbox).transpose()?,
    };
    if addresses.receivers().is_empty() {
        return Err(NotDelivered::for_good("the mail has no recipient; set `to` in [mail]"));
    }
    Ok(addresses)
}

fn mailbox(text: &str) -> Result<Mailbox, NotDelivered> {
    text.parse().map_err(|error| {
        NotDelivered::for_good(format!(
            "{} is no mail address ({error}); mend it in [mail]",
            exact(text, NAME_MAX)
        ))
    })
}

/// What a message is made from.
pub(super) struct Parts<'a> {
    pub mail: &'a Mail,
    pub addresses: &'a Addresses,
    pub brief: &'a Brief,
    pub run: &'a Run,
    pub digest: &'a Digest,
    pub around: &'a Surroundings,
    pub bodies: Bodies,
    pub file: Option<&'a Attachment>,
}

/// The message as it is sent. The same digest gives the same bytes but for `Date`.
pub(super) fn message(parts: &Parts<'_>) -> Result<Vec<u8>, NotDelivered> {
    let built = envelope(parts.addresses).and_then(|envelope| {
        headers(parts).envelope(envelope).multipart(body(parts)).map_err(|error| error.to_string())
    });
    let fault = |wrong| NotDelivered::for_good(format!("the mail cannot be put together: {wrong}"));
    built.map(|message| message.formatted()).map_err(fault)
}

fn envelope(addresses: &Addresses) -> Result<Envelope, String> {
    Envelope::new(Some(addresses.sender().clone()), addresses.receivers()).map_err(|error| error.to_string())
}

fn headers(parts: &Parts<'_>) -> MessageBuilder {
    let (mail, addresses, digest) = (parts.mail, parts.addresses, parts.digest);
    let domain = domain(addresses.sender());
    let mut builder = Message::builder()
        .from(addresses.from.clone())
        .subject(parts.brief.subject.as_str())
        .date(time(parts.around.now.unwrap_or(digest.as_of)))
        .message_id(Some(format!("<{}@{domain}>", token(&digest.key))));
    builder = addresses.to.iter().cloned().fold(builder, MessageBuilder::to);
    builder = addresses.cc.iter().cloned().fold(builder, MessageBuilder::cc);
    builder = addresses.reply_to.iter().cloned().fold(builder, MessageBuilder::reply_to);
    if mail.thread == Thread::Daily {
        // The root is in no mailbox; readers hang everything that names it together.
        let root = format!("<msgrecon-{}@{domain}>", local_date(digest.as_of, parts.run.time_zone));
        builder = builder.in_reply_to(root.clone()).references(root);
    }
    filters(parts, &domain).into_iter().fold(builder, MessageBuilder::raw_header)
}

/// What keeps machines from answering, and lets people sort.
fn filters(parts: &Parts<'_>, domain: &str) -> Vec<HeaderValue> {
    let header = |name: &'static str, text: &str| {
        HeaderValue::new(HeaderName::new_from_ascii_str(name), text.to_owned())
    };
    let flows = parts.digest.flows.iter().take(FLOWS_MAX).map(|flow| exact(flow, NAME_MAX));
    vec![
        header("Auto-Submitted", "auto-generated"),
        header("List-Id", &format!("msgrecon <msgrecon.{domain}>")),
        header("Precedence", "bulk"),
        header("X-Auto-Response-Suppress", "All"),
        header("X-Msgrecon-Run", &visible(&parts.run.id)),
        header("X-Msgrecon-Status", parts.brief.status),
        header("X-Msgrecon-Flows", &flows.collect::<Vec<_>>().join(", ")),
    ]
}

/// Text and HTML, and what is attached.
fn body(parts: &Parts<'_>) -> MultiPart {
    let both = MultiPart::alternative()
        .boundary(boundary("alternative", parts))
        .singlepart(SinglePart::plain(parts.bodies.text.clone()))
        .singlepart(SinglePart::html(parts.bodies.html.clone()));
    match parts.file.and_then(|file| Some((file, ContentType::parse(file.mime).ok()?))) {
        Some((file, mime)) => MultiPart::mixed()
            .boundary(boundary("mixed", parts))
            .multipart(both)
            .singlepart(File::new(file.name.to_owned()).body(exact_body(file), mime)),
        None => both,
    }
}

/// Every byte arrives as it is, line ends too.
fn exact_body(file: &Attachment) -> Body {
    let base64 = ContentTransferEncoding::Base64;
    // Base64 takes whatever there is.
    Body::new_with_encoding(file.bytes.clone(), base64).unwrap_or_else(|_| Body::new(file.bytes.clone()))
}

/// Depends on all that the parts say, so that no part can hold it.
fn boundary(which: &str, parts: &Parts<'_>) -> String {
    let mut hash = Sha256::new();
    for text in [which, &parts.digest.key, &parts.bodies.text, &parts.bodies.html] {
        hash.update(text);
        hash.update([0]);
    }
    let digits = hash.finalize().iter().take(16).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    format!("msgrecon-{digits}")
}

/// The sender's domain, as headers take it.
fn domain(sender: &Address) -> String {
    let ascii = url::Host::parse(sender.domain()).map(|host| host.to_string());
    ascii.ok().filter(|host| host.is_ascii()).unwrap_or_else(|| "localhost".to_owned())
}

/// Keys are letters, digits and `-`; whatever else came is left out.
pub(super) fn token(key: &str) -> String {
    key.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

fn time(at: Micros) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(u64::try_from(at.0).unwrap_or(0))
}
