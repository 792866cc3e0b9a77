//! `msgrecon report`: a report again, as its run printed it.

use super::keeper::read;
use super::run::show;
use super::{Usage, block_on, load_config, page_options};
use crate::cli::{Global, ReportArgs};
use crate::exit;
use crate::ledger::Ledger;
use crate::model::Run;
use crate::report::text::visible;

/// So many runs are named where an id means several.
const NAMED_MAX: usize = 5;
const SEE: &str = "`msgrecon history` lists the runs";

pub(super) fn report(global: &Global, args: &ReportArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let run = block_on(read(&config, async |ledger| find(ledger, args.run.as_deref()).await))??;
    let options = page_options(args.csv_raw, args.language, &config);
    show(&run, args.format, args.output.as_deref(), options)?;
    Ok(exit::OK)
}

async fn find(ledger: &mut Ledger, asked: Option<&str>) -> anyhow::Result<Run> {
    let Some(asked) = asked else {
        let none = || Usage(format!("no run has finished yet, so that there is no report; {SEE}"));
        return Ok(ledger.report(None).await?.ok_or_else(none)?);
    };
    let id = the_only(asked, ledger.runs_like(asked, NAMED_MAX).await?)?;
    let none = || Usage(format!("run {id} has no report: it did not finish, or has not yet; {SEE}"));
    Ok(ledger.report(Some(&id)).await?.ok_or_else(none)?)
}

/// The run of exactly this id, or the only one that begins so.
fn the_only(asked: &str, found: Vec<(String, String)>) -> Result<String, Usage> {
    if found.iter().any(|(run, _)| run == asked) {
        return Ok(asked.to_owned());
    }
    let names: Vec<_> = found.into_iter().map(|(run, _)| run).collect();
    match names.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Usage(format!("no run is called `{}`; {SEE}", visible(asked)))),
        many => {
            Err(Usage(format!("several runs begin with `{}`: {}; {SEE}", visible(asked), many.join(", "))))
        }
    }
}
