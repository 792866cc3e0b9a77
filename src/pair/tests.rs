use super::*;

#[test]
fn what_was_set_aside_is_settled_or_held_with_all_that_came_of_its_id() {
    let mut pairing = Pairing::new(false, None, Room::within(1 << 20, 1));
    let (id, at) = (Id::from_text, |at| Some(Micros(at)));
    for name in ["once", "again", "dead", "twice"] {
        let settling = pairing.settle(0, || id(name), || Seen::of_pair(Micros(1), Micros(2), false));
        assert_eq!(settling, Some(Settling::Later));
    }
    assert!(pairing.is_empty(), "nothing is held yet");
    assert_eq!(pairing.settle_outside(&id("outside"), at(9)), Some(Settling::Now));
    assert_eq!(pairing.settle_outside(&id("twice"), at(9)), Some(Settling::Later));
    assert_eq!(pairing.receipt(id("again"), at(3)), None);
    let (mut settled, mut again) = (Vec::new(), Vec::new());
    let stands = pairing.recall([id("dead")].iter(), &mut |recalled| match recalled {
        Recalled::Settled(id, delivery) => {
            settled.push((id.to_string(), delivery.receipts, delivery.event.is_some()));
        }
        Recalled::Again(id, seen) => again.push((id.to_string(), seen.event().is_some())),
        Recalled::Merged(..) => panic!("no event came twice"),
    });
    assert!(!stands);
    let told = [("again", true), ("dead", true), ("twice", true), ("twice", false)];
    assert_eq!(again, told.map(|(id, event)| (id.to_owned(), event)));
    assert_eq!(settled, [("once".to_owned(), 1, true)]);
    pairing.close(false);
    let held = pairing.take(None, &mut |_, _, _| ());
    let receipts = |name: &str| held[&id(name)].receipts;
    let all = (receipts("again"), receipts("twice"), receipts("dead"));
    assert_eq!((held.len(), all), (3, (2, 2, 1)));
}

#[test]
fn what_was_set_aside_stands_where_nothing_came_again() {
    let mut pairing = Pairing::new(false, None, Room::within(1 << 20, 1));
    pairing.settle(0, || Id::from_text("a"), || Seen::of_pair(Micros(1), Micros(2), false));
    assert_eq!(pairing.receipt(Id::from_text("b"), Some(Micros(3))), None);
    let other = [Id::from_text("c")];
    assert!(pairing.recall(other.iter(), &mut |recalled| panic!("{recalled:?}")));
    assert!(pairing.recall(other.iter(), &mut |recalled| panic!("{recalled:?}")), "nothing is left");
}

#[test]
fn an_id_that_is_held_costs_little() {
    assert_eq!(size_of::<(Id, Seen)>(), 64);
}

#[test]
fn events_that_nobody_else_has_a_note_of_are_handed_over() {
    let new = || Pairing::new(false, None, Room::within(1 << 20, 1));
    let (mut witness, mut own) = (new(), new());
    let pair = |sole| Seen::of_pair(Micros(1), Micros(2), true).solely(sole);
    for (name, sole) in [("left to it", true), ("noted", false), ("receipt", true)] {
        let seen = if name == "receipt" { Seen::of_receipt(None).solely(sole) } else { pair(sole) };
        witness.set_aside(&Id::from_text(name), &seen);
    }
    witness.hand_over(&mut own);
    let again = ["left to it", "noted", "receipt"].map(Id::from_text);
    let mut told = Vec::new();
    own.recall(again.iter(), &mut |recalled| told.push(format!("{recalled:?}")));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("Again(\"left to it\""), "{told:?}");
    assert_eq!(own.lost(), None);
    witness.lose(&std::io::ErrorKind::StorageFull.into());
    witness.hand_over(&mut own);
    assert_eq!(own.lost(), witness.lost());
}
