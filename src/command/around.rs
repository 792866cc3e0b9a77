//! What happens around a run: hooks, heartbeats, metrics. None of it changes what a run finds.

use crate::clock;
use crate::config::Config;
use crate::exit;
use crate::model::alert::Alert;
use crate::model::{Micros, Run};
use crate::notify::heartbeat::{Pulse, beat};
use crate::notify::metrics::{self, Vitals};
use crate::notify::{Delivered, hook, pushgateway};

/// A run by its id, and when it began.
pub(super) struct Around<'a> {
    config: &'a Config,
    id: &'a str,
    began: Micros,
    output: Option<String>,
}

/// How a run ended, as far as the ledger tells.
#[derive(Default)]
pub(super) struct Ended {
    /// All alerts that are pending or fire; `None` where the ledger did not say.
    pub(super) alerts: Option<Vec<Alert>>,
    /// What waits to be told; `None` where the ledger did not say.
    pub(super) undelivered: Option<u64>,
    /// When the last run ended that judged.
    pub(super) last_success: Option<Micros>,
    /// How long each stage took, in microseconds.
    pub(super) stages: Vec<(&'static str, i64)>,
}

/// Measures the stages of a run, one after the other.
pub(super) struct Laps {
    since: Micros,
    taken: Vec<(&'static str, i64)>,
}

impl Laps {
    pub(super) fn begin() -> Self {
        Self { since: clock::now(), taken: Vec::new() }
    }

    /// The stage has ended, and the next one begins.
    pub(super) fn end(&mut self, stage: &'static str) {
        let now = clock::now();
        self.taken.push((stage, now.since(self.since)));
        self.since = now;
    }

    pub(super) fn taken(self) -> Vec<(&'static str, i64)> {
        self.taken
    }
}

impl<'a> Around<'a> {
    pub(super) fn new(config: &'a Config, id: &'a str, output: Option<&std::path::Path>) -> Self {
        Self { config, id, began: clock::now(), output: output.map(|path| path.display().to_string()) }
    }

    /// The hooks before the run; one that fails keeps it from beginning.
    pub(super) async fn before(&self) -> Delivered {
        let environment = vec![("MSGRECON_RUN_ID".to_owned(), self.id.to_owned())];
        for command in &self.config.notify.hooks.before {
            self.call("before", command, &environment, b"").await?;
        }
        Ok(())
    }

    /// The run has begun.
    pub(super) async fn start(&self) {
        self.beat(Pulse::Start, "").await;
    }

    /// The run has ended: hooks first, since their failures change the exit code, then metrics and heartbeats, which tell
    /// it. Gives the hooks that failed.
    pub(super) async fn after(&self, code: u8, run: Option<&Run>, ended: &Ended) -> Vec<String> {
        let failed = if code == exit::BUSY { Vec::new() } else { self.hooks(code, run).await };
        let code = if failed.is_empty() { code } else { exit::NOT_DELIVERED };
        if code == exit::BUSY {
            return failed;
        }
        self.measure(code, run, ended).await;
        let words = run.map_or_else(|| "no report".to_owned(), words);
        self.beat(Pulse::End { exit_code: code }, &words).await;
        failed
    }

    async fn hooks(&self, code: u8, run: Option<&Run>) -> Vec<String> {
        let hooks = &self.config.notify.hooks;
        let differ = run.is_some_and(|run| run.differences_total > 0);
        let incomplete = run.is_some_and(|run| !run.complete);
        let error = run.is_none() || code == exit::NOT_DELIVERED;
        let sets = [
            ("on_differences", &hooks.on_differences, differ),
            ("on_incomplete", &hooks.on_incomplete, incomplete),
            ("on_error", &hooks.on_error, error),
            ("after", &hooks.after, true),
        ];
        let environment = self.environment(code, run);
        let input =
            serde_json::to_vec(&environment.iter().cloned().collect::<std::collections::BTreeMap<_, _>>());
        let input = input.unwrap_or_default();
        let mut failed = Vec::new();
        for (name, commands, _) in sets.into_iter().filter(|(_, _, fits)| *fits) {
            for command in commands {
                failed.extend(
                    self.call(name, command, &environment, &input).await.err().map(|one| one.message),
                );
            }
        }
        failed
    }

    async fn call(
        &self,
        name: &str,
        command: &[String],
        environment: &[(String, String)],
        input: &[u8],
    ) -> Delivered {
        let outcome = hook::call(command, environment, input, self.config.notify.hooks.timeout).await;
        outcome.map_err(|error| crate::notify::NotDelivered {
            message: format!("hook `{name}`: {error}"),
            ..error
        })
    }

    fn environment(&self, code: u8, run: Option<&Run>) -> Vec<(String, String)> {
        let mut pairs = vec![("RUN_ID", self.id.to_owned()), ("EXIT_CODE", code.to_string())];
        pairs.extend(self.output.clone().map(|folder| ("OUTPUT", folder)));
        if let Some(run) = run {
            pairs.extend([
                ("AS_OF", run.as_of.to_rfc3339()),
                ("FROM", run.span.from.to_rfc3339()),
                ("UNTIL", run.span.until.to_rfc3339()),
                ("OUTCOME", run.outcome.name().to_owned()),
                ("VERDICT", run.verdict.name().to_owned()),
                ("COMPLETE", run.complete.to_string()),
                ("DIFFERENCES", run.differences_total.to_string()),
            ]);
        }
        pairs.into_iter().map(|(name, value)| (format!("MSGRECON_{name}"), value)).collect()
    }

    async fn measure(&self, code: u8, run: Option<&Run>, ended: &Ended) {
        let settings = &self.config.notify.metrics;
        let finished_at = clock::now();
        let kept = settings.textfile.as_ref().and_then(|path| metrics::kept_success(path));
        // The ledger takes a run that judged for a success, whether or not it told.
        let recorded = ended.last_success.filter(|_| code != exit::NOT_DELIVERED);
        let vitals = Vitals {
            finished_at,
            exit_code: code,
            duration: finished_at.since(self.began),
            last_success: kept.or(recorded),
            stages: ended.stages.clone(),
            alerts: ended.alerts.clone(),
            undelivered: ended.undelivered,
        };
        let text = metrics::text(run, &vitals);
        let written = settings.textfile.as_ref().map(|path| metrics::write(path, &text));
        let pushed = match &settings.pushgateway {
            Some(gateway) => Some(pushgateway::push(gateway, &text, metrics::succeeded(code)).await),
            None => None,
        };
        for error in [written, pushed].into_iter().flatten().filter_map(Result::err) {
            tracing::warn!("metrics: {error}");
        }
    }

    async fn beat(&self, pulse: Pulse, words: &str) {
        for heartbeat in &self.config.notify.heartbeats {
            if let Err(error) = beat(heartbeat, pulse, self.id, words).await {
                tracing::warn!("heartbeat: {error}");
            }
        }
    }
}

/// Counts only: what goes to a service for heartbeats leaves the house.
fn words(run: &Run) -> String {
    format!(
        "outcome {}, verdict {}, complete {}, differences {}\n",
        run.outcome.name(),
        run.verdict.name(),
        run.complete,
        run.differences_total
    )
}
