//! `msgrecon differences list`: page by page out of the ledger, row by row to stdout.

use super::filter;
use crate::cli::{Global, ListArgs, ListedState};
use crate::clock;
use crate::command::keeper::read;
use crate::command::{block_on, load_config, options, still_read};
use crate::config::Config;
use crate::exit;
use crate::ledger::{Entry, Filter, Ledger, State};
use crate::listing::differences::{Listing, View};
use crate::model::{Id, Micros};
use crate::plan::choose;
use std::io::{self, BufWriter, Write};

/// So many differences are read at a time.
const PAGE: usize = 1_000;

pub(super) fn list(global: &Global, args: &ListArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let as_of = args.as_of.unwrap_or_else(clock::now);
    let view = View { as_of, zone: config.time_zone, options: options(args.csv_raw) };
    let filter = asked(args, as_of);
    block_on(read(&config, async |ledger| {
        let first = ledger.list(&filter, None, PAGE.min(args.limit + 1)).await?;
        if first.is_empty() {
            check_flow(ledger, &config, args).await?;
        }
        let out = BufWriter::new(io::stdout());
        let mut listing = match Listing::begin(out, args.format, view) {
            Ok(listing) => listing,
            Err(error) => return still_read(Err(error)).map(drop),
        };
        match pages(ledger, &filter, first, args.limit, &mut listing).await? {
            Some(more) => still_read(listing.end(more)).map(drop),
            None => Ok(()),
        }
    }))??;
    Ok(exit::OK)
}

fn asked(args: &ListArgs, as_of: Micros) -> Filter {
    let (state, acknowledged) = match args.state {
        ListedState::Open => (None, Some((false, as_of))),
        ListedState::Acknowledged => (None, Some((true, as_of))),
        ListedState::Resolved => (Some(State::Resolved), None),
        ListedState::Expired => (Some(State::Expired), None),
        ListedState::All => (None, None),
    };
    Filter {
        state,
        acknowledged,
        first_seen_before: args.older_than.map(|age| as_of.plus(-age)),
        id: args.id.as_deref().map(Id::from_shown),
        ..filter(&args.which)
    }
}

/// Nothing of a flow that nobody knows is a mistake, not an answer.
async fn check_flow(ledger: &mut Ledger, config: &Config, args: &ListArgs) -> anyhow::Result<()> {
    let Some(flow) = &args.which.flow else { return Ok(()) };
    if !ledger.holders().await?.iter().any(|(known, _)| known == flow) {
        choose(config, std::slice::from_ref(flow))?;
    }
    Ok(())
}

/// Writes up to `limit` differences; whether there are more. `None`: nobody reads any more.
async fn pages<W: Write>(
    ledger: &mut Ledger,
    filter: &Filter,
    first: Vec<Entry>,
    limit: usize,
    listing: &mut Listing<W>,
) -> anyhow::Result<Option<bool>> {
    let (mut page, mut left) = (first, limit);
    loop {
        for entry in page.iter().take(left) {
            if !still_read(listing.entry(entry))? {
                return Ok(None);
            }
        }
        if page.len() > left {
            return Ok(Some(true));
        }
        left -= page.len();
        let Some(last) = page.pop() else { return Ok(Some(false)) };
        page = ledger.list(filter, Some(&last), PAGE.min(left + 1)).await?;
    }
}
