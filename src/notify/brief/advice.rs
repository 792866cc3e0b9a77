//! What to do about a metric over its bound.

use crate::language::Language;
use crate::model::Kind;

/// A kind's remedy, or that of another metric.
pub(super) fn remedy(metric: &str, language: Language) -> Option<String> {
    let english = Kind::from_name(metric).map(|kind| kind.info().remedy).or_else(|| other(metric))?;
    Some(language.text(english).to_owned())
}

fn other(metric: &str) -> Option<&'static str> {
    Some(match metric {
        "oldest_pending" | "backlog" => {
            "Look at the relay: events wait for it longer, or in greater number, than they should."
        }
        "latency_p50" | "latency_p95" | "latency_p99" | "latency_max" => {
            "Look at the consumer's lag and at how long it works on a message."
        }
        "clock_skew" => "Compare the clocks of the producer's and the consumer's databases.",
        "duplicate_records" => "Put a unique key on (consumer, message id) of the dedup table.",
        "unknown_state" => "Add the state to the rules of the event table in the configuration.",
        "incomplete" => "Mend what the problems name, then run the range again.",
        "overdue" => "Look whether the job is started on time and comes to its end.",
        "acked" | "acked_drop" => "Look whether the producer works: fewer messages than usual were sent.",
        _ => return None,
    })
}
