//! What the contract asks of the scheduler, over random ledgers, zones and windows.

use super::*;
use crate::config;
use crate::model::time::{HOUR, MINUTE};
use crate::model::window::local_midnight;
use proptest::prelude::*;
use std::path::Path;

const ZONES: [Tz; 5] =
    [Tz::UTC, Tz::Europe__Berlin, Tz::America__New_York, Tz::America__Havana, Tz::Asia__Shanghai];
/// Each a day or two before a change of some zone's clock, or of none.
const DAYS: [&str; 7] = [
    "2026-03-07", // New York and Havana skip an hour on the 8th
    "2026-03-28", // Berlin skips one on the 29th
    "2026-10-24", // Berlin repeats one on the 25th
    "2026-10-31", // New York and Havana repeat one on the 1st
    "2026-02-27",
    "2026-12-30",
    "2026-06-15",
];
const SIZES: [i64; 6] = [HOUR, 5 * HOUR, 15 * MINUTE, 7 * HOUR, 24 * HOUR, 90 * MINUTE];

/// A flow with these times.
fn flow(window: i64, grace: i64, stuck_after: i64, recheck: i64) -> Flow {
    let text = "[databases.p]\nurl = 'sqlite://p.db'\ntime_zone = \"UTC\"\n[[flows]]\nname = \"orders\"\n[flows.events]\n\
                database = \"p\"\ntable = \"event\"\nid = \"msg_id\"\ncreated_at = \"created_at\"\nacked_at = \"sent_at\"\n\
                acked = \"status = 1\"\npending = \"status = 0\"\n[[flows.consumers]]\nname = \"points\"\ndatabase = \"p\"\n\
                table = \"consumed\"\nconsumer = \"consumer\"\nid = \"msg_id\"\nconsumed_at = \"consumed_at\"\n";
    let config = config::parse(text, Path::new("msgrecon.toml"), &|_| None, &|_| Ok(String::new()))
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    Flow { window, grace, stuck_after, recheck, ..config.flows[0].clone() }
}

fn midnight(day: &str, zone: Tz) -> Micros {
    local_midnight(day.parse().unwrap(), zone)
}

fn judged(window: Window, as_of: Micros) -> Known {
    Known { span: window.0, as_of, stale: false }
}

/// Everything that a scheduler may meet.
#[derive(Clone, Debug)]
struct World {
    zone: Tz,
    flow: Flow,
    watermark: Micros,
    as_of: Micros,
    known: Vec<Known>,
    open: Vec<Micros>,
}

impl World {
    fn settled(&self) -> Micros {
        self.as_of.plus(-self.flow.grace.max(self.flow.stuck_after))
    }

    fn agenda(&self, max: usize) -> Agenda {
        agenda(&self.flow, self.zone, self.as_of, self.watermark, &self.known, &self.open, max)
    }

    /// Every whole window of the zone that ends behind the watermark and is settled.
    fn all_due(&self) -> Vec<Window> {
        let mut at = aligned(&self.flow, self.zone, self.watermark);
        let mut windows = Vec::new();
        while let window = holding(at, self.flow.window, self.zone)
            && window.0.until <= self.settled()
        {
            windows.push(window);
            at = window.0.until;
        }
        windows
    }
}

