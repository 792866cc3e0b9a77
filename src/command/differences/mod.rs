//! `msgrecon differences`: listed, made a repair list of, acknowledged.

mod acknowledge;
mod export;
mod list;

use crate::cli::{DifferencesCommand, Global, Which};
use crate::ledger::Filter;

pub(super) fn differences(global: &Global, command: &DifferencesCommand) -> anyhow::Result<u8> {
    match command {
        DifferencesCommand::List(args) => list::list(global, args),
        DifferencesCommand::Export(args) => export::export(global, args),
        DifferencesCommand::Acknowledge(args) => acknowledge::acknowledge(global, args),
    }
}

/// What is asked for, as the ledger understands it: the producer alone is an empty name there.
fn filter(which: &Which) -> Filter {
    let consumer = which.consumer.as_deref().map(|name| if name == "-" { "" } else { name });
    Filter {
        flow: which.flow.clone(),
        consumer: consumer.map(ToOwned::to_owned),
        kind: which.kind,
        ..Filter::default()
    }
}
