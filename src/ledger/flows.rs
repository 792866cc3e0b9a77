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

/// What a start that is asked for means for a flow.
enum Start {
    /// The flow was not known.
    New,
    /// It begins elsewhere than it did.
    Moved,
    /// Nothing.
    Known,
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
        self.under_lease(lease, flow, async |ledger| {
            let (begun, step) = ledger.start(flow, asked, default).await?;
            match step {
                Start::New => {
                    let values = [flow.into(), begun.begin.into(), asked.into(), begun.begin.into()];
                    ledger.store.execute(sql::FLOW_ADD, &values).await?;
                }
                Start::Moved => {
                    let values = [begun.begin.into(), asked.into(), begun.begin.into(), flow.into()];
                    ledger.store.execute(sql::FLOW_SET, &values).await?;
                }
                Start::Known => {}
            }
            Ok(Begun { watermark: ledger.advance(flow, begun).await?, ..begun })
        })
        .await
    }

    /// Takes the watermark back to a hole; within a transaction.
    pub(super) async fn go_back(&mut self, flow: &str, hole: Micros) -> Result<(), LedgerError> {
        let Some(begun) = self.begun(flow).await?.filter(|begun| begun.watermark > hole) else {
            return Ok(());
        };
        self.set_watermark(flow, begun, hole.max(begun.begin)).await
    }

    /// What [`Ledger::begin_flow`] would give, without writing anything.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn would_begin(
        &mut self,
        flow: &str,
        asked: Option<Micros>,
        default: Micros,
    ) -> Result<Begun, LedgerError> {
        let (begun, _) = self.start(flow, asked, default).await?;
        Ok(Begun { watermark: self.reach(flow, begun).await?, ..begun })
    }

    /// Where a flow begins, before its watermark moves.
    async fn start(
        &mut self,
        flow: &str,
        asked: Option<Micros>,
        default: Micros,
    ) -> Result<(Begun, Start), LedgerError> {
        let rows = self.store.fetch(sql::FLOW, &[flow.into()]).await?;
        let known = rows.first().map(|row| (row.instant(0), row.at(1), row.instant(2)));
        let anew = |begin| Begun { begin, watermark: begin };
        Ok(match (known, asked) {
            (None, asked) => (anew(asked.unwrap_or(default)), Start::New),
            (Some((_, before, _)), Some(begin)) if before != Some(begin) => (anew(begin), Start::Moved),
            (Some((begin, _, watermark)), _) => (Begun { begin, watermark }, Start::Known),
        })
    }

    /// Moves the watermark over what was judged, never over a hole; within a transaction.
    pub(super) async fn advance(&mut self, flow: &str, begun: Begun) -> Result<Micros, LedgerError> {
        let watermark = self.reach(flow, begun).await?;
        self.set_watermark(flow, begun, watermark).await?;
        Ok(watermark)
    }

    async fn set_watermark(
        &mut self,
        flow: &str,
        begun: Begun,
        watermark: Micros,
    ) -> Result<(), LedgerError> {
        if watermark != begun.watermark {
            let rows = self.store.fetch(sql::FLOW, &[flow.into()]).await?;
            let asked = rows.first().and_then(|row| row.at(1));
            let values = [begun.begin.into(), asked.into(), watermark.into(), flow.into()];
            self.store.execute(sql::FLOW_SET, &values).await?;
        }
        Ok(())
    }

    /// Up to where windows were judged from the watermark on, without a hole.
    async fn reach(&mut self, flow: &str, begun: Begun) -> Result<Micros, LedgerError> {
        let (mut watermark, mut from) = (begun.watermark, begun.watermark.plus(-LONGEST));
        loop {
            let values = [flow.into(), from.into(), i64::MAX.into(), PAGE.into()];
            let rows = self.store.fetch(sql::WINDOWS, &values).await?;
            for row in &rows {
                let (window, until) = (row.instant(0), row.instant(1));
                if window > watermark {
                    return Ok(watermark);
                }
                watermark = watermark.max(until);
                from = window.plus(1);
            }
            if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
                return Ok(watermark);
            }
        }
    }
}
