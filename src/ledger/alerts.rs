//! Alerts as the last run left them, and what is open, by kind.

use super::error::LedgerError;
use super::value::Row;
use super::{ErrorKind, Ledger, sql};
use crate::model::alert::{Alert, Open};
use crate::model::{Kind, Micros};

impl Ledger {
    /// The alerts of a flow, those that were cleared included.
    ///
    /// # Errors
    /// A ledger that fails, or an alert that cannot be read.
    pub async fn alerts(&mut self, flow: &str) -> Result<Vec<Alert>, LedgerError> {
        let rows = self.store.fetch(sql::ALERTS, &[flow.into()]).await?;
        self.read_alerts(&rows)
    }

    /// The alerts of all flows that are pending or fire.
    ///
    /// # Errors
    /// A ledger that fails, or an alert that cannot be read.
    pub async fn active_alerts(&mut self) -> Result<Vec<Alert>, LedgerError> {
        let rows = self.store.fetch(sql::ALERTS_ALL, &[]).await?;
        self.read_alerts(&rows)
    }

    fn read_alerts(&self, rows: &[Row]) -> Result<Vec<Alert>, LedgerError> {
        rows.iter().map(|row| self.read_json(&row.word(0), "an alert")).collect()
    }

    /// Keeps the alerts of a flow in place of those that were; in a transaction.
    pub(super) async fn put_alerts(&mut self, flow: &str, alerts: &[Alert]) -> Result<(), LedgerError> {
        self.store.execute(sql::ALERTS_DROP, &[flow.into()]).await?;
        for alert in alerts {
            let body = serde_json::to_string(alert)
                .map_err(|error| LedgerError::new(ErrorKind::Away, format!("an alert: {error}")))?;
            let values = [
                flow.into(),
                alert.key.consumer.as_deref().unwrap_or_default().into(),
                alert.key.metric.as_str().into(),
                alert.state.name().into(),
                body.into(),
            ];
            self.store.execute(sql::ALERT_ADD, &values).await?;
        }
        Ok(())
    }

    /// How many differences of a flow are open and not acknowledged, by consumer and kind, and since when they are of it.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn open_kinds(&mut self, flow: &str, as_of: Micros) -> Result<Vec<Open>, LedgerError> {
        let rows = self.store.fetch(sql::DIFFERENCES_KINDS, &[flow.into(), as_of.into()]).await?;
        let open = |row: &Row| {
            Some(Open {
                consumer: Some(row.word(0)).filter(|consumer| !consumer.is_empty()),
                kind: Kind::from_name(&row.word(1))?,
                since: row.instant(2),
                count: row.count(3),
            })
        };
        Ok(rows.iter().filter_map(open).collect())
    }
}
