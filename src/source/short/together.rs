//! The short form of several tables of one database, by one statement: with dozens of shards, statements cost more than the
//! rows that each of them gives.

use super::{Group, Misfit, Put, ShortForm};
use crate::model::Span;
use crate::source::relation::Relation;
use crate::source::sql::Statement;
use crate::source::{ErrorKind, Slicing, SourceError};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A table whose rows can be put together with those of others.
pub trait Shard {
    /// What the catalogue says of it.
    fn relation(&self) -> &Relation;
    /// How it comes, where it does in the short form.
    fn form(&self) -> Option<&ShortForm>;
    /// How it is cut.
    fn slicing(&self) -> Slicing;
    /// The statement that puts all its rows of a span together.
    fn together(&self, form: &ShortForm, span: Span) -> Result<Statement, SourceError>;
}

/// Whether one statement can read two tables.
pub fn join<T: Shard>(one: &T, other: &T) -> bool {
    let forms = one.form().zip(other.form());
    forms.is_some_and(|(own, theirs)| own.joins(theirs))
        && one.relation().db.name() == other.relation().db.name()
        && one.slicing() == other.slicing()
        && !one.slicing().whole
}

/// Reads tables that join each other by one statement. `None` if each has to be asked by itself, and why that is so then
/// comes to light.
pub async fn ask<T: Shard>(tables: &[Arc<T>], slice: Span) -> Result<Option<Vec<Group>>, SourceError> {
    let Some(forms) = tables.iter().map(|table| table.form()).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let statements = tables.iter().zip(&forms).map(|(table, form)| table.together(form, slice));
    let statements = statements.collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(statement)) = (tables.first(), Statement::union(&statements)) else {
        return Ok(None);
    };
    let last = tables.last().unwrap_or(first);
    let names = format!("{} to {}", first.relation().name, last.relation().name);
    let apart = || forms.iter().for_each(|form| form.apart.store(true, Ordering::Relaxed));
    match forms[0].groups(&first.relation().db, &names, &statement, Put::All).await {
        Ok(Ok(groups)) => Ok(Some(groups)),
        // The one that holds rows that do not fit will know it once it is asked by itself.
        Ok(Err(Misfit::Mixed)) if !forms[0].all_fit => Ok(None),
        Ok(Err(_)) => {
            apart();
            Ok(None)
        }
        Err(error) if error.kind == ErrorKind::Unreachable => Err(error),
        Err(error) => {
            tracing::debug!("each table by itself: {error}");
            apart();
            Ok(None)
        }
    }
}

impl ShortForm {
    /// Whether one statement can put together the rows of this table and of another with that form.
    fn joins(&self, other: &Self) -> bool {
        let alone = |form: &Self| {
            !form.all_fit && form.mixed.load(Ordering::Relaxed) || form.apart.load(Ordering::Relaxed)
        };
        !alone(self) && !alone(other) && self.is_like(other)
    }

    /// Whether what the server puts together under another form comes apart under this one.
    fn is_like(&self, other: &Self) -> bool {
        self.ids == other.ids && self.times.is_like(&other.times) && self.fits == other.fits
    }
}
