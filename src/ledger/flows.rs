//! Where a flow's scheduled runs begin, and the watermark: up to where every window was judged, without a hole.

use super::error::LedgerError;
use super::{Lease, Ledger, sql};
use crate::model::Micros;
use crate::model::time::DAY;

/// No window is longer: a local day may have 25 hours, and more where a zone crosses the date line.
pub(super) const LONGEST: i64 = 2 * DAY;

/// So many windows at a time are walked over.
const PAGE: i64 = 5_000;

/// A flow that the ledger knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Scheduled runs judge from here on.
    pub begin: Micros,
    /// Every window from `begin` up to here was judged.
    pub watermark: Micros,
}

impl Ledger {
    /// What is known of a flow; `None` before its first scheduled run.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn begun(&mut self, flow: &str) -> Result<Option<Begun>, LedgerError> {
        let rows = self.store.fetch(sql::FLOW, &[flow.into()]).await?;
        Ok(rows.first().map(|row| Begun { begin: row.instant(0), watermark: row.instant(2) }))
    }

    /// Every flow that the ledger knows.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn flows(&mut self) -> Result<Vec<(String, Begun)>, LedgerError> {
        let rows = self.store.fetch(sql::FLOWS, &[]).await?;
        let of = |row: &super::value::Row| {
            (row.word(0), Begun { begin: row.instant(1), watermark: row.instant(2) })
        };
        Ok(rows.iter().map(of).collect())
    }

    /// Begins a flow: where somebody asks for, else at `default`. A start that was not asked for before moves the begin
    /// of a flow that is known; what is judged stays judged.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn begin_flow(
        &mut self,
        lease: &Lease,
        flow: &str,
        asked: Option<Micros>,
        default: Micros,
    ) -> Result<Begun, LedgerError> {
        self.begin(lease, flow).await?;
        let rows = self.store.fetch(sql::FLOW, &[flow.into()]).await?;
        let known = rows.first().map(|row| (row.instant(0), row.at(1), row.instant(2)));
        let begun = match (known, asked) {
            (None, asked) => {
                let begin = asked.unwrap_or(default);
                let values = [flow.into(), begin.into(), asked.into(), begin.into()];
                self.store.execute(sql::FLOW_ADD, &values).await?;
                Begun { begin, watermark: begin }
            }
            (Some((_, before, _)), Some(begin)) if before != Some(begin) => {
                let values = [begin.into(), asked.into(), begin.into(), flow.into()];
                self.store.execute(sql::FLOW_SET, &values).await?;
                Begun { begin, watermark: begin }
            }
            (Some((begin, _, watermark)), _) => Begun { begin, watermark },
        };
        let watermark = self.advance(flow, begun).await?;
        self.commit().await?;
        Ok(Begun { watermark, ..begun })
    }

    /// Moves the watermark over what was judged, never over a hole; within a transaction.
    pub(super) async fn advance(&mut self, flow: &str, begun: Begun) -> Result<Micros, LedgerError> {
        let (mut watermark, mut from) = (begun.watermark, begun.watermark.plus(-LONGEST));
        loop {
            let values = [flow.into(), from.into(), i64::MAX.into(), PAGE.into()];
            let rows = self.store.fetch(sql::WINDOWS, &values).await?;
            for row in &rows {
                let (window, until) = (row.instant(0), row.instant(1));
                if window > watermark {
                    return self.set_watermark(flow, begun, watermark).await;
                }
                watermark = watermark.max(until);
                from = window.plus(1);
            }
            if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
                return self.set_watermark(flow, begun, watermark).await;
            }
        }
    }

    /// Takes the watermark back to a hole; within a transaction.
    pub(super) async fn go_back(&mut self, flow: &str, hole: Micros) -> Result<(), LedgerError> {
        let Some(begun) = self.begun(flow).await?.filter(|begun| begun.watermark > hole) else {
            return Ok(());
        };
        self.set_watermark(flow, begun, hole.max(begun.begin)).await.map(|_| ())
    }

    async fn set_watermark(
        &mut self,
        flow: &str,
        begun: Begun,
        watermark: Micros,
    ) -> Result<Micros, LedgerError> {
        if watermark != begun.watermark {
            let rows = self.store.fetch(sql::FLOW, &[flow.into()]).await?;
            let asked = rows.first().and_then(|row| row.at(1));
            let values = [begun.begin.into(), asked.into(), watermark.into(), flow.into()];
            self.store.execute(sql::FLOW_SET, &values).await?;
        }
        Ok(watermark)
    }
}
