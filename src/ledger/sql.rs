//! The ledger's SQL: `queries/ledger/`, one question a file; where the servers differ, a file for each.
//!
//! Placeholders are question marks. `/*:list*/` takes as many as there are values, `/*:rows*/` as many rows of them, and
//! `/*:where*/` conditions that are written in this folder.

macro_rules! queries {
    ($($name:ident = $file:literal,)*) => {
        $(#[doc = concat!("`queries/ledger/", $file, ".sql`")] pub const $name: &str = include_str!(concat!("../../queries/ledger/", $file, ".sql"));)*
    };
}

queries! {
    ALERTS = "alerts",
    ALERTS_ALL = "alerts_all",
    ALERTS_DROP = "alerts_drop",
    ALERT_ADD = "alert_add",
    DELIVERIES_LAST = "deliveries_last",
    DELIVERIES_PRUNE = "deliveries_prune",
    DELIVERIES_SUPERSEDE = "deliveries_supersede",
    DELIVERIES_TARGETS = "deliveries_targets",
    DELIVERIES_UNDELIVERED = "deliveries_undelivered",
    DELIVERIES_WAITING = "deliveries_waiting",
    DELIVERY = "delivery",
    DELIVERY_ADD = "delivery_add",
    DELIVERY_TRIED = "delivery_tried",
    FLOW = "flow",
    FLOW_ADD = "flow_add",
    FLOW_SET = "flow_set",
    FLOWS = "flows",
    LEASE = "lease",
    LEASES = "leases",
    LEASE_ADD = "lease_add",
    LEASE_TAKE = "lease_take",
    LEASE_BEAT = "lease_beat",
    LEASE_FREE = "lease_free",
    RUN_ADD = "run_add",
    RUN_FLOW_ADD = "run_flow_add",
    RUN_FINISH = "run_finish",
    RUN_FLOW_FINISH = "run_flow_finish",
    RUN_KILLED = "run_killed",
    RUN_LAST = "run_last",
    RUN_AT = "run_at",
    RUNS = "runs",
    RUNS_FIRST = "runs_first",
    RUNS_SUCCESS = "runs_success",
    RUNS_OF_FLOW = "runs_of_flow",
    RUN_NEWEST = "run_newest",
    RUN_FLOWS = "run_flows",
    RUNS_LIKE = "runs_like",
    RUNS_OLD = "runs_old",
    RUNS_DROP = "runs_drop",
    RUN_FLOWS_DROP = "run_flows_drop",
    DOCUMENTS_DROP = "documents_drop",
    DOCUMENT_ADD = "document_add",
    DOCUMENT = "document",
    SLICE_ADD = "slice_add",
    SLICES = "slices",
    SLICE_DROP = "slice_drop",
    SLICES_DROP = "slices_drop",
    WINDOWS_ADD = "windows_add",
    WINDOWS_DROP = "windows_drop",
    WINDOWS = "windows",
    WINDOWS_STALE = "windows_stale",
    WINDOWS_LAST = "windows_last",
    WINDOWS_COUNTS = "windows_counts",
    WINDOWS_SET_STALE = "windows_set_stale",
    WINDOWS_FINISH = "windows_finish",
    WINDOWS_PRUNE = "windows_prune",
    DIFFERENCES_KNOWN = "differences_known",
    DIFFERENCES_ADD = "differences_add",
    DIFFERENCES_DROP = "differences_drop",
    DIFFERENCES_SEEN = "differences_seen",
    DIFFERENCES_UNCHECKED = "differences_unchecked",
    DIFFERENCES_UNSEEN = "differences_unseen",
    DIFFERENCES_WINDOWS = "differences_windows",
    DIFFERENCES_SHOWN = "differences_shown",
    DIFFERENCES_COUNTED = "differences_counted",
    DIFFERENCES_ACKNOWLEDGED = "differences_acknowledged",
    DIFFERENCES_HEALED = "differences_healed",
    DIFFERENCES_HEALED_COUNT = "differences_healed_count",
    DIFFERENCES_AGES = "differences_ages",
    DIFFERENCES_KINDS = "differences_kinds",
    DIFFERENCES_LISTED = "differences_listed",
    DIFFERENCES_ACKNOWLEDGE = "differences_acknowledge",
    DIFFERENCES_SIDES = "differences_sides",
    DIFFERENCES_PRUNE = "differences_prune",
    MIGRATION_FORGET = "migration_forget",
    THERE_SQLITE = "there.sqlite",
    THERE_POSTGRES = "there.postgres",
    THERE_MYSQL = "there.mysql",
    COPY_READ = "copy_read",
    COPY_WRITE = "copy_write",
    CLOCK_SQLITE = "clock.sqlite",
    CLOCK_POSTGRES = "clock.postgres",
    CLOCK_MYSQL = "clock.mysql",
    HOLD_POSTGRES = "hold.postgres",
    HOLD_MYSQL = "hold.mysql",
    HOLD_MIGRATION_MYSQL = "hold_migration.mysql",
    LET_GO_POSTGRES = "let_go.postgres",
    LET_GO_MYSQL = "let_go.mysql",
}

/// So many values at a time go into a list; well below what any server takes.
pub const LIST_MAX: usize = 500;

/// A statement with a list of `count` values.
pub fn listed(sql: &str, count: usize) -> String {
    sql.replace("/*:list*/", &vec!["?"; count].join(", "))
}

/// A statement with `count` rows of `columns` values.
pub fn rows(sql: &str, count: usize, columns: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(", "));
    sql.replace("/*:rows*/", &vec![row; count].join(",\n    "))
}

/// A statement with conditions that all hold.
pub fn filtered(sql: &str, conditions: &[&str]) -> String {
    sql.replace("/*:where*/", &conditions.join(" AND "))
}
