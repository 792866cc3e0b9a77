//! Whatever happens between two runs: nobody is told twice, and nobody is left untold.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What happens between two runs, and how the second one goes.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a die of its own")]
struct Hour {
    come: u64,
    heal: bool,
    readable: bool,
    silenced: bool,
    deliverable: bool,
    killed: bool,
}

fn hours() -> impl Strategy<Value = Vec<Hour>> {
    let one = (prop_oneof![3 => Just(0), 1 => 1..4_u64], any::<[u8; 5]>()).prop_map(|(come, dice)| Hour {
        come,
        heal: dice[0] < 60,
        readable: dice[1] > 30,
        silenced: dice[2] < 40,
        deliverable: dice[3] > 90,
        killed: dice[4] < 30,
    });
    proptest::collection::vec(one, 1..60)
}

proptest! {
    /// No alert repeats without change or reminder, none is lost, every one that fires is cleared once, whatever deliveries
    /// fail and whatever runs die before they are recorded.
    #[test]
    fn nobody_is_told_twice_and_nobody_is_left_untold(hours in hours()) {
        let mut world = World::new(When::OnProblem);
        let mut outbox: Vec<Digest> = Vec::new();
        let mut received: Vec<Digest> = Vec::new();
        let mut open_now: Vec<Open> = Vec::new();
        for (at, what) in hours.iter().enumerate() {
            let at = i64::try_from(at).unwrap();
            if what.heal { open_now.clear(); }
            if what.come > 0 { open_now.push(open(hour(at), what.come)); }
            let silence = Silence {
                flow: None, consumer: None, metric: None, from: None, until: hour(at + 1), reason: String::new(),
            };
            world.silences = if what.silenced { vec![silence] } else { Vec::new() };
            let count = open_now.iter().map(|open| open.count).sum();
            let readings = if what.readable { vec![reading(Kind::Missing, count, 5)] } else { Vec::new() };
            let before = world.known.clone();
            let digest = world.look(hour(at), true, &readings, &open_now);
            if what.killed {
                // Alerts and deliveries are recorded together, or not at all.
                world.known = before;
                continue;
            }
            outbox.extend(digest);
            if what.deliverable { received.append(&mut outbox); }
            check_known(&world.known, &received, &outbox)?;
        }
        received.append(&mut outbox);
        check_story(&received, &hours)?;
    }
}

/// Whatever fires and is not silenced was told, or waits to be.
fn check_known(known: &[Alert], received: &[Digest], outbox: &[Digest]) -> Result<(), TestCaseError> {
    let last = received.iter().chain(outbox).flat_map(|digest| &digest.notices).next_back();
    let told = last.is_some_and(|notice| notice.event != Event::Cleared);
    for alert in known.iter().filter(|alert| alert.state == AlertState::Firing && alert.silenced.is_none()) {
        prop_assert!(told, "{alert:?} fires and nobody was told");
    }
    if known.iter().all(|alert| alert.state == AlertState::Cleared) {
        prop_assert!(!told, "nothing fires and nobody was told that it is over");
    }
    Ok(())
}

/// As the receiver reads it: it begins with new, ends with cleared, and each in between has a reason.
fn check_story(received: &[Digest], hours: &[Hour]) -> Result<(), TestCaseError> {
    let keys: BTreeSet<_> = received.iter().map(|digest| &digest.key).collect();
    prop_assert_eq!(keys.len(), received.len(), "a key stands for one message");
    let mut last: Option<(Micros, Verdict)> = None;
    for digest in received {
        prop_assert_eq!(digest.notices.len(), 1);
        let notice = &digest.notices[0];
        prop_assert_eq!(&notice.alert.silenced, &None, "nobody is told of what is silenced");
        prop_assert_eq!(
            &notice.alert.key,
            &AlertKey { flow: "f".to_owned(), consumer: Some("c".to_owned()), metric: "missing".to_owned() }
        );
        let came = |since: Micros| {
            hours.iter().enumerate().any(|(at, what)| {
                let at = hour(i64::try_from(at).unwrap());
                what.come > 0 && at > since && at <= digest.as_of
            })
        };
        match (notice.event, last) {
            (Event::Grown, Some((at, _))) => prop_assert!(notice.fresh > 0 && came(at)),
            (Event::Raised, Some((_, level))) => prop_assert!(notice.alert.level > level),
            (Event::Reminder, Some((at, _))) => prop_assert!(digest.as_of.since(at) >= REMIND),
            (Event::New, None) | (Event::Cleared, Some(_)) => {}
            (event, last) => prop_assert!(false, "{event:?} after {last:?}"),
        }
        last = (notice.event != Event::Cleared).then(|| {
            let worst = last.map_or(notice.alert.level, |(_, level)| level.max(notice.alert.level));
            (digest.as_of, worst)
        });
    }
    Ok(())
}
