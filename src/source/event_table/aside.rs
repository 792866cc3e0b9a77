//! Rows that lie in no slice: those without a time, and the backlog; of alike tables by one statement.

use super::{EventTable, home};
use crate::model::Event;
use crate::model::event::{Stamp, State};
use crate::source::cell::Fields;
use crate::source::relation::Relation;
use crate::source::retry::Patience;
use crate::source::sql::Statement;
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
        self.hand_over(&statement, &self.relation.name, each).await.1
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
            if !Self::backlog_together(group, each).await? {
                for table in group {
                    table.backlog(each).await?;
                }
            }
        }
        Ok(())
    }

    /// Whether it could be asked for by one statement.
    async fn backlog_together(
        group: &[Arc<Self>],
        each: &mut (dyn FnMut(Stamp) + Send),
    ) -> Result<bool, SourceError> {
        let one = alike::as_one(group, |table| table.backlog_statement())?;
        let Some((statement, names)) = one else { return Ok(false) };
        match group[0].hand_over(&statement, &names, each).await {
            (true, Err(error)) => Err(error),
            (_, answer) => Ok(alike::unless_unreachable(answer)?.is_some()),
        }
    }

    /// Hands over the stamps of a statement's rows; whether there were any. What was handed over cannot be taken back, so only
    /// a start that gave nothing is tried again.
    async fn hand_over(
        &self,
        statement: &Statement,
        names: &str,
        each: &mut (dyn FnMut(Stamp) + Send),
    ) -> (bool, Result<(), SourceError>) {
        let mut patience = Patience::new();
        loop {
            let mut started = false;
            let mut take = |row: &dyn Fields| {
                let event = self.event(row)?;
                if event.state == State::Pending {
                    started = true;
                    each(event.created);
                }
                Ok(())
            };
            let outcome = self.relation.db.each(statement, Some(names), &mut take).await;
            if started {
                return (true, outcome);
            }
            match patience.with(outcome).await {
                Ok(None) => {}
                answer => return (false, answer.map(|_| ())),
            }
        }
    }
}
