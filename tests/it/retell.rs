//! A story's rows as facts: what the readers make of the tables that hold it.

use crate::pipeline::{Pipeline, UNCONFIGURED};
use chrono_tz::Tz;
use msgrecon::model::event::Stamp;
use msgrecon::model::{DeadLetter, Event, Id, Micros, Receipt, State};
use msgrecon::plan::FlowRules;
use msgrecon::story::{EventLine, Story};

/// The story under these rules. `only_paid` says which consumers expect only events of the sort `paid`.
pub fn retell(story: &Story, rules: &FlowRules, only_paid: &[bool]) -> Pipeline {
    let place = |name: &str| {
        let found = rules.consumers.iter().position(|consumer| consumer.name == name);
        found.unwrap_or(UNCONFIGURED)
    };
    let receipts = story.receipts.iter().map(|row| {
        let id = row.original.as_ref().filter(|id| !id.is_empty()).or(row.id.as_ref());
        let consumed = stamp(row.consumed);
        (place(&row.consumer), Receipt { id: id.map(|id| Id::from_text(id)), consumed })
    });
    let dead_letters = story.dead_letters.iter().map(|row| {
        let dead = DeadLetter {
            id: Some(Id::from_text(&row.id)),
            dead: Stamp::At(row.dead),
            closed: row.closed.is_some(),
            reason: Some(row.reason.clone()),
        };
        (place(&row.consumer), dead)
    });
    Pipeline {
        rules: rules.clone(),
        zone: Tz::UTC,
        window: 0,
        only_paid: only_paid.to_vec(),
        events: story.events.iter().map(|row| event(row, only_paid)).collect(),
        receipts: receipts.collect(),
        dead_letters: dead_letters.collect(),
    }
}

fn event(row: &EventLine, only_paid: &[bool]) -> Event {
    let paid = row.sort == "paid";
    let expects = |place: &usize| paid || *place < 63 && !only_paid.get(*place).copied().unwrap_or(false);
    Event {
        id: row.id.as_ref().map(|id| Id::from_text(id)),
        state: match row.state.as_str() {
            "acked" => State::Acked,
            "pending" => State::Pending,
            "failed" => State::Failed,
            _ => State::Unknown,
        },
        created: stamp(row.created),
        acked: stamp(row.acked),
        expected_by: (0..64).filter(expects).fold(0, |bits, place| bits | 1 << place),
        in_flow: row.sort != "foreign",
        attempts: None,
    }
}

fn stamp(at: Option<Micros>) -> Stamp {
    at.map_or(Stamp::None, Stamp::At)
}
