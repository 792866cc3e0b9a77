//! What is told of before its window is due: nothing of it is a difference yet.

use super::*;

fn stuck(count: u64, ahead: u64) -> Reading {
    Reading { consumer: None, ahead, held: Some(0), ..reading(Kind::Stuck, count, 50) }
}

fn stuck_open(since: Micros, count: u64) -> Open {
    Open { consumer: None, kind: Kind::Stuck, since, count }
}

#[test]
fn what_was_told_ahead_of_its_window_is_no_news_in_it() {
    let mut world = World::new(When::OnProblem);
    let mut at = |at: i64, ahead: u64, open: &[Open]| {
        let count = ahead + open.iter().map(|open| open.count).sum::<u64>();
        let reading = Reading { ahead, held: Some(0), ..reading(Kind::Missing, count, 50) };
        events(world.look(hour(at), true, &[reading], open))
    };
    assert_eq!(at(1, 3, &[]), [(Event::New, 3)]);
    assert_eq!(at(2, 0, &[open(hour(2), 3)]), []);
    assert_eq!(at(3, 2, &[open(hour(2), 3)]), [(Event::Grown, 2)]);
    assert_eq!(at(4, 1, &[open(hour(2), 3), open(hour(4), 2)]), [(Event::Grown, 1)]);
    assert_eq!(at(5, 0, &[]), [(Event::Cleared, 0)]);
}

#[test]
fn a_run_that_cannot_look_ahead_makes_no_news_of_what_was_told() {
    let mut world = World::new(When::OnProblem);
    assert_eq!(events(world.look(hour(1), true, &[stuck(3, 3)], &[])), [(Event::New, 3)]);
    // The event table cannot be read, and somebody is told so.
    let incomplete = Reading { metric: "incomplete".to_owned(), kind: None, ..stuck(1, 0) };
    assert_eq!(events(world.look(hour(2), true, &[incomplete], &[])), [(Event::New, 0)]);
    assert_eq!(world.look(hour(3), true, &[stuck(3, 3)], &[]), None);
    // A range of yesterday finds nothing of it, or something else.
    assert_eq!(world.look(hour(4), false, &[stuck(0, 0)], &[]), None);
    let old = [stuck_open(hour(5), 1)];
    assert_eq!(events(world.look(hour(5), false, &[stuck(1, 0)], &old)), [(Event::Grown, 1)]);
    assert_eq!(world.look(hour(6), true, &[stuck(4, 3)], &old), None);
    assert_eq!(events(world.look(hour(7), true, &[stuck(0, 0)], &[])), [(Event::Cleared, 0)]);
}

#[test]
fn what_was_told_ahead_and_is_gone_hides_nothing_that_comes_later() {
    let mut world = World::new(When::OnProblem);
    assert_eq!(events(world.look(hour(1), true, &[stuck(40, 40)], &[])), [(Event::New, 40)]);
    assert_eq!(world.look(hour(2), true, &[stuck(1, 0)], &[stuck_open(hour(2), 1)]), None);
    let more = [stuck_open(hour(2), 1), stuck_open(hour(3), 20)];
    assert_eq!(events(world.look(hour(3), true, &[stuck(21, 0)], &more)), [(Event::Grown, 20)]);
}
