//! A scheduled run: every window that is due, slice by slice, each recorded before the next is read; then everything that
//! is still open, message by message.

use super::before::{before, homeless, known, stale};
use super::lanes::side_by_side;
use super::outcome::{FlowOutcome, Head, assemble};
use super::range::{judged_windows, names};
use super::record::Recorder;
use super::session::{Session, not_judged};
use super::sources::Databases;
use super::{Keeping, Reconciled, Watch, graver, look_again};
use crate::book::{Slice, merge};
use crate::config::{Config, Flow};
use crate::ledger::{Entry, KeptSlice, LedgerError, State, Within};
use crate::model::life::{FlowLife, LastRun, Overdue};
use crate::model::run::Backlog;
use crate::model::{Difference, Micros, Problem, Span, Window};
use crate::plan::{FlowPlan, flow_plan};
use crate::schedule::{changed, settle, short_slices, slices};
use crate::source::SourceError;
use chrono_tz::Tz;
use std::collections::BTreeSet;

/// What a scheduled run is asked for.
#[derive(Clone, Debug)]
pub struct Due {
    /// In the order of the configuration.
    pub flows: Vec<Flow>,
    /// The one reading of the clock.
    pub as_of: Micros,
    /// Where flows begin, whatever the configuration says.
    pub start: Option<Micros>,
    /// No more windows that were never judged than this, of each flow.
    pub windows_max: usize,
}

/// Judges what is due. Sources that fail are named in the result, and their windows stay due.
pub async fn reconcile_due(due: &Due, config: &Config, keeping: Keeping<'_>, watch: Watch<'_>) -> Reconciled {
    let plans: Vec<_> = due.flows.iter().map(FlowPlan::unread).collect();
    let databases = Databases::connect(&plans, config).await;
    let (mut outcomes, mut unrecorded, mut spans) = (Vec::new(), None, Vec::new());
    let job = async |plan| due_flow(plan, due, config, &databases, keeping, watch).await;
    for (outcome, span, away) in side_by_side(&plans, config.jobs, watch, job).await {
        unrecorded = graver(unrecorded, away);
        spans.extend(span);
        outcomes.push(outcome);
    }
    databases.close().await;
    let from = spans.iter().map(|span: &Span| span.from).min().unwrap_or(due.as_of);
    let until = spans.iter().map(|span| span.until).max().unwrap_or(from);
    let head = Head {
        id: keeping.lease.run().to_owned(),
        as_of: due.as_of,
        span: Span::new(from, until),
        time_zone: config.time_zone,
        scheduled: true,
    };
    Reconciled { run: assemble(head, outcomes), unrecorded }
}

async fn due_flow(
    plan: &FlowPlan,
    due: &Due,
    config: &Config,
    databases: &Databases,
    keeping: Keeping<'_>,
    watch: Watch<'_>,
) -> (FlowOutcome, Option<Span>, Option<LedgerError>) {
    let flow = &plan.flow;
    let before = match before(flow, due, keeping).await {
        Ok(before) => before,
        Err(error) => return (unknown(flow, due.as_of, &error), None, Some(error)),
    };
    tracing::info!(flow = flow.name, new = before.agenda.new, windows = before.agenda.windows.len(), left = before.agenda.left, watermark = %before.begun.watermark, "due");
    let zone = keeping.zone;
    let mut recorder = Recorder::new(keeping.writer(flow, before.since.clone()));
    let mut work = Work {
        flow,
        due,
        zone,
        judged_before: before.since.first_judged.into_keys().collect(),
        wanted: before.agenda.windows,
        slices: before.kept,
        backlog: None,
        fresh: BTreeSet::new(),
        done: false,
    };
    match Session::open(plan, due.as_of, config, databases, watch).await {
        Ok(session) => {
            let ahead = Some(session.aside.stuck_ahead);
            work.backlog = Some(Backlog { stuck_ahead: ahead, ..session.aside.backlog });
            work.all(&session, &mut recorder).await;
        }
        Err(error) => work.slices.push(not_judged(flow, Span::new(due.as_of, due.as_of), &error)),
    }
    work.finish(before.last, before.agenda.left, recorder).await
}

/// The ledger failed before anything of the flow was read.
fn unknown(flow: &Flow, as_of: Micros, error: &LedgerError) -> FlowOutcome {
    let slice = Slice::unread(&flow.name, &names(flow), Span::new(as_of, as_of));
    let merged = merge(&flow.name, &names(flow), None, &[slice]);
    let message =
        format!("which windows are due is not known, so that nothing of the flow is judged: {error}");
    FlowOutcome::new(merged, Vec::new()).judged(flow, as_of).incomplete(Problem {
        source: "ledger".to_owned(),
        flow: Some(flow.name.clone()),
        message,
    })
}