prop_compose! {
    fn worlds()(
        zone in prop::sample::select(ZONES.to_vec()),
        day in prop::sample::select(DAYS.to_vec()),
        size in prop::sample::select(SIZES.to_vec()),
        times in (0_i64..90, 0_i64..90, 0_i64..60),
        hours in (0_i64..30, 0_i64..100),
        beside in prop::sample::select(vec![-1_i64, 0, 1, 17 * MINUTE]),
        picks in proptest::collection::vec((0_usize..100, any::<bool>(), any::<bool>(), 0_i64..60), 0..40),
        opened in proptest::collection::vec(0_i64..150, 0..4),
    ) -> World {
        let (grace, stuck_after, recheck) = times;
        let flow = flow(size, grace * MINUTE, stuck_after * MINUTE, recheck * HOUR);
        let begin = midnight(day, zone);
        let watermark = aligned(&flow, zone, begin.plus(hours.0 * HOUR));
        let as_of = watermark.plus(hours.1 * HOUR + flow.grace.max(flow.stuck_after) + beside);
        let windows = cut(Span::new(begin.plus(-DAY), as_of), size, zone, 1_000);
        let windows: Vec<_> = windows.into_iter().filter(|one| holding(one.0.from, size, zone) == *one).collect();
        let known = |(place, stale, late, hours): (usize, bool, bool, i64)| {
            let window = windows.get(place)?;
            let seen = if late { as_of.plus(HOUR) } else { as_of.plus(-hours * HOUR) };
            Some(Known { span: window.0, as_of: seen, stale: stale && hours % 3 == 0 })
        };
        let known = picks.into_iter().filter_map(known).collect();
        let open = opened.into_iter().map(|hours| begin.plus((hours - 24) * HOUR)).collect();
        World { zone, flow, watermark, as_of, known, open }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn due_windows_and_judged_ones_tile_the_time_from_the_watermark_to_what_is_settled(world in worlds()) {
        let agenda = world.agenda(usize::MAX);
        prop_assert_eq!(agenda.left, 0);
        let mut at = aligned(&world.flow, world.zone, world.watermark);
        for window in world.all_due() {
            prop_assert_eq!(window.0.from, at, "a hole or an overlap");
            let known = world.known.iter().any(|known| known.span == window.0);
            prop_assert!(known || agenda.windows.contains(&window), "{:?} is nobody's", window);
            at = window.0.until;
        }
        // The next one is not settled.
        prop_assert!(holding(at, world.flow.window, world.zone).0.until > world.settled());
    }

    #[test]
    fn an_agenda_is_in_order_whole_settled_and_names_each_window_once(world in worlds()) {
        let agenda = world.agenda(usize::MAX);
        for window in &agenda.windows {
            prop_assert_eq!(holding(window.0.from, world.flow.window, world.zone), *window);
            prop_assert!(window.0.until <= world.settled());
            prop_assert!(!window.0.is_empty());
        }
        for pair in agenda.windows.windows(2) {
            prop_assert!(pair[0].0.until <= pair[1].0.from);
        }
    }

    #[test]
    fn the_cap_takes_the_oldest_and_says_how_many_are_left(world in worlds(), max in 0_usize..20) {
        let (all, some) = (world.agenda(usize::MAX), world.agenda(max));
        prop_assert_eq!(some.new, all.new.min(max));
        prop_assert_eq!(some.new + some.left, all.new);
        let known = |window: &&Window| world.known.iter().any(|known| known.span == window.0)
            || world.open.iter().any(|at| window.0.contains(*at));
        let fresh = |agenda: &Agenda| -> Vec<Window> {
            agenda.windows.iter().filter(|window| !known(window)).copied().collect()
        };
        let (all, some) = (fresh(&all), fresh(&some));
        prop_assert_eq!(&all[..some.len()], &some[..], "the oldest come first");
    }

    #[test]
    fn runs_with_a_cap_come_to_the_end_of_a_catch_up_in_time_order(world in worlds(), max in 1_usize..9) {
        let mut world = World { known: Vec::new(), open: Vec::new(), ..world };
        let mut seen = Vec::new();
        loop {
            let agenda = world.agenda(max);
            let new: Vec<_> = agenda.windows.iter().filter(|one| one.0.from >= world.watermark).copied().collect();
            world.watermark = new.last().map_or(world.watermark, |last| last.0.until);
            seen.extend(new.iter().copied());
            prop_assert!(agenda.left == 0 || agenda.new == max);
            if agenda.left == 0 {
                break;
            }
        }
        let (end, start) = (World { watermark: world.watermark, ..world.clone() }, seen.first().copied());
        prop_assert_eq!(end.agenda(usize::MAX).new, 0);
        let begin = start.map_or(world.watermark, |first| first.0.from);
        prop_assert_eq!(seen, World { watermark: begin, ..world }.all_due());
    }

    #[test]
    fn what_is_in_the_recheck_span_or_stale_comes_again_and_nothing_else_does(world in worlds()) {
        let agenda = world.agenda(usize::MAX);
        let due = world.all_due();
        for known in &world.known {
            let window = holding(known.span.from, world.flow.window, world.zone);
            let again = world.known.iter().any(|other| {
                // Ended within the recheck span, or was last judged within that span after its end.
                let young = other.span.until > world.as_of.plus(-world.flow.recheck)
                    || other.as_of.since(other.span.until) < world.flow.recheck;
                other.span == known.span && other.as_of <= world.as_of && (other.stale || young)
            });
            let asked = world.open.iter().any(|at| window.0.contains(*at));
            let wanted = (again || asked) && known.span.until <= world.settled();
            prop_assert_eq!(agenda.windows.contains(&window), wanted, "{:?} of {:?}", known, due.len());
        }
    }

    #[test]
    fn a_window_of_another_size_leaves_no_hole(
        world in worlds(), size in prop::sample::select(SIZES.to_vec()), stale in proptest::collection::vec(0_usize..100, 0..4),
    ) {
        // Everything up to some instant was judged in windows of the old size, and some of them have changed since.
        let old = world.all_due();
        let mut known: Vec<_> = old.iter().take(old.len() / 2).map(|window| judged(*window, Micros(0))).collect();
        known.iter_mut().enumerate().for_each(|(place, known)| known.stale = stale.contains(&place));
        let begin = known.first().map_or(world.watermark, |first| first.span.from);
        let until = known.last().map_or(world.watermark, |last| last.span.until);
        let flow = Flow { window: size, ..world.flow.clone() };
        let now = World { flow, known, open: Vec::new(), watermark: until, ..world };
        let agenda = now.agenda(usize::MAX);
        // As the ledger does: a new window takes the place of those that it overlaps.
        let overlaps = |one: &Span| agenda.windows.iter().any(|new| one.from < new.0.until && new.0.from < one.until);
        let kept = now.known.iter().map(|known| known.span).filter(|span| !overlaps(span));
        let mut spans: Vec<_> = kept.chain(agenda.windows.iter().map(|window| window.0)).collect();
        spans.sort();
        for known in &now.known {
            let again = known.stale || known.span.until > now.as_of.plus(-now.flow.recheck);
            let over = holding(known.span.from, size, now.zone);
            prop_assert!(!again || over.0.until > now.settled() || agenda.windows.contains(&over));
        }
        let mut at = begin;
        for span in spans {
            prop_assert!(span.from <= at || holding(at, size, now.zone).0.until > now.settled(), "a hole from {}", at);
            at = at.max(span.until);
        }
        prop_assert!(holding(at, size, now.zone).0.until > now.settled(), "nothing from {} on", at);
    }

    #[test]
    fn slices_keep_the_order_hold_neighbours_only_and_have_their_bounds(
        world in worlds(), gaps in proptest::collection::vec(any::<bool>(), 300), repeated in any::<bool>(),
    ) {
        let windows: Vec<_> = world.all_due().into_iter().zip(gaps).filter(|(_, keep)| *keep).map(|(one, _)| one).collect();
        let slices = slices(&windows, repeated);
        let flat: Vec<_> = slices.iter().flatten().copied().collect();
        prop_assert_eq!(flat, windows);
        for slice in &slices {
            for pair in slice.windows(2) {
                prop_assert_eq!(pair[0].0.until, pair[1].0.from);
            }
            let length = slice[slice.len() - 1].0.until.since(slice[0].0.from);
            let longest = if repeated { 7 * DAY } else { DAY };
            prop_assert!(length <= longest || slice.len() == 1, "{} h", length / HOUR);
            prop_assert!(repeated || slice.len() <= 24);
        }
    }
}

#[test]
fn slices_are_as_long_as_they_may_be() {
    let day = midnight("2026-06-15", Tz::UTC);
    let windows = cut(Span::new(day, day.plus(50 * HOUR)), HOUR, Tz::UTC, 100);
    let lengths = |repeated| slices(&windows, repeated).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(false), [24, 24, 2]);
    assert_eq!(lengths(true), [50]);
    let days = cut(Span::new(day, day.plus(10 * DAY)), DAY, Tz::UTC, 100);
    assert_eq!(slices(&days, false).len(), 10);
    assert_eq!(slices(&days, true).iter().map(Vec::len).collect::<Vec<_>>(), [7, 3]);
    let quarters = cut(Span::new(day, day.plus(12 * HOUR)), 15 * MINUTE, Tz::UTC, 100);
    assert_eq!(slices(&quarters, false).iter().map(Vec::len).collect::<Vec<_>>(), [24, 24]);
    assert_eq!(slices(&[], false), Vec::<Vec<Window>>::new());
}

