//! What the server makes of an event row's conditions: its state, and which consumers expect it. Pure.

use super::sql::Fragment;
use crate::config::StateRule;

/// The number that stands for a rule's state in a row.
pub fn code(rule: StateRule) -> i64 {
    match rule {
        StateRule::Acked => 3,
        StateRule::Pending => 2,
        StateRule::Failed => 1,
    }
}

/// The code of the first rule that fits.
pub fn state(rules: &[(StateRule, String)]) -> Fragment {
    if rules.is_empty() {
        return "NULL".into();
    }
    let branches = rules.iter().map(|(rule, condition)| {
        Fragment::text("WHEN ")
            .and(Fragment::condition(condition))
            .and_text(format!(" THEN {} ", code(*rule)))
    });
    Fragment::text("CASE ").and(Fragment::join(branches, "")).and_text("ELSE 0 END")
}

/// One bit for each consumer; a consumer without a condition must see every event.
pub fn bits(expects: &[Option<String>]) -> Fragment {
    let always =
        expects.iter().enumerate().filter(|(_, it)| it.is_none()).fold(0_u64, |set, (bit, _)| set | 1 << bit);
    let conditions = expects.iter().enumerate().filter_map(|(bit, it)| {
        let condition = Fragment::text(" + CASE WHEN ").and(Fragment::condition(it.as_ref()?));
        Some(condition.and_text(format!(" THEN {} ELSE 0 END", 1_u64 << bit)))
    });
    Fragment::text(always.to_string()).and(Fragment::join(conditions, ""))
}
