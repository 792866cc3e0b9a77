//! The short form of several tables of one database, by one statement: with dozens of shards, statements cost more than the
//! rows that each of them gives.

use super::{Group, Misfit, Put, ShortForm};
use crate::source::database::Database;
use crate::source::sql::Statement;
use crate::source::{ErrorKind, SourceError};
use std::sync::atomic::Ordering;

impl ShortForm {
    /// Whether one statement can put together the rows of this table and of another with that form.
    pub fn joins(&self, other: &Self) -> bool {
        let alone = |form: &Self| {
            !form.all_fit && form.mixed.load(Ordering::Relaxed) || form.apart.load(Ordering::Relaxed)
        };
        !alone(self) && !alone(other) && self.is_like(other)
    }

    /// Whether what the server puts together under another form comes apart under this one.
    fn is_like(&self, other: &Self) -> bool {
        self.ids == other.ids && self.times.is_like(&other.times) && self.fits == other.fits
    }

    /// Runs the statements of several tables as one. `None` if each has to be asked by itself, and why that is so then
    /// comes to light. `tables` is what an error calls them.
    pub async fn ask_together(
        forms: &[&Self],
        db: &Database,
        tables: &str,
        statements: &[Statement],
    ) -> Result<Option<Vec<Group>>, SourceError> {
        let (Some(first), Some(statement)) = (forms.first(), Statement::union(statements)) else {
            return Ok(None);
        };
        let apart = || forms.iter().for_each(|form| form.apart.store(true, Ordering::Relaxed));
        match first.groups(db, tables, &statement, Put::All).await {
            Ok(Ok(groups)) => Ok(Some(groups)),
            // The one that holds rows that do not fit will know it once it is asked by itself.
            Ok(Err(Misfit::Mixed)) if !first.all_fit => Ok(None),
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
}