#[test]
fn days_of_23_and_25_hours_have_as_many_due_windows() {
    let cases = [
        ("2026-03-29", Tz::Europe__Berlin, 23),
        ("2026-10-25", Tz::Europe__Berlin, 25),
        ("2026-03-08", Tz::America__New_York, 23),
        ("2026-11-01", Tz::America__New_York, 25),
        ("2026-03-08", Tz::America__Havana, 23),
        ("2026-11-01", Tz::America__Havana, 25),
    ];
    for (day, zone, hours) in cases {
        let hourly = flow(HOUR, 15 * MINUTE, 10 * MINUTE, 0);
        let begin = midnight(day, zone);
        let as_of = begin.plus(hours * HOUR + 15 * MINUTE);
        let windows = |flow: &Flow, as_of| agenda(flow, zone, as_of, begin, &[], &[], usize::MAX).windows;
        let due = windows(&hourly, as_of);
        assert_eq!(due.len(), usize::try_from(hours).unwrap(), "{day} {zone}");
        assert_eq!(due.last().unwrap().0.until, begin.plus(hours * HOUR), "{day} {zone}");
        assert_eq!(windows(&hourly, as_of.plus(-1)).len(), due.len() - 1, "a microsecond before");
        // The fifth window of a day ends with it, whatever its length.
        let five = flow(5 * HOUR, 15 * MINUTE, 10 * MINUTE, 0);
        let due = windows(&five, as_of);
        assert_eq!((due.len(), due[4].0.micros()), (5, (hours - 20) * HOUR), "{day} {zone}");
        let daily = flow(DAY, 15 * MINUTE, 10 * MINUTE, 0);
        let whole = Window(Span::new(begin, begin.plus(hours * HOUR)));
        assert_eq!((windows(&daily, as_of), windows(&daily, as_of.plus(-1))), (vec![whole], Vec::new()));
        assert_eq!(next_due(&daily, zone, begin.plus(HOUR)), as_of, "{day} {zone}");
    }
}