/// One flow's slices as they are judged.
struct Work<'a> {
    flow: &'a Flow,
    due: &'a Due,
    zone: Tz,
    /// What the agenda says.
    wanted: Vec<Window>,
    /// The begins of windows that were judged before: where one cannot be judged again, nothing is overdue.
    judged_before: BTreeSet<Micros>,
    slices: Vec<Slice>,
    backlog: Option<Backlog>,
    /// Spans that this run has read itself.
    fresh: BTreeSet<Span>,
    /// The producer failed, or another run has taken over: no more reading.
    done: bool,
}

impl Work<'_> {
    async fn all(&mut self, session: &Session<'_>, recorder: &mut Recorder<'_>) {
        let wanted = self.wanted.clone();
        self.judge(session, slices(&wanted, session.receipts_may_repeat()), recorder).await;
        if self.done {
            return;
        }
        look_again(session, None, recorder).await;
        let Some(writer) = recorder.writer() else { return };
        let mut ledger = writer.ledger.lock().await;
        let rows = stale(self.flow, self.zone, &mut ledger).await;
        let homeless = homeless(&mut ledger, &self.flow.name).await;
        drop(ledger);
        let known: Vec<_> = recorder.note(rows).unwrap_or_default().iter().map(known).collect();
        let homeless = recorder.note(homeless).unwrap_or_default();
        let stale = known.iter().filter(|window| window.stale).map(|window| window.span);
        let homeless = homeless.into_iter().map(|from| Span::new(from, from.plus(1)));
        let spans: Vec<_> = stale.chain(homeless).collect();
        let again = changed(self.flow, self.zone, self.due.as_of, &spans, &known);
        // Those that this run could not judge to their end wait for the next one.
        let fresh = |window: &Window| self.fresh.iter().any(|span| span.contains(window.0.from));
        let again: Vec<_> = again.into_iter().filter(|window| !fresh(window)).collect();
        self.judge(session, short_slices(&again, session.receipts_may_repeat()), recorder).await;
    }

    async fn judge(&mut self, session: &Session<'_>, slices: Vec<Vec<Window>>, recorder: &mut Recorder<'_>) {
        for windows in slices {
            if self.done || recorder.is_lost() {
                self.done = true;
                return;
            }
            let (Some(first), Some(last)) = (windows.first(), windows.last()) else { continue };
            let span = Span::new(first.0.from, last.0.until);
            self.judge_span(session, span, recorder).await;
        }
    }

    async fn judge_span(&mut self, session: &Session<'_>, span: Span, recorder: &mut Recorder<'_>) {
        let plan = match flow_plan(self.flow, span, self.zone) {
            Ok(plan) => plan,
            Err(error) => return tracing::error!("{error}"),
        };
        let first = !self.slices.iter().any(|slice| slice.aside);
        self.fresh.insert(span);
        match session.judge(&plan, first, recorder).await {
            Ok(slice) => {
                self.record(&slice, recorder).await;
                self.slices.push(slice);
            }
            Err(error) => self.fail(span, &error, recorder),
        }
    }

    /// The producer failed: what was judged before it stands, the rest stays due.
    fn fail(&mut self, span: Span, error: &SourceError, recorder: &mut Recorder<'_>) {
        let within = |one: &Difference| one.window_from.is_some_and(|from| span.contains(from));
        recorder.listed.retain(|one| !within(one));
        self.slices.push(not_judged(self.flow, span, error));
        self.done = true;
    }

    async fn record(&self, slice: &Slice, recorder: &mut Recorder<'_>) {
        let Some(writer) = recorder.writer() else { return };
        let body = serde_json::to_vec(slice).unwrap_or_default();
        let kept = KeptSlice { span: slice.span, as_of: self.due.as_of, body };
        let windows = judged_windows(slice);
        let mut ledger = writer.ledger.lock().await;
        let outcome = ledger.put_slice(writer.lease, &self.flow.name, &windows, &kept).await;
        drop(ledger);
        recorder.note(outcome);
    }

    /// Adds what is open elsewhere and what the ledger knows, and holds all of it against the thresholds.
    async fn finish(
        mut self,
        last: Option<LastRun>,
        left: usize,
        mut recorder: Recorder<'_>,
    ) -> (FlowOutcome, Option<Span>, Option<LedgerError>) {
        self.carry(&mut recorder).await;
        self.slices.sort_by_key(|slice| slice.span);
        let before = last.as_ref().map(|last| last.as_of);
        self.list(before, &mut recorder).await;
        let windows = self.slices.iter().flat_map(|slice| &slice.report.windows);
        let within = Within::Windows(windows.map(|(window, _)| window.0.from).collect());
        let life = recorder.life(before, &within).await;
        let life = life.map(|(life, acknowledged)| {
            let overdue = Some(Overdue { since: self.due_since(left) });
            (FlowLife { due: self.still_due(left), overdue, ..life }, acknowledged)
        });
        let away = recorder.away().cloned();
        let merged = merge(&self.flow.name, &names(self.flow), self.backlog, &self.slices);
        let span = merged.report.windows.iter().map(|(window, _)| window.0);
        let span = span.reduce(|one, other| Span::new(one.from.min(other.from), one.until.max(other.until)));
        let mut listed = recorder.listed;
        listed.sort();
        listed.dedup_by(|one, other| {
            one.id.is_some() && (&one.consumer, &one.id) == (&other.consumer, &other.id)
        });
        let mut outcome = FlowOutcome::new(merged, listed).alive(life, last);
        if left > 0 {
            outcome = outcome.incomplete(self.limit_hit(left));
        }
        (outcome.judged(self.flow, self.due.as_of), span, away)
    }

    fn limit_hit(&self, left: usize) -> Problem {
        let message = format!(
            "{left} window(s) are due and were not judged: this run judges {} at the most (--max-windows); the next runs go on with them, oldest first",
            self.due.windows_max
        );
        Problem { source: "-".to_owned(), flow: Some(self.flow.name.clone()), message }
    }

    /// When the oldest window was due that was never judged and waits for the next run. Those behind the limit come after
    /// all others.
    fn due_since(&self, left: usize) -> Option<Micros> {
        let settle = settle(self.flow);
        let new = || self.wanted.iter().filter(|window| !self.judged_before.contains(&window.0.from));
        let open = new().filter(|window| !self.is_firm(window)).map(|window| window.0.until);
        let behind = new().next_back().filter(|_| left > 0).map(|last| last.0.until.plus(self.flow.window));
        open.chain(behind).min().map(|until| until.plus(settle))
    }

    fn is_firm(&self, window: &Window) -> bool {
        self.slices.iter().flat_map(|slice| &slice.firm).any(|(firm, _)| firm == window)
    }

    /// Windows that wait for the next run: those behind the limit, those that could not be judged to their end, and those
    /// that the run did not come to.
    fn still_due(&self, left: usize) -> u64 {
        let judged: BTreeSet<_> =
            self.slices.iter().flat_map(|slice| &slice.firm).map(|(window, _)| *window).collect();
        let open = self.wanted.iter().filter(|window| !judged.contains(window)).count();
        (left + open) as u64
    }

    /// Windows that hold open differences and were not judged by this run: as the ledger counted them.
    async fn carry(&mut self, recorder: &mut Recorder<'_>) {
        let judged: BTreeSet<Micros> = self
            .slices
            .iter()
            .flat_map(|slice| &slice.report.windows)
            .map(|(window, _)| window.0.from)
            .collect();
        let Some(writer) = recorder.writer() else { return };
        let open = writer.ledger.lock().await.open_windows(&self.flow.name).await;
        let Some(open) = recorder.note(open) else { return };
        let open: Vec<_> = open.into_iter().filter(|from| !judged.contains(from)).collect();
        let Some(writer) = recorder.writer() else { return };
        let counted = writer.ledger.lock().await.counted(&self.flow.name, &open).await;
        for window in recorder.note(counted).unwrap_or_default() {
            let carried = Slice::carried(&self.flow.name, window.window, window.events, &window.consumers);
            self.slices.push(carried);
        }
    }

    /// Lists what this run did not find itself: what was found by the run that it goes on from, and what is open in
    /// windows that it did not read.
    async fn list(&self, last: Option<Micros>, recorder: &mut Recorder<'_>) {
        let seen_now = |entry: &Entry| entry.last_seen == self.due.as_of;
        let fits =
            |entry: &Entry| entry.state == State::Open || self.is_kept(entry.window_from) || seen_now(entry);
        recorder.list(last, fits).await;
    }

    /// Whether a window is one of a slice that an earlier run has judged.
    fn is_kept(&self, from: Option<Micros>) -> bool {
        let kept = self.slices.iter().filter(|slice| !self.fresh.contains(&slice.span));
        from.is_some_and(|from| kept.into_iter().any(|slice| slice.span.contains(from)))
    }
}
