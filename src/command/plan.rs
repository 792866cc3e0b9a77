//! `msgrecon plan`: what a run would do.

mod due;

use super::{block_on, load_config, print};
use crate::cli::{Global, PlanArgs};
use crate::clock;
use crate::config::{Config, Flow, Threshold, threshold_metrics};
use crate::exit;
use crate::judge::{show_bound, threshold};
use crate::model::time::human;
use crate::model::window::label;
use crate::plan::{FlowPlan, Plan, plan as make, strategy};
use crate::reconcile::statements;
use std::fmt::Write as _;

pub(super) fn plan(global: &Global, args: &PlanArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let as_of = args.selection.as_of.unwrap_or_else(clock::now);
    let (plan, mut text) = match args.selection.request() {
        Some(request) => {
            let plan = make(&config, &request, &args.selection.flows, as_of)?;
            let flows: String = plan.flows.iter().map(|flow| flow_text(flow, &config)).collect();
            let text = head(&plan) + &flows;
            (plan, text)
        }
        None => due::plan(&config, args, as_of)?,
    };
    let mut code = exit::OK;
    if args.sql {
        for described in block_on(statements(&plan, &config))? {
            code = if described.failed { exit::INCOMPLETE } else { code };
            let _ = write!(text, "\n-- {}\n{}\n", described.title, described.text.trim_end());
        }
    }
    print(text.as_bytes())?;
    Ok(code)
}

fn head(plan: &Plan) -> String {
    let (from, until) = (label(plan.span.from, plan.time_zone), label(plan.span.until, plan.time_zone));
    format!(
        "as of    {}\nrange    {from}  until  {until}  ({}, {})\n         {}  until  {}\n",
        plan.as_of,
        plan.time_zone,
        human(plan.span.micros()),
        plan.span.from,
        plan.span.until
    )
}

fn flow_text(plan: &FlowPlan, config: &Config) -> String {
    let (flow, receipts) = (&plan.flow, plan.receipts);
    let windows =
        format!("\nflow     {}\nwindows  {} of {}\n", flow.name, plan.windows.len(), human(flow.window));
    let read = format!("receipts read from {} until {}\n", receipts.from, receipts.until);
    windows + &rules(flow, config) + &read + &thresholds(flow)
}

/// How a flow is judged, and where it is read.
fn rules(flow: &Flow, config: &Config) -> String {
    let late = flow.late_after.map_or("never".to_owned(), |after| format!("after {}", human(after)));
    let mut text = format!(
        "rules    grace {}, late {late}, stuck after {}\nevents   {} in {}\n",
        human(flow.grace),
        human(flow.stuck_after),
        tables(&flow.events.tables),
        place(config, &flow.events.database),
    );
    let known = strategy::known(flow, config, None);
    let choice = strategy::choose(config.wanted(flow), &known);
    // A run decides by what it measures; nothing is read here.
    let open = strategy::depends_on_link(config.wanted(flow), &known);
    let strategy = if open { config.wanted(flow).name() } else { choice.strategy.name() };
    for consumer in &flow.consumers {
        let kept = consumer.retention.map_or("for ever".to_owned(), |kept| format!("for {}", human(kept)));
        let _ = writeln!(
            text,
            "consumer {}: {} in {}, kept {kept}, strategy {}",
            consumer.name,
            tables(&consumer.tables),
            place(config, &consumer.database),
            strategy
        );
        if let Some(dead) = &consumer.dead_letters {
            let _ =
                writeln!(text, "         dead letters: {} in {}", dead.table, place(config, &dead.database));
        }
    }
    if open {
        text.push_str("         auto: where there is much to read the run measures the links to the databases, and streams unless one is slow\n");
    }
    choice.hint.iter().for_each(|hint| _ = writeln!(text, "         {hint}"));
    text
}

fn tables(tables: &[crate::config::Table]) -> String {
    match tables {
        [one] => one.to_string(),
        [first, .., last] => format!("{first} … {last} ({} tables)", tables.len()),
        [] => String::new(),
    }
}

fn place(config: &Config, database: &str) -> String {
    let dialect =
        config.databases.get(database).map(|database| format!("{:?}", database.dialect).to_lowercase());
    format!("{database} ({})", dialect.unwrap_or_default())
}

/// The bounds that hold, set or by default; a consumer's own behind them.
fn thresholds(flow: &Flow) -> String {
    let mut metrics = threshold_metrics();
    metrics.sort_unstable();
    let mut text = String::new();
    for metric in metrics {
        if let Some(threshold) = threshold(flow, None, metric) {
            let _ = writeln!(text, "bound    {metric}: {}", threshold_text(&threshold));
        }
    }
    for consumer in &flow.consumers {
        for (metric, threshold) in &consumer.thresholds {
            let _ = writeln!(text, "bound    {metric} at {}: {}", consumer.name, threshold_text(threshold));
        }
    }
    text
}

fn threshold_text(threshold: &Threshold) -> String {
    let bounds = [bound_text("warn", threshold.warn), bound_text("fail", threshold.fail)];
    let volume = (threshold.min_volume > 0).then(|| format!("from {} acked on", threshold.min_volume));
    let hold = (threshold.hold > 1).then(|| format!("alert after {} windows in a row", threshold.hold));
    let clear = threshold.clear.map(|clear| format!("well again below {}", show_bound(clear)));
    let parts = bounds.into_iter().chain([volume, hold, clear]);
    parts.flatten().collect::<Vec<_>>().join(", ")
}

fn bound_text(name: &str, bound: Option<crate::config::Bound>) -> Option<String> {
    bound.map(|bound| format!("{name} at {}", show_bound(bound)))
}