#[test]
fn a_window_is_due_when_grace_and_stuck_after_are_both_over() {
    let begin = midnight("2026-06-15", Tz::UTC);
    for (grace, stuck_after) in [(15, 10), (10, 15), (0, 15), (15, 15)] {
        let flow = flow(HOUR, grace * MINUTE, stuck_after * MINUTE, 0);
        let due = |minutes: i64| {
            agenda(&flow, Tz::UTC, begin.plus(minutes * MINUTE), begin, &[], &[], usize::MAX).new
        };
        assert_eq!((due(74), due(75), due(134), due(135)), (0, 1, 1, 2), "{grace} {stuck_after}");
    }
}

#[test]
fn a_final_window_comes_again_only_for_what_changed_in_it() {
    let begin = midnight("2026-06-15", Tz::UTC);
    let flow = flow(HOUR, 15 * MINUTE, 10 * MINUTE, 24 * HOUR);
    let as_of = begin.plus(40 * HOUR);
    let windows = cut(Span::new(begin, begin.plus(39 * HOUR)), HOUR, Tz::UTC, 100);
    let mut known: Vec<_> = windows.iter().map(|window| judged(*window, as_of.plus(-HOUR))).collect();
    let again = |known: &[Known]| agenda(&flow, Tz::UTC, as_of, begin.plus(39 * HOUR), known, &[], 9).windows;
    assert_eq!(again(&known), windows[15..], "within 24 h, and one that was judged 23 h after its end");
    known[3].stale = true;
    assert_eq!(again(&known), [&windows[3..4], &windows[15..]].concat());
    // A run as of an earlier instant does not undo what a later one has judged.
    known.iter_mut().for_each(|known| known.as_of = as_of.plus(1));
    assert_eq!(again(&known), []);
}
