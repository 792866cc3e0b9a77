//! What a person should know of a table before trusting or timing a run.

use super::id_column::IdColumn;
use super::relation::Relation;
use super::time_column::TimeColumn;

/// The warnings about a table's ids and times; `fixed` are columns whose value every statement names.
pub fn of(
    relation: &Relation,
    ids: &[&IdColumn],
    times: &[&Option<TimeColumn>],
    fixed: &[&str],
) -> Vec<String> {
    let mut notes = Vec::new();
    for id in ids {
        let Some(column) = id.column() else { continue };
        if id.loses_zeros() && !relation.is_row_number(column) {
            notes.push(format!(
                "{}: column {column} has numeric affinity: SQLite turns text such as 007 or 1e3 into numbers when it is \
                 stored, and such ids cannot be told from others",
                relation.name
            ));
        }
        if relation.ignores_case(column) {
            notes.push(format!(
                "{}: column {column} ignores case: a unique key on it swallows an id that differs from another in case alone",
                relation.name
            ));
        }
        if relation.has_indexes() && !relation.leads_behind(fixed, column) {
            notes.push(format!(
                "{}: no index leads with {column}: each look-up by id reads the table",
                relation.name
            ));
        }
    }
    let times = times.iter().filter_map(|time| time.as_ref()).filter_map(TimeColumn::column);
    for column in times.filter(|column| !relation.indexes_hold(column)) {
        notes.push(format!("{}: no index holds {column}: reading a span reads the table", relation.name));
    }
    notes
}
