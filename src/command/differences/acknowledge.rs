//! `msgrecon differences acknowledge`: somebody knows of these.

use super::filter;
use crate::cli::{AcknowledgeArgs, Global};
use crate::clock;
use crate::command::keeper::{hold, read};
use crate::command::{Usage, block_on, load_config, print};
use crate::config::Config;
use crate::ledger::{Entry, Filter, Ledger};
use crate::listing::side;
use crate::model::{Id, Micros};
use crate::report::text::{exact, local, plural};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead as _};

/// So many ids that are not there are named.
const NAMED_MAX: usize = 20;
/// Ids longer than this are cut where a person reads them.
const TEXT_MAX: usize = 60;

pub(super) fn acknowledge(global: &Global, args: &AcknowledgeArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let until = until(args, config.time_zone, clock::now())?;
    let known = until.zip(args.reason.as_deref());
    let ids = ids(&args.ids)?;
    let filter = filter(&args.which);
    let entries = block_on(read(&config, async |ledger| note(ledger, &config, &filter, &ids, known).await))??;
    print(told(&entries, until, config.time_zone).as_bytes())
}

/// The instant until which somebody knows; `None` takes that back.
fn until(args: &AcknowledgeArgs, zone: Tz, now: Micros) -> anyhow::Result<Option<Micros>> {
    let Some(edge) = args.until else { return Ok(None) };
    let until = edge.instant(zone);
    if until <= now {
        let message = format!(
            "--until {} is over: an acknowledgement ends at an instant to come; --clear takes one back",
            local(until, zone)
        );
        return Err(Usage(message).into());
    }
    if args.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Usage("--reason says nothing: who knows, and what is being done?".to_owned()).into());
    }
    Ok(Some(until))
}

fn ids(words: &[String]) -> anyhow::Result<Vec<Id>> {
    let mut ids = BTreeSet::new();
    for word in words {
        if word != "-" {
            ids.insert(Id::from_shown(word));
            continue;
        }
        for line in io::stdin().lock().lines() {
            let line = line.map_err(|error| Usage(format!("ids cannot be read from stdin: {error}")))?;
            ids.extend((!line.is_empty()).then(|| Id::from_shown(&line)));
        }
    }
    if ids.is_empty() {
        return Err(Usage("no id was given".to_owned()).into());
    }
    Ok(ids.into_iter().collect())
}

async fn note(
    ledger: &mut Ledger,
    config: &Config,
    filter: &Filter,
    ids: &[Id],
    known: Option<(Micros, &str)>,
) -> anyhow::Result<Vec<Entry>> {
    let flows: BTreeSet<_> = found(ledger, filter, ids).await?.into_iter().map(|entry| entry.flow).collect();
    let flows: Vec<_> = flows.into_iter().collect();
    hold(config, ledger, &flows, async |ledger, lease| {
        // A run may have ended since: what it left counts.
        let filter = filter.clone();
        let mut entries = found(ledger, &filter, ids).await?;
        entries.retain(|entry| flows.contains(&entry.flow));
        ledger.acknowledge(lease, &entries, known).await?;
        Ok(entries)
    })
    .await
}

/// The open differences with these ids; an error that names those that are none.
async fn found(ledger: &mut Ledger, filter: &Filter, ids: &[Id]) -> anyhow::Result<Vec<Entry>> {
    let entries = ledger.open_with(filter, ids).await?;
    let found: BTreeSet<_> = entries.iter().map(|entry| &entry.id).collect();
    let lacking: Vec<_> = ids.iter().filter(|id| !found.contains(id)).collect();
    if lacking.is_empty() {
        return Ok(entries);
    }
    let named: Vec<_> = lacking.iter().take(NAMED_MAX).map(|id| exact(&id.to_string(), TEXT_MAX)).collect();
    let more = if lacking.len() > NAMED_MAX { ", …" } else { "" };
    let message = format!(
        "nothing was acknowledged: {} of {} fit no open difference: {}{more}; `msgrecon differences list --state all --id ID` says what became of one",
        lacking.len(),
        plural(ids.len() as u64, "id"),
        named.join(", ")
    );
    Err(Usage(message).into())
}

fn told(entries: &[Entry], until: Option<Micros>, zone: Tz) -> String {
    let count = plural(entries.len() as u64, "difference");
    let mut text = match until {
        Some(until) => format!("acknowledged until {}: {count}\n", local(until, zone)),
        None => format!("no longer acknowledged: {count}\n"),
    };
    for entry in entries {
        let id = exact(&entry.id.to_string(), TEXT_MAX);
        let side = side(&entry.flow, entry.consumer.as_deref());
        let _ = writeln!(text, "  {:<15}{id} · {side}", entry.kind.name());
    }
    text
}
