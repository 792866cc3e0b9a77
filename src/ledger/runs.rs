//! The history of runs, and their finished reports.

use super::error::LedgerError;
use super::slices::pieces_of;
use super::value::{Row, Value};
use super::{Delivery, Lease, Ledger, sql};
use crate::model::Alert;
use crate::model::life::LastRun;
use crate::model::{Micros, Run};

/// A run that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunHistory {
    /// Its id.
    pub run: String,
    /// Its one reading of the clock.
    pub as_of: Micros,
    /// When it began.
    pub started_at: Micros,
    /// When it ended, if it did.
    pub finished_at: Option<Micros>,
    /// msgrecon's version.
    pub version: String,
    /// The ledger chose the windows.
    pub scheduled: bool,
    /// `running`, `finished` or `killed`.
    pub state: String,
    /// What it judged, from …
    pub from: Option<Micros>,
    /// … until.
    pub until: Option<Micros>,
    /// As in its report.
    pub outcome: Option<String>,
    /// As in its report.
    pub verdict: Option<String>,
    /// As in its report.
    pub complete: Option<bool>,
    /// What it ended with.
    pub exit_code: Option<i64>,
    /// As in its report.
    pub differences: Option<i64>,
}

impl RunHistory {
    fn of(row: &Row) -> Self {
        Self {
            run: row.word(0),
            as_of: row.instant(1),
            started_at: row.instant(2),
            finished_at: row.at(3),
            version: row.word(4),
            scheduled: row.yes(5),
            state: row.word(6),
            from: row.at(7),
            until: row.at(8),
            outcome: row.text(9),
            verdict: row.text(10),
            complete: row.int(11).map(|yes| yes != 0),
            exit_code: row.int(12),
            differences: row.int(13),
        }
    }
}

/// What a run came to in one flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowHistory {
    /// The flow's name.
    pub flow: String,
    /// Windows in its report.
    pub windows: u64,
    /// As in its report.
    pub outcome: Option<String>,
    /// As in its report.
    pub verdict: Option<String>,
    /// In the windows of its report.
    pub differences: Option<i64>,
    /// New since the run before.
    pub opened: Option<i64>,
    /// Healed or given up since the run before.
    pub resolved: Option<i64>,
}

/// How a run ends.
pub struct Finish<'r> {
    /// The finished run.
    pub run: &'r Run,
    /// Now.
    pub at: Micros,
    /// Windows that end here or before, and were judged so long after their end, are looked at no more, by flow.
    pub settled: Vec<(String, Micros, i64)>,
    /// The alerts of each flow as the run leaves them; none where nobody is to be told of this run.
    pub alerts: &'r [(String, Vec<Alert>)],
    /// What is to be told, and whether it takes the place of what waits for the same target.
    pub deliveries: &'r [(Delivery, bool)],
}

