//! How many statements of a flow read slices at the same time, on each of its databases.
//!
//! Each database has its own places, so that one that is faster goes on with later slices while another is still at an
//! earlier one. More statements at a time make none of them faster where a server is near: they take its cores, its cache
//! and the client's from each other, and each further session has to be opened first.

use crate::source::Database;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// One is on its way while another runs ...
const ALONE: usize = 2;
/// ... unless other flows are read at the same time, whose statements run meanwhile; ...
const AMONG_FLOWS: usize = 1;
/// ... and so many where answers are long on their way.
const FAR: usize = 4;

/// The places of one flow.
pub(super) struct Readers(BTreeMap<String, Arc<Semaphore>>);

impl Readers {
    /// For these databases, with `flows` read side by side; `slow` says that their answers are long on their way.
    pub(super) fn new<'d>(databases: impl Iterator<Item = &'d Database>, flows: usize, slow: bool) -> Self {
        let of = |database: &Database| {
            let places = places(flows, slow || database.is_far());
            (database.name().to_owned(), Arc::new(Semaphore::new(places)))
        };
        Self(databases.map(of).collect())
    }

    /// The places of one of them.
    pub(super) fn of(&self, database: &Database) -> Arc<Semaphore> {
        let known = self.0.get(database.name()).map(Arc::clone);
        known.unwrap_or_else(|| Arc::new(Semaphore::new(AMONG_FLOWS)))
    }
}

fn places(flows: usize, far: bool) -> usize {
    match flows {
        _ if far => FAR,
        0 | 1 => ALONE,
        _ => AMONG_FLOWS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_wait_for_each_other_where_servers_are_near() {
        assert_eq!([1, 2, 50].map(|flows| places(flows, false)), [2, 1, 1]);
        assert_eq!([1, 2, 50].map(|flows| places(flows, true)), [4; 3]);
    }
}
