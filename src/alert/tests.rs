//! The life of alerts over sequences of runs, held to what a person who is told expects.

mod ahead;
mod story;
mod whom;

use super::*;
use crate::config::notify::{Route, Silence, When};
use crate::judge::Reading;
use crate::model::alert::{Alert, AlertKey, AlertState, Digest, Event, Occasion, Open};
use crate::model::time::HOUR;
use crate::model::{FlowReport, Kind, Micros, Outcome, Run, Span, Verdict};

const REMIND: i64 = 6 * HOUR;

fn hour(hour: i64) -> Micros {
    Micros(1_700_000_000_000_000).plus(hour * HOUR)
}

fn flow(verdict: Verdict) -> FlowReport {
    FlowReport {
        name: "f".to_owned(),
        outcome: Outcome::Balanced,
        complete: true,
        verdict,
        events: None,
        backlog: None,
        windows: Vec::new(),
        consumers: Vec::new(),
        acknowledged: Vec::new(),
        life: None,
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}

fn run(at: Micros) -> Run {
    Run {
        id: format!("r{}", at.0),
        version: String::new(),
        as_of: at,
        span: Span::new(at.plus(-HOUR), at),
        time_zone: chrono_tz::Tz::UTC,
        scheduled: true,
        last_run: None,
        outcome: Outcome::Balanced,
        complete: true,
        verdict: Verdict::Pass,
        exit_code: 0,
        flows: vec![flow(Verdict::Pass)],
        differences: Vec::new(),
        differences_total: 0,
        problems: Vec::new(),
    }
}

fn reading(kind: Kind, count: u64, fail_at: u64) -> Reading {
    let level = (count > 0).then_some(if count >= fail_at { Verdict::Fail } else { Verdict::Warn });
    Reading {
        consumer: Some("c".to_owned()),
        metric: kind.name().to_owned(),
        kind: Some(kind),
        level,
        unwell: level.is_some(),
        whole: true,
        value: count.to_string(),
        bound: "1".to_owned(),
        ahead: 0,
        hold: 0,
        held: None,
        tail: 0,
    }
}

fn target(when: When) -> Target {
    Target {
        name: "mail".to_owned(),
        owner: None,
        flows: vec!["f".to_owned()],
        route: Route { when, ..Route::default() },
        wants_all: false,
        all_quiet: None,
    }
}

fn open(since: Micros, count: u64) -> Open {
    Open { consumer: Some("c".to_owned()), kind: Kind::Missing, since, count }
}

/// One flow over many runs: what is known, and what was told.
struct World {
    known: Vec<Alert>,
    silences: Vec<Silence>,
    target: Target,
    told: Told,
}

impl World {
    fn new(when: When) -> Self {
        Self { known: Vec::new(), silences: Vec::new(), target: target(when), told: Told::default() }
    }

    fn look(&mut self, at: Micros, scheduled: bool, readings: &[Reading], open: &[Open]) -> Option<Digest> {
        let policy = Policy { as_of: at, remind: REMIND, silences: &self.silences };
        let looked = Looked { flow: "f", scheduled, from: at.plus(-HOUR), until: at, readings, open };
        let mut steps = step(&self.known, &looked, &policy);
        let run = Run { scheduled, ..run(at) };
        let found = digests(&run, &[(self.target.clone(), self.told)], &mut steps);
        self.known = steps.into_iter().map(|step| step.alert).collect();
        found.into_iter().map(|(_, digest)| digest).next()
    }

    fn missing(&mut self, at: i64, open: &[Open]) -> Vec<(Event, u64)> {
        let count = open.iter().map(|open| open.count).sum();
        let digest = self.look(hour(at), true, &[reading(Kind::Missing, count, 5)], open);
        events(digest)
    }
}

fn events(digest: Option<Digest>) -> Vec<(Event, u64)> {
    digest.map_or_else(Vec::new, |digest| {
        digest.notices.iter().map(|notice| (notice.event, notice.fresh)).collect()
    })
}

#[test]
fn somebody_is_told_of_change_reminded_slowly_and_told_when_it_is_over() {
    let mut world = World::new(When::OnProblem);
    let three = [open(hour(1), 3)];
    assert_eq!(world.missing(0, &[]), []);
    assert_eq!(world.missing(1, &three), [(Event::New, 3)]);
    for at in 2..7 {
        assert_eq!(world.missing(at, &three), [], "{at}");
    }
    assert_eq!(world.missing(7, &three), [(Event::Reminder, 0)]);
    let grown = [open(hour(1), 3), open(hour(8), 1)];
    assert_eq!(world.missing(8, &grown), [(Event::Grown, 1)]);
    assert_eq!(world.missing(9, &grown), []);
    // One healed and one came: the count is the same, the set is not.
    let other = [open(hour(1), 2), open(hour(8), 1), open(hour(10), 1)];
    assert_eq!(world.missing(10, &other), [(Event::Grown, 1)]);
    let many = [open(hour(1), 2), open(hour(11), 3)];
    assert_eq!(world.missing(11, &many), [(Event::Raised, 3)]);
    assert_eq!(world.missing(12, &[]), [(Event::Cleared, 0)]);
    assert_eq!(world.missing(13, &[]), []);
    assert_eq!(world.missing(14, &[open(hour(14), 1)]), [(Event::New, 1)]);
}

#[test]
fn the_same_run_again_tells_nothing() {
    let mut world = World::new(When::OnProblem);
    let one = [open(hour(1), 1)];
    assert_eq!(world.missing(1, &one), [(Event::New, 1)]);
    assert_eq!(world.missing(1, &one), []);
    assert_eq!(world.missing(2, &[]), [(Event::Cleared, 0)]);
    assert_eq!(world.missing(2, &[]), []);
}

#[test]
fn on_change_knows_no_reminders_and_always_tells_every_run() {
    let one = [open(hour(1), 1)];
    let mut world = World::new(When::OnChange);
    assert_eq!(world.missing(1, &one), [(Event::New, 1)]);
    assert_eq!(world.missing(9, &one), []);
    let mut world = World::new(When::Always);
    let digest = world.look(hour(1), true, &[reading(Kind::Missing, 0, 5)], &[]).unwrap();
    assert_eq!((digest.occasion, digest.status()), (Occasion::Report, "OK"));
}

#[test]
fn what_could_not_be_read_is_not_well() {
    let mut world = World::new(When::OnProblem);
    let one = [open(hour(1), 1)];
    assert_eq!(world.missing(1, &one), [(Event::New, 1)]);
    assert_eq!(world.look(hour(2), true, &[], &one), None);
    assert_eq!(world.known[0].state, AlertState::Firing);
    assert_eq!(events(world.look(hour(8), true, &[], &one)), [(Event::Reminder, 0)]);
    // A part of it is read, and that is well.
    let part = Reading { whole: false, ..reading(Kind::Missing, 0, 5) };
    assert_eq!(world.look(hour(9), true, &[part], &one), None);
    assert_eq!(world.known[0].state, AlertState::Firing);
    assert_eq!(world.missing(10, &[]), [(Event::Cleared, 0)]);
}

#[test]
fn a_range_clears_only_what_is_open_nowhere() {
    let mut world = World::new(When::OnProblem);
    let one = [open(hour(1), 1)];
    assert_eq!(world.missing(1, &one), [(Event::New, 1)]);
    let well = [reading(Kind::Missing, 0, 5)];
    assert_eq!(world.look(hour(2), false, &well, &one), None);
    assert_eq!(world.known[0].state, AlertState::Firing);
    assert_eq!(events(world.look(hour(3), false, &well, &[])), [(Event::Cleared, 0)]);
    // A metric that nothing is open of: the range must look at what is at least as new.
    let late = |count| [reading(Kind::Late, count, 5)];
    let mut world = World::new(When::OnProblem);
    assert_eq!(events(world.look(hour(5), true, &late(1), &[])), [(Event::New, 0)]);
    let policy = Policy { as_of: hour(6), remind: REMIND, silences: &[] };
    let looked =
        Looked { flow: "f", scheduled: false, from: hour(2), until: hour(4), readings: &late(0), open: &[] };
    assert_eq!(step(&world.known, &looked, &policy)[0].alert.state, AlertState::Firing);
    let short = Looked { from: hour(5), until: hour(6), ..looked };
    assert_eq!(step(&world.known, &short, &policy)[0].alert.state, AlertState::Firing);
    let looked = Looked { until: hour(6), ..looked };
    assert_eq!(step(&world.known, &looked, &policy)[0].event, Some(Event::Cleared));
}

#[test]
fn a_silence_holds_back_and_its_end_tells() {
    let mut world = World::new(When::OnProblem);
    world.silences = vec![Silence {
        flow: Some("f".to_owned()),
        consumer: None,
        metric: Some("missing".to_owned()),
        from: None,
        until: hour(5),
        reason: "migration".to_owned(),
    }];
    let one = [open(hour(1), 1)];
    assert_eq!(world.missing(1, &one), []);
    assert_eq!(world.known[0].silenced.as_ref().unwrap().reason, "migration");
    assert_eq!(world.missing(4, &one), []);
    assert_eq!(world.missing(5, &one), [(Event::New, 1)]);
    let mut world = World { known: Vec::new(), ..world };
    assert_eq!(world.missing(1, &one), []);
    assert_eq!(world.missing(2, &[]), [], "nobody was told that it fired");
    assert_eq!(world.known, []);
}

#[test]
fn a_bound_may_have_to_be_reached_for_some_time() {
    let mut world = World::new(When::OnProblem);
    let held = |count, held| [Reading { hold: 3, held, ..reading(Kind::Late, count, 5) }];
    assert_eq!(world.look(hour(1), true, &held(1, Some(2)), &[]), None);
    assert_eq!(world.known[0].state, AlertState::Pending);
    assert_eq!(events(world.look(hour(2), true, &held(1, Some(3)), &[])), [(Event::New, 0)]);
    // Not measured by window: runs in a row.
    let mut world = World::new(When::OnProblem);
    for at in 1..3 {
        assert_eq!(world.look(hour(at), true, &held(1, None), &[]), None, "{at}");
    }
    assert_eq!(events(world.look(hour(3), true, &held(1, None), &[])), [(Event::New, 0)]);
    let mut world = World::new(When::OnProblem);
    assert_eq!(world.look(hour(1), true, &held(1, None), &[]), None);
    assert_eq!(world.look(hour(2), true, &held(0, None), &[]), None);
    assert_eq!(world.known, []);
}

#[test]
fn windows_in_a_row_are_counted_over_the_runs_that_read_them() {
    let mut world = World::new(When::OnProblem);
    let mut day = |at: i64, newest: bool| {
        // Each run reads the window of the day and the one before, again.
        let reading =
            Reading { hold: 3, held: Some(1), tail: u64::from(newest), ..reading(Kind::Late, 1, 5) };
        events(world.look(hour(at), true, &[reading], &[]))
    };
    assert_eq!([day(1, true), day(2, false), day(3, true), day(4, true)], [[]; 4]);
    assert_eq!(day(4, true), [], "the same run again counts nothing twice");
    assert_eq!(day(5, true), [(Event::New, 0)]);
}

#[test]
fn quiet_is_told_once_in_a_while_and_only_when_it_is() {
    let mut world = World::new(When::OnProblem);
    world.target.all_quiet = Some(7 * 24 * HOUR);
    let quiet = |world: &mut World, at| {
        world.look(hour(at), true, &[reading(Kind::Missing, 0, 5)], &[]).map(|digest| digest.occasion)
    };
    assert_eq!(quiet(&mut world, 0), None);
    world.told.last = Some(hour(0));
    assert_eq!(quiet(&mut world, 167), None);
    assert_eq!(quiet(&mut world, 168), Some(Occasion::AllQuiet));
}

#[test]
fn a_service_that_forgets_is_told_everything_by_every_run() {
    let mut world = World::new(When::OnProblem);
    world.target.wants_all = true;
    let one = [open(hour(1), 1)];
    world.told.run_before = Some(hour(0));
    assert_eq!(world.missing(1, &one).len(), 1);
    let at = |world: &mut World, at: i64, open: &[Open]| {
        world.told.run_before = Some(hour(at - 1));
        let count = open.iter().map(|open| open.count).sum();
        let digest = world.look(hour(at), true, &[reading(Kind::Missing, count, 5)], open);
        digest.map(|digest| (digest.firing.len(), digest.cleared.len()))
    };
    assert_eq!(at(&mut world, 2, &one), Some((1, 0)));
    assert_eq!(at(&mut world, 3, &[]), Some((0, 1)));
    assert_eq!(at(&mut world, 4, &[]), Some((0, 1)));
    assert_eq!(at(&mut world, 5, &[]), None);
}

#[test]
fn a_key_stands_for_a_state() {
    let digest = |at: i64, count: u64, name: &str| {
        let mut world = World::new(When::Always);
        name.clone_into(&mut world.target.name);
        let found = world.look(hour(at), true, &[reading(Kind::Missing, count, 5)], &[open(hour(at), count)]);
        found.unwrap().key
    };
    let first = digest(1, 2, "mail");
    assert_eq!(first, digest(1, 2, "mail"));
    for other in [digest(2, 2, "mail"), digest(1, 3, "mail"), digest(1, 2, "channel:x")] {
        assert_ne!(first, other);
    }
    assert!(first.chars().all(|c| c.is_ascii_hexdigit()) && first.len() == 32);
}
