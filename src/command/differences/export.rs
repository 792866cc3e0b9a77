//! `msgrecon differences export`: what to do with each open difference, looked up again at this moment.

use super::filter;
use crate::cli::{ExportArgs, Global};
use crate::clock;
use crate::command::keeper::read;
use crate::command::{NotWritten, block_on, load_config, options, still_read};
use crate::config::{Config, Flow};
use crate::exit;
use crate::ledger::{Entry, Filter, Ledger, State};
use crate::listing::repair::Repair;
use crate::model::Micros;
use crate::plan::{FlowPlan, choose};
use crate::reconcile::{Again, Now};
use crate::report::text::{plural, visible};
use crate::report::write::Growing;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// So many are looked up at a time.
const BATCH: usize = 1_000;

pub(super) fn export(global: &Global, args: &ExportArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let as_of = args.as_of.unwrap_or_else(clock::now);
    let left_out = block_on(read(&config, async |ledger| written(ledger, &config, args, as_of).await))??;
    left_out.tell();
    Ok(if left_out.unknown.is_empty() { exit::OK } else { exit::INCOMPLETE })
}

/// Writes the list to its end, unless nobody reads it any more.
async fn written(
    ledger: &mut Ledger,
    config: &Config,
    args: &ExportArgs,
    as_of: Micros,
) -> anyhow::Result<LeftOut> {
    let out = Out::begin(args.output.as_deref())?;
    let repair = match Repair::begin(out, args.format, as_of, options(args.csv_raw)) {
        Ok(repair) => repair,
        Err(error) => return still_read(Err(error)).map(|_| LeftOut::default()),
    };
    let mut work = Work { config, as_of, repair, left_out: LeftOut::default() };
    work.all(ledger, &asked(args, as_of)).await?;
    let Work { repair, left_out, .. } = work;
    if !left_out.unread {
        match repair.end() {
            Ok(out) => out.finish()?,
            Err(error) => still_read(Err(error)).map(drop)?,
        }
    }
    Ok(left_out)
}

fn asked(args: &ExportArgs, as_of: Micros) -> Filter {
    let acknowledged = (!args.include_acknowledged).then_some((false, as_of));
    Filter { state: Some(State::Open), acknowledged, ..filter(&args.which) }
}

/// Where the list goes.
enum Out {
    Stdout(BufWriter<io::Stdout>),
    File(Growing),
}

impl Out {
    fn begin(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(BufWriter::new(io::stdout()))) };
        let file = Growing::begin(path).map_err(|error| NotWritten(error.to_string()))?;
        Ok(Self::File(file))
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut out) => still_read(out.flush()).map(drop),
            Self::File(file) => file.finish().map_err(|error| NotWritten(error.to_string()).into()),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}

/// What is not on the list, and why.
#[derive(Default)]
struct LeftOut {
    healed: u64,
    /// By flow and reason.
    unknown: BTreeMap<(String, String), u64>,
    /// Whoever read the list went away.
    unread: bool,
}

impl LeftOut {
    fn unknown(&mut self, flow: &str, why: String, count: usize) {
        *self.unknown.entry((flow.to_owned(), why)).or_default() += count as u64;
    }

    /// On stderr, even when quiet where it is what nobody knows: a list that lacks something must not look whole.
    fn tell(&self) {
        if self.healed > 0 {
            let count = plural(self.healed, "difference");
            tracing::warn!("{count} left out: they differ no more; the next run records it");
        }
        for ((flow, why), count) in &self.unknown {
            let (flow, why) = (visible(flow), visible(why));
            let count = plural(*count, "difference");
            tracing::error!("flow `{flow}`: {count} left out, which could not be looked up: {why}");
        }
    }
}

struct Work<'c> {
    config: &'c Config,
    as_of: Micros,
    repair: Repair<Out>,
    left_out: LeftOut,
}

impl Work<'_> {
    async fn all(&mut self, ledger: &mut Ledger, filter: &Filter) -> anyhow::Result<()> {
        let mut flows: BTreeSet<_> = ledger.ages(self.as_of).await?.into_keys().collect();
        if let Some(flow) = &filter.flow {
            if !flows.contains(flow) {
                choose(self.config, std::slice::from_ref(flow))?;
            }
            flows.retain(|one| one == flow);
        }
        for name in flows {
            let filter = Filter { flow: Some(name.clone()), ..filter.clone() };
            let config = self.config;
            match config.flows.iter().find(|flow| flow.name == name) {
                Some(flow) => self.flow(ledger, flow, &filter).await?,
                None => {
                    self.pass_over(ledger, &filter, "the configuration does not have it any more").await?;
                }
            }
        }
        Ok(())
    }

    async fn flow(&mut self, ledger: &mut Ledger, flow: &Flow, filter: &Filter) -> anyhow::Result<()> {
        let first = ledger.list(filter, None, BATCH).await?;
        if first.is_empty() {
            return Ok(());
        }
        let plan = FlowPlan::unread(flow);
        match Again::open(&plan, self.as_of, self.config).await {
            Ok(again) => {
                let outcome = self.pages(ledger, filter, first, &again).await;
                again.close().await;
                outcome
            }
            Err(error) => self.pass_over(ledger, filter, &error.to_string()).await,
        }
    }

    async fn pages(
        &mut self,
        ledger: &mut Ledger,
        filter: &Filter,
        first: Vec<Entry>,
        again: &Again<'_>,
    ) -> anyhow::Result<()> {
        let mut page = first;
        while let Some(last) = page.last().cloned() {
            match again.check(&page).await {
                Ok(checked) => {
                    checked.into_iter().zip(&page).try_for_each(|(now, entry)| self.one(now, entry))?;
                }
                Err(error) => self.left_out.unknown(&last.flow, error.to_string(), page.len()),
            }
            if self.left_out.unread {
                break;
            }
            page = ledger.list(filter, Some(&last), BATCH).await?;
        }
        Ok(())
    }

    fn one(&mut self, now: Now, entry: &Entry) -> anyhow::Result<()> {
        match now {
            Now::Differs(difference) => {
                self.left_out.unread |= !still_read(self.repair.difference(&difference))?;
            }
            Now::Healed(_) => self.left_out.healed += 1,
            Now::Unknown(why) => self.left_out.unknown(&entry.flow, why, 1),
        }
        Ok(())
    }

    /// Counts what cannot be looked up at all.
    async fn pass_over(&mut self, ledger: &mut Ledger, filter: &Filter, why: &str) -> anyhow::Result<()> {
        let mut page = ledger.list(filter, None, BATCH).await?;
        while let Some(last) = page.last().cloned() {
            self.left_out.unknown(&last.flow, why.to_owned(), page.len());
            page = ledger.list(filter, Some(&last), BATCH).await?;
        }
        Ok(())
    }
}
