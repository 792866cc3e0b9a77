//! Look-ups by id: in batches that an index serves, or in one pass where none does. Pure.

use super::id_column::IdColumn;
use super::relation::Relation;
use super::sql::Fragment;
use crate::model::Id;
use std::collections::HashSet;

/// So many ids go into one statement ...
const BATCH: usize = 1_000;
/// ... or so many where an id may be written in many ways, each of which is a value of its own: SQLite takes 32,766
/// values, MySQL 65,535, in all columns together.
const BATCH_OF_SPELLINGS: usize = 250;

/// One statement's part of a look-up. Each id is in one search alone, so that no row comes twice, although a server
/// that ignores case finds more rows than were asked for.
pub struct Search {
    /// The ids whose rows count.
    pub wanted: HashSet<Id>,
    /// The condition that finds their rows.
    pub matches: Fragment,
}

/// The searches that find the ids in any of the columns.
pub fn searches(ids: &[Id], columns: &[&IdColumn], indexed: bool) -> Vec<Search> {
    let distinct: HashSet<&Id> = ids.iter().collect();
    let distinct: Vec<Id> = distinct.into_iter().cloned().collect();
    let possible = columns.iter().all(|column| column.can_look_up());
    if !distinct.is_empty() && (!possible || (!indexed && distinct.len() > BATCH)) {
        return vec![Search { wanted: distinct.into_iter().collect(), matches: "(1 = 1)".into() }];
    }
    let spelled = columns.iter().any(|column| column.has_spellings());
    distinct
        .chunks(if spelled { BATCH_OF_SPELLINGS } else { BATCH })
        .filter_map(|batch| search(batch, columns))
        .collect()
}

fn search(batch: &[Id], columns: &[&IdColumn]) -> Option<Search> {
    let conditions: Vec<Fragment> = columns.iter().filter_map(|column| column.matches(batch)).collect();
    if conditions.is_empty() {
        return None;
    }
    let matches = Fragment::text("(").and(Fragment::join(conditions, " OR ")).and_text(")");
    Some(Search { wanted: batch.iter().cloned().collect(), matches })
}

/// What a person is shown in the place of the ids.
pub fn shown(columns: &[&IdColumn]) -> Fragment {
    let conditions = columns
        .iter()
        .map(|column| Fragment::text(format!("{} IN (NULL /* up to {BATCH} ids */)", column.select())));
    Fragment::text("(").and(Fragment::join(conditions, " OR ")).and_text(")")
}

/// Whether an index leads with each of the columns, or has only `fixed` ones before it, and can be used.
pub fn indexed(relation: &Relation, columns: &[&IdColumn], fixed: &[&str]) -> bool {
    let leads = |id: &IdColumn| id.column().is_some_and(|column| relation.leads_behind(fixed, column));
    columns.iter().all(|id| id.index_serves() && leads(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::id_column::tests::column;
    use crate::{config::Dialect, config::IdEncoding, source::cell::Kind};

    fn ids(count: usize) -> Vec<Id> {
        (0..count).map(|number| Id::from_text(&format!("m{number}"))).collect()
    }

    #[test]
    fn ids_go_in_batches_and_each_in_one_alone() {
        let text = column(Dialect::Mysql, Kind::Text, IdEncoding::Text);
        let found = searches(&[ids(2_500), ids(10)].concat(), &[&text], true);
        assert_eq!(found.iter().map(|search| search.wanted.len()).collect::<Vec<_>>(), [1_000, 1_000, 500]);
        assert!(searches(&[], &[&text], false).is_empty());
    }

    #[test]
    fn without_an_index_one_pass_serves_them_all() {
        let text = column(Dialect::Mysql, Kind::Text, IdEncoding::Text);
        assert_eq!(searches(&ids(1_001), &[&text], false).len(), 1);
        assert_eq!(searches(&ids(1_001), &[&text], false)[0].matches, "(1 = 1)".into());
        let digits = column(Dialect::Mysql, Kind::Text, IdEncoding::Integer);
        assert_eq!(searches(&ids(3), &[&digits], true)[0].matches, "(1 = 1)".into());
    }

    #[test]
    fn ids_that_a_column_cannot_hold_are_not_looked_for() {
        let number = column(Dialect::Postgres, Kind::Integer(8, true), IdEncoding::Text);
        assert!(searches(&ids(3), &[&number], true).is_empty());
    }
}
