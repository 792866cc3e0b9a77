//! Rows that lie in no slice: those without a time, and the backlog; of alike tables by one statement.

use super::{EventTable, home};
use crate::model::Event;
use crate::model::event::{Stamp, State};
use crate::source::cell::Fields;
use crate::source::relation::Relation;
use crate::source::retry::Patience;
use crate::source::{SourceError, alike};
use std::sync::Arc;

impl alike::Table for EventTable {
    fn relation(&self) -> &Relation {
        &self.relation
    }
}

impl EventTable {
    /// Rows of the flow that have neither a usable ack time nor a usable creation time: they are in no range. As many
    /// as `max_rows` mean that there may be more.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn undated(&self, max_rows: usize) -> Result<Vec<Event>, SourceError> {
        let statement = self.undated_statement(max_rows)?;
        let mut events = self.collect(&statement, &|event| self.is_undated(event)).await?.found;
        events.truncate(max_rows);
        Ok(events)
    }

    /// The same of several tables, in as many lists as statements were run.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn undated_all(tables: &[Arc<Self>], max_rows: usize) -> Result<Vec<Vec<Event>>, SourceError> {
        let mut all = Vec::new();
        for group in alike::groups(tables) {
            let decode = |row: &dyn Fields| {
                let event = group[0].event(row)?;
                Ok(Some(event).filter(|event| group[0].is_undated(event)))
            };
            let rows =
                alike::rows(group, |table| table.undated_statement(max_rows).map(Some), &decode).await?;
            // Which of them has too many shows when each is asked.
            if let Some(rows) = rows.filter(|rows| rows.fetched < max_rows) {
                all.push(rows.found);
                continue;
            }
            for table in group {
                all.push(table.undated(max_rows).await?);
            }
        }
        Ok(all)
    }

    fn is_undated(&self, event: &Event) -> bool {
        // Without a creation time a row that waits for its ack has no time by nature; the backlog counts it.
        let waits = self.created.is_none() && event.acked == Stamp::None && event.state != State::Acked;
        home(event).is_none() && !waits
    }

    /// The creation stamp of every pending row of the flow, whenever it was written, as the rows come. An error may
    /// follow after some stamps were handed over.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn backlog(&self, each: &mut (dyn FnMut(Stamp) + Send)) -> Result<(), SourceError> {
        let Some(statement) = self.backlog_statement()? else { return Ok(()) };
        let mut patience = Patience::new();
        loop {
            let mut started = false;
            let mut hand_over = |row: &dyn Fields| {
                if let Some(created) = self.pending(row)? {
                    started = true;
                    each(created);
                }
                Ok(())
            };
            let outcome = self.relation.db.each(&statement, Some(&self.relation.name), &mut hand_over).await;
            // What was handed over cannot be taken back, so only a start that gave nothing is tried again.
            if started {
                return outcome;
            }
            if patience.with(outcome).await?.is_some() {
                return Ok(());
            }
        }
    }

    /// The same of several tables.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn backlog_all(
        tables: &[Arc<Self>],
        each: &mut (dyn FnMut(Stamp) + Send),
    ) -> Result<(), SourceError> {
        for group in alike::groups(tables) {
            let decode = |row: &dyn Fields| group[0].pending(row);
            if let Some(rows) = alike::rows(group, |table| table.backlog_statement(), &decode).await? {
                rows.found.into_iter().for_each(&mut *each);
                continue;
            }
            for table in group {
                table.backlog(each).await?;
            }
        }
        Ok(())
    }

    /// When it was written, where it is pending.
    fn pending(&self, row: &dyn Fields) -> Result<Option<Stamp>, String> {
        let event = self.event(row)?;
        Ok((event.state == State::Pending).then_some(event.created))
    }
}
