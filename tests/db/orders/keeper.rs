//! A ledger, the runs that write to it as the program does, and what it holds in the end.

use msgrecon::config::Config;
use msgrecon::ledger::{Finish, Lease, Ledger};
use msgrecon::model::{Micros, Run, Span};
use msgrecon::plan::{Request, plan};
use msgrecon::reconcile::{Due, Keeping, reconcile_due, reconcile_range};
use msgrecon::schedule::{WINDOWS_MAX, settled_until};
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};
use std::collections::BTreeSet;
use tempfile::TempDir;

/// A range by hand may have found something in a window that is not due yet.
const DUE: &str = "(window_from IS NULL OR window_from < (SELECT watermark FROM msgrecon_flows))";

/// A ledger in a file of its own.
pub struct Keeper {
    folder: TempDir,
    pub config: Config,
    runs: usize,
}

/// What runs in whatever order must come to. Not the history: when something was first seen depends on who looked.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub flow: Vec<String>,
    pub windows: Vec<String>,
    pub open: Vec<String>,
    pub late: Vec<String>,
}

impl Keeper {
    pub fn new(config: &Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config.clone();
        config.ledger.url = format!("sqlite://{}", folder.path().join("ledger.db").display()).into();
        Self { folder, config, runs: 0 }
    }

    /// A run: of a range, or of what is due. `None` where the range holds nothing to judge.
    pub async fn run(&mut self, request: Option<&Request>, as_of: Micros) -> Option<Run> {
        let plan = match request {
            Some(request) => Some(plan(&self.config, request, &[], as_of).ok()?),
            None => None,
        };
        self.runs += 1;
        let (url, id) = (self.config.ledger.url.clone(), format!("run-{:04}", self.runs));
        let flows = vec![self.config.flows[0].name.clone()];
        let mut ledger = Ledger::open(&url, true).await.unwrap();
        let lease = Lease::take(&mut ledger, &url, &id, &flows).await.unwrap();
        ledger.begin_run(&lease, as_of, as_of, plan.is_none(), &flows).await.unwrap();
        let turn = tokio::sync::Mutex::new(&mut ledger);
        let keeping = Keeping { ledger: &turn, lease: &lease, zone: self.config.time_zone };
        let done = if let Some(plan) = &plan {
            reconcile_range(plan, &self.config, keeping, &|_| {}).await
        } else {
            let due = Due { flows: self.config.flows.clone(), as_of, start: None, windows_max: WINDOWS_MAX };
            reconcile_due(&due, &self.config, keeping, &|_| {}).await
        };
        assert!(done.unrecorded.is_none(), "{:?}", done.unrecorded);
        let flow = &self.config.flows[0];
        let settled = vec![(flow.name.clone(), settled_until(flow, as_of).plus(-flow.recheck), flow.recheck)];
        ledger
            .finish(&lease, &Finish { run: &done.run, at: as_of, settled, alerts: &[], deliveries: &[] })
            .await
            .unwrap();
        lease.free(&mut ledger).await;
        ledger.close().await;
        Some(done.run)
    }

    async fn ask(&self, question: &str) -> Vec<String> {
        let path = self.folder.path().join("ledger.db");
        if !path.exists() {
            return Vec::new();
        }
        let mut link = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        let rows = sqlx::raw_sql(AssertSqlSafe(question)).fetch_all(&mut link).await.unwrap();
        link.close().await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// The windows that were judged, and as of when last.
    pub async fn judged(&self) -> Vec<(Span, Micros)> {
        let rows = self.ask("SELECT from_at || ' ' || until_at || ' ' || as_of FROM msgrecon_windows").await;
        let window = |row: &String| {
            let times: Vec<_> = row.split(' ').map(|time| Micros(time.parse().unwrap())).collect();
            (Span::new(times[0], times[1]), times[2])
        };
        rows.iter().map(window).collect()
    }

    /// Open differences: consumer (empty for the producer) and id.
    pub async fn open(&self) -> BTreeSet<(String, String)> {
        let rows = self
            .ask("SELECT consumer || ' ' || CAST(id AS TEXT) FROM msgrecon_differences WHERE state = 'open'")
            .await;
        let pair =
            |row: &String| row.split_once(' ').map(|(one, two)| (one.to_owned(), two.to_owned())).unwrap();
        rows.iter().map(pair).collect()
    }

    /// What it holds of the time from `begin` on.
    pub async fn outcome(&self, begin: Micros) -> Outcome {
        let time = |column: &str| {
            format!("coalesce(strftime('%m-%dT%H:%M:%SZ', {column} / 1000000, 'unixepoch'), '-')")
        };
        let times =
            |columns: &[&str]| columns.iter().map(|one| time(one)).collect::<Vec<_>>().join(" || ' ' || ");
        let windows = format!(
            "SELECT {} || ' ' || state || ' stale ' || stale || ' acked ' || acked || ' lost ' || lost || ' other ' || other || ' ' || counts \
             FROM msgrecon_windows WHERE from_at >= {} ORDER BY from_at",
            times(&["from_at", "until_at"]),
            begin.0
        );
        let open = format!(
            "SELECT consumer || ' ' || CAST(id AS TEXT) || ' ' || kind || ' ' || {} || ' ' || detail \
             FROM msgrecon_differences WHERE state = 'open' AND {DUE} ORDER BY 1",
            times(&["window_from", "created_at", "acked_at", "consumed_at"])
        );
        let late = format!(
            "SELECT consumer || ' ' || CAST(id AS TEXT) FROM msgrecon_differences WHERE kind = 'late' AND {DUE} ORDER BY 1"
        );
        Outcome {
            flow: self
                .ask(&format!("SELECT {} FROM msgrecon_flows", times(&["begin_at", "watermark"])))
                .await,
            windows: self.ask(&windows).await,
            open: self.ask(&open).await,
            late: self.ask(&late).await,
        }
    }
}
