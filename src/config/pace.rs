//! How gently sources are read, and how somebody holds a run up.

use crate::model::time::{HOUR, MINUTE, SECOND};
use std::path::PathBuf;

/// How gently a database is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pace {
    /// No more rows a second than this in the long run, over all connections; `None`: as fast as they come.
    pub max_rows_per_second: Option<u32>,
    /// A slice should take about so long, in microseconds. Default 0.5 s.
    pub slice_time: i64,
    /// A table with more rows than this is not read from end to end. Default 1,000,000.
    pub full_scan_rows: u64,
    /// Its tables may be read from end to end, however large they are.
    pub allow_full_scan: bool,
    /// When no statement starts.
    pub guard: Option<Guard>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            max_rows_per_second: None,
            slice_time: SECOND / 2,
            full_scan_rows: 1_000_000,
            allow_full_scan: false,
            guard: None,
        }
    }
}

/// No statement starts while a database has more to do than this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// So many statements of others may run there.
    pub max_running: Option<u64>,
    /// A query for how many run; `None`: the server's own count.
    pub running: Option<String>,
    /// So far may a replica be behind, in microseconds.
    pub max_lag: Option<i64>,
    /// A query for how many seconds it is behind; `None`: what the server says.
    pub lag: Option<String>,
    /// While waiting it is looked at so often, in microseconds. Default 1 s.
    pub every: i64,
    /// A run waits for so long in all, in microseconds; then the database is too busy to be read. Default 10 min.
    pub wait: i64,
}

impl Guard {
    /// How often it is looked at while waiting.
    pub const EVERY: i64 = SECOND;
    /// How long a run waits in all.
    pub const WAIT: i64 = 10 * MINUTE;
}

/// How somebody holds a run up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// While this file is there, no statement starts on any source.
    pub file: Option<PathBuf>,
    /// A run waits for so long in all, in microseconds; then its sources count as not readable. Default 1 h.
    pub longest: i64,
}

impl Default for Pause {
    fn default() -> Self {
        Self { file: None, longest: HOUR }
    }
}
