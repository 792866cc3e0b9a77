//! Several targets, each with a part of what happens.

use super::*;

/// Alerts of one run of two flows, after it was told.
fn alert(flow: &str, level: Verdict, told_at: i64, at: i64) -> Vec<Step> {
    let key =
        AlertKey { flow: flow.to_owned(), consumer: Some("c".to_owned()), metric: "missing".to_owned() };
    let before = Alert {
        key,
        state: AlertState::Firing,
        level,
        value: "1".to_owned(),
        bound: "1".to_owned(),
        since: hour(told_at),
        held: 1,
        seen_at: hour(told_at),
        seen_from: hour(told_at),
        seen_until: hour(told_at),
        told_at: Some(hour(told_at)),
        told_level: Some(level),
        told_ahead: 0,
        cleared_at: None,
        silenced: None,
    };
    let policy = Policy { as_of: hour(at), remind: REMIND, silences: &[] };
    let looked =
        Looked { flow, scheduled: true, from: hour(at - 1), until: hour(at), readings: &[], open: &[] };
    step(&[before], &looked, &policy)
}

fn told(at: i64, targets: &[Target], steps: &mut [Step]) -> Vec<(String, usize)> {
    let mut run = run(hour(at));
    run.flows.push(FlowReport { name: "g".to_owned(), ..flow(Verdict::Pass) });
    let targets: Vec<_> = targets.iter().map(|target| (target.clone(), Told::default())).collect();
    let found = digests(&run, &targets, steps);
    found.into_iter().map(|(target, digest)| (target.name, digest.notices.len())).collect()
}

fn of(name: &str, flows: &[&str], level: Option<Verdict>) -> Target {
    let one = target(When::OnProblem);
    let flows = flows.iter().map(|flow| (*flow).to_owned()).collect();
    Target { name: name.to_owned(), flows, route: Route { level, ..one.route.clone() }, ..one }
}

#[test]
fn what_one_target_hears_of_leaves_no_other_without_reminders() {
    let both = of("mail", &["f", "g"], None);
    let mut steps = [alert("f", Verdict::Warn, 0, 6), alert("g", Verdict::Warn, 3, 6)].concat();
    assert_eq!(told(6, &[both.clone(), of("channel:g", &["g"], None)], &mut steps), [("mail".to_owned(), 1)]);
    assert_eq!(steps[1].alert.told_at, Some(hour(3)));
    // Where nobody else waits for it, it was told with the rest.
    let mut steps = [alert("f", Verdict::Warn, 0, 6), alert("g", Verdict::Warn, 3, 6)].concat();
    told(6, &[both, of("channel:f", &["f"], None)], &mut steps);
    assert_eq!(steps[1].alert.told_at, Some(hour(6)));
}

#[test]
fn one_who_is_told_of_the_worst_alone_does_not_hear_the_end_of_the_rest() {
    let mut world = World::new(When::OnProblem);
    world.target.route.level = Some(Verdict::Fail);
    assert_eq!(world.missing(1, &[open(hour(1), 1)]), []);
    let silence = Silence {
        flow: None,
        consumer: None,
        metric: None,
        from: None,
        until: hour(3),
        reason: String::new(),
    };
    world.silences = vec![silence];
    assert_eq!(world.missing(2, &[open(hour(2), 9)]), []);
    assert_eq!(world.missing(3, &[]), []);
    assert_eq!(world.missing(4, &[open(hour(4), 9)]), [(Event::New, 9)]);
    assert_eq!(world.missing(5, &[open(hour(4), 1)]), []);
    assert_eq!(world.missing(6, &[]), [(Event::Cleared, 0)]);
}

#[test]
fn a_run_as_of_an_earlier_instant_makes_no_news_of_what_was_told() {
    let mut world = World::new(When::OnProblem);
    let one = [open(hour(8), 2)];
    assert_eq!(world.missing(8, &one), [(Event::New, 2)]);
    let other = Reading { metric: "latency_p95".to_owned(), kind: None, ..reading(Kind::Late, 1, 5) };
    assert_eq!(events(world.look(hour(4), false, &[other], &one)), [(Event::New, 0)]);
    assert_eq!(world.missing(9, &one), []);
}

#[test]
fn an_older_range_makes_nothing_look_better() {
    let mut world = World::new(When::OnProblem);
    let many = [open(hour(5), 9)];
    assert_eq!(world.missing(5, &many), [(Event::New, 9)]);
    let policy = Policy { as_of: hour(6), remind: REMIND, silences: &[] };
    let few = [reading(Kind::Missing, 1, 5)];
    let looked =
        Looked { flow: "f", scheduled: false, from: hour(0), until: hour(1), readings: &few, open: &many };
    let after = &step(&world.known, &looked, &policy)[0].alert;
    assert_eq!((after.level, after.value.as_str()), (Verdict::Fail, "9"));
}

#[test]
fn what_nobody_watches_any_more_ends() {
    let mut world = World::new(When::OnProblem);
    assert_eq!(world.missing(1, &[open(hour(1), 1)]), [(Event::New, 1)]);
    let end = retired(&world.known[0], hour(2)).unwrap();
    assert_eq!((end.event, end.alert.state), (Some(Event::Cleared), AlertState::Cleared));
    assert_eq!(retired(&end.alert, hour(3)), None);
    let untold = Alert { told_at: None, ..world.known[0].clone() };
    assert_eq!(retired(&untold, hour(2)), None);
}