impl Ledger {
    /// Begins a run of these flows.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn begin_run(
        &mut self,
        lease: &Lease,
        as_of: Micros,
        at: Micros,
        scheduled: bool,
        flows: &[String],
    ) -> Result<(), LedgerError> {
        let Some(first) = flows.first() else { return Ok(()) };
        let version = env!("CARGO_PKG_VERSION");
        self.under_lease(lease, first, async |ledger| {
            let values = [lease.run().into(), as_of.into(), at.into(), version.into(), scheduled.into()];
            ledger.store.execute(sql::RUN_ADD, &values).await?;
            for flow in flows {
                let values = [lease.run().into(), flow.as_str().into(), as_of.into(), scheduled.into()];
                ledger.store.execute(sql::RUN_FLOW_ADD, &values).await?;
            }
            Ok(())
        })
        .await
    }

    /// The run that a run of this flow compares itself with: the last scheduled one, else the last of all.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn last_run(&mut self, flow: &str, as_of: Micros) -> Result<Option<LastRun>, LedgerError> {
        for scheduled in [true, false] {
            let rows =
                self.store.fetch(sql::RUN_LAST, &[flow.into(), scheduled.into(), as_of.into()]).await?;
            if let Some(row) = rows.first() {
                return Ok(Some(LastRun { id: row.word(0), as_of: row.instant(1) }));
            }
        }
        Ok(None)
    }

    /// Proves that the run still holds all of its flows.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn assert_held(&mut self, lease: &Lease) -> Result<(), LedgerError> {
        for flow in lease.flows() {
            self.under_lease(lease, flow, async |_| Ok(())).await?;
        }
        Ok(())
    }

    /// Notes that a run ends without its end; what it has judged is the next run's to report.
    pub async fn give_up(&mut self, lease: &Lease) {
        if let Err(error) = self.store.execute(sql::RUN_KILLED, &[lease.run().into()]).await {
            tracing::debug!("that the run ends is not noted: {error}");
        }
    }

    /// Whether a run of this flow as of this very instant was finished before: then what it looked at is looked at again.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn ran_at(&mut self, flow: &str, as_of: Micros) -> Result<bool, LedgerError> {
        Ok(!self.store.fetch(sql::RUN_AT, &[flow.into(), as_of.into()]).await?.is_empty())
    }

    /// Ends a run: its report is kept, its windows end their life where nobody will look again, its slices are reported.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn finish(&mut self, lease: &Lease, finish: &Finish<'_>) -> Result<(), LedgerError> {
        let run = finish.run;
        let document = pieces_of(run)?;
        let Some(first) = run.flows.first() else { return Ok(()) };
        self.under_lease(lease, &first.name, async |ledger| {
            for (part, piece) in (0_i64..).zip(&document) {
                let values = [run.id.as_str().into(), part.into(), piece.clone().into()];
                ledger.store.execute(sql::DOCUMENT_ADD, &values).await?;
            }
            for flow in &run.flows {
                ledger.fence(lease, &flow.name).await?;
                ledger.finish_flow(run, flow).await?;
            }
            ledger.end(finish).await
        })
        .await
    }

    /// Everything at a run's end that is not a flow's alone; in a transaction.
    async fn end(&mut self, finish: &Finish<'_>) -> Result<(), LedgerError> {
        let run = finish.run;
        for (flow, settled, recheck) in &finish.settled {
            let values = [flow.as_str().into(), (*settled).into(), (*recheck).into()];
            self.store.execute(sql::WINDOWS_FINISH, &values).await?;
            if run.scheduled {
                self.store.execute(sql::SLICES_DROP, &[flow.as_str().into()]).await?;
            }
        }
        for (flow, alerts) in finish.alerts {
            self.put_alerts(flow, alerts).await?;
        }
        for (delivery, anew) in finish.deliveries {
            self.put_delivery(delivery, *anew).await?;
        }
        let values = [
            finish.at.into(),
            run.span.from.into(),
            run.span.until.into(),
            run.outcome.name().into(),
            run.verdict.name().into(),
            run.complete.into(),
            i64::from(run.exit_code).into(),
            run.differences_total.cast_signed().into(),
            run.id.as_str().into(),
        ];
        self.store.execute(sql::RUN_FINISH, &values).await.map(|_| ())
    }

    async fn finish_flow(&mut self, run: &Run, flow: &crate::model::FlowReport) -> Result<(), LedgerError> {
        let life = flow.life.as_ref();
        let differences: u64 = flow.events.map_or(0, |events| events.differences())
            + flow
                .consumers
                .iter()
                .filter_map(|one| one.counts.as_ref())
                .map(|one| one.totals.differences())
                .sum::<u64>();
        let windows = i64::try_from(flow.windows.len()).unwrap_or(i64::MAX);
        let values: [Value; 8] = [
            windows.into(),
            flow.outcome.name().into(),
            flow.verdict.name().into(),
            differences.cast_signed().into(),
            life.map(|life| life.new.cast_signed()).into(),
            life.map(|life| (life.resolved + life.expired).cast_signed()).into(),
            run.id.as_str().into(),
            flow.name.as_str().into(),
        ];
        self.store.execute(sql::RUN_FLOW_FINISH, &values).await?;
        Ok(())
    }

    /// The runs, newest first; of one flow if it is named.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn runs(&mut self, flow: Option<&str>, limit: usize) -> Result<Vec<RunHistory>, LedgerError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = match flow {
            Some(flow) => self.store.fetch(sql::RUNS_OF_FLOW, &[flow.into(), limit.into()]).await?,
            None => self.store.fetch(sql::RUNS, &[limit.into()]).await?,
        };
        Ok(rows.iter().map(RunHistory::of).collect())
    }

    /// The runs whose ids begin like this, newest first, each with its state.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn runs_like(
        &mut self,
        start: &str,
        limit: usize,
    ) -> Result<Vec<(String, String)>, LedgerError> {
        let pattern = start.replace('!', "!!").replace('%', "!%").replace('_', "!_") + "%";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.store.fetch(sql::RUNS_LIKE, &[pattern.into(), limit.into()]).await?;
        let found = rows.iter().map(|row| (row.word(0), row.word(1)));
        // Some servers compare without regard to case.
        Ok(found.filter(|(run, _)| run.starts_with(start)).collect())
    }

    /// What a run came to in each of its flows.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn run_flows(&mut self, run: &str) -> Result<Vec<FlowHistory>, LedgerError> {
        let rows = self.store.fetch(sql::RUN_FLOWS, &[run.into()]).await?;
        let of = |row: &Row| FlowHistory {
            flow: row.word(0),
            windows: row.count(1),
            outcome: row.text(2),
            verdict: row.text(3),
            differences: row.int(4),
            opened: row.int(5),
            resolved: row.int(6),
        };
        Ok(rows.iter().map(of).collect())
    }

    /// A finished run as it was reported; the last one where none is named. `None` where there is no such report.
    ///
    /// # Errors
    /// A ledger that fails, or a report that cannot be read.
    pub async fn report(&mut self, run: Option<&str>) -> Result<Option<Run>, LedgerError> {
        let run = match run {
            Some(run) => run.to_owned(),
            None => match self.store.fetch(sql::RUN_NEWEST, &[]).await?.first() {
                Some(row) => row.word(0),
                None => return Ok(None),
            },
        };
        let rows = self.store.fetch(sql::DOCUMENT, &[run.into()]).await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let packed: Vec<u8> = rows.iter().flat_map(|row| row.bytes(0)).collect();
        let body = String::from_utf8(self.unpacked(&packed)?).unwrap_or_default();
        self.read_json(&body, "a report").map(Some)
    }
}
