//! `msgrecon plan`: what a run would do.

mod due;

use super::{block_on, load_config, print};
use crate::cli::{Global, PlanArgs};
use crate::clock;
use crate::config::{Config, Flow, Threshold};
use crate::exit;
use crate::judge::{default_threshold, show_bound};
use crate::model::Kind;
use crate::model::time::human;
use crate::model::window::label;
use crate::plan::{FlowPlan, Plan, plan as make};
use crate::reconcile::statements;
use std::collections::BTreeMap;
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
    for consumer in &flow.consumers {
        let kept = consumer.retention.map_or("for ever".to_owned(), |kept| format!("for {}", human(kept)));
        let _ = writeln!(
            text,
            "consumer {}: {} in {}, kept {kept}, strategy stream",
            consumer.name,
            tables(&consumer.tables),
            place(config, &consumer.database)
        );
        if let Some(dead) = &consumer.dead_letters {
            let _ =
                writeln!(text, "         dead letters: {} in {}", dead.table, place(config, &dead.database));
        }
    }
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

/// The bounds that hold, set or by default.
fn thresholds(flow: &Flow) -> String {
    let defaults = Kind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind.name().to_owned(), default_threshold(kind.name())?)));
    let mut effective: BTreeMap<String, Threshold> = defaults.collect();
    effective.extend(flow.thresholds.clone());
    effective.into_iter().fold(String::new(), |mut text, (metric, threshold)| {
        let bound = |name: &str, bound| bound_text(name, bound);
        let volume = if threshold.min_volume > 0 {
            format!(", from {} acked on", threshold.min_volume)
        } else {
            String::new()
        };
        let bounds: Vec<_> =
            [bound("warn", threshold.warn), bound("fail", threshold.fail)].into_iter().flatten().collect();
        let _ = writeln!(text, "bound    {metric}: {}{volume}", bounds.join(", "));
        text
    })
}

fn bound_text(name: &str, bound: Option<crate::config::Bound>) -> Option<String> {
    bound.map(|bound| format!("{name} at {}", show_bound(bound)))
}
