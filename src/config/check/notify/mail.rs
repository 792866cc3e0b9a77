//! `[mail]`.

use super::{Named, one_or_more, path, route, smtp};
use crate::config::check::value;
use crate::config::notify::{Mail, Thread};
use crate::config::tree::{Item, Section};
use crate::language::Language;
use crate::model::time::DAY;

const KEYS: [&str; 21] = [
    "from",
    "to",
    "cc",
    "reply_to",
    "owners",
    "transport",
    "transport_file",
    "password",
    "password_file",
    "ca_file",
    "timeout",
    "when",
    "flows",
    "level",
    "language",
    "all_quiet",
    "size_max",
    "attach",
    "top",
    "thread",
    "templates",
];

/// A week without a mail, and one says that all is quiet.
const ALL_QUIET: i64 = 7 * DAY;
/// What most mail servers take.
const SIZE_MAX: u64 = 10 * 1024 * 1024;
const TOP: u64 = 20;
/// More lines than this make a mail that readers cut off.
const TOP_MAX: u64 = 100;

const THREADS: [(&str, Thread); 2] = [("off", Thread::Off), ("daily", Thread::Daily)];

pub(super) fn mail(item: &Item<'_>, named: &Named<'_>) -> Option<Mail> {
    let section = item.section(&KEYS)?;
    let from = section.need("from", mailbox);
    let to = section.need("to", mailboxes);
    let transport = smtp::transport(&section, named);
    Some(Mail {
        cc: section.get("cc", mailboxes).unwrap_or_default(),
        reply_to: section.get("reply_to", mailbox),
        owners: section.get("owners", |item| owners(item, named)).unwrap_or_default(),
        route: route(&section, named),
        language: section
            .get("language", |item| value::choice(item, "language", &Language::ALL))
            .unwrap_or_default(),
        all_quiet: all_quiet(&section),
        size_max: section.get("size_max", Item::count).unwrap_or(SIZE_MAX),
        attach: section.get("attach", Item::truth).unwrap_or(true),
        top: usize::try_from(section.get("top", Item::count).unwrap_or(TOP).min(TOP_MAX)).unwrap_or_default(),
        thread: section.get("thread", |item| value::choice(item, "value", &THREADS)).unwrap_or_default(),
        templates: section.get("templates", |item| path(item, named)),
        from: from?,
        to: to?,
        transport: transport?,
    })
}

/// `"7d"`, or `false` for never.
fn all_quiet(section: &Section<'_>) -> Option<i64> {
    let item = section.item("all_quiet");
    match item {
        None => Some(ALL_QUIET),
        Some(item) if item.is_text() => value::duration(&item),
        Some(item) => item.truth()?.then_some(ALL_QUIET),
    }
}

/// Addresses by owner.
fn owners(item: &Item<'_>, named: &Named<'_>) -> Option<Vec<(String, Vec<String>)>> {
    let section = item.open_section()?;
    section.only_names("owner", &named.owners);
    let entries = section.entries().into_iter();
    Some(entries.filter_map(|(owner, item)| Some((owner.to_owned(), mailboxes(&item)?))).collect())
}

fn mailboxes(item: &Item<'_>) -> Option<Vec<String>> {
    let texts = one_or_more(item)?;
    if texts.is_empty() {
        return item.problem("is empty; at least one address is needed");
    }
    let items = if item.is_text() { vec![item.clone()] } else { item.items()? };
    Some(items.iter().filter_map(mailbox).collect())
}

/// An address, with a name or without.
fn mailbox(item: &Item<'_>) -> Option<String> {
    let text = item.filled_text()?;
    match text.parse::<lettre::message::Mailbox>() {
        Ok(_) => Some(text),
        Err(error) => item.problem(format!(
            "{} is no mail address ({error}); write a@example.com, or \"A Name <a@example.com>\"",
            item.quoted()
        )),
    }
}
