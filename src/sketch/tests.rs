//! Sketches against a plain count of every id.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn digest(number: u32) -> Digest {
    Digest::of(&Id::from_text(&format!("id-{number}")))
}

fn sketch(ids: &[u32], buckets: u32) -> Sketch {
    let mut sketch = Sketch::new(buckets);
    ids.iter().for_each(|id| sketch.add(digest(*id)));
    sketch
}

/// How often more each id is on the left.
fn naive(left: &[u32], right: &[u32]) -> BTreeMap<u32, i64> {
    let mut counts = BTreeMap::new();
    left.iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    right.iter().for_each(|id| *counts.entry(*id).or_default() -= 1);
    counts.retain(|_, times| *times != 0);
    counts
}

fn difference(left: &[u32], right: &[u32], buckets: u32) -> Sketch {
    let mut left = sketch(left, buckets);
    left.subtract(&sketch(right, buckets));
    left
}

#[test]
fn the_digest_is_sha_256_of_the_exact_bytes() {
    // FIPS 180-2, B.1, and the digest of nothing.
    assert_eq!(Digest::of(&Id::from_text("abc")).word, 0xb410_ff61_f200_15ad);
    assert_eq!(Digest::of(&Id::from_text("")).word, 0xa495_991b_7852_b855);
    assert_eq!(Digest::of(&Id::from_integer(42)), Digest::of(&Id::from_text("42")));
    let uuid = "6ccd780c-baba-1026-9564-5b8c656024db";
    assert_eq!(
        Digest::of(&Id::from_uuid_text(uuid.to_uppercase().as_bytes())),
        Digest::of(&Id::from_text(uuid))
    );
}

#[test]
fn what_cancels_under_xor_does_not_cancel_here() {
    let left = difference(&[1, 2, 2], &[1], 1 << 10);
    assert_eq!(left.differing().count(), 1, "an id twice is not the same as not at all");
    let one_lost_one_twice = difference(&[1, 2], &[1, 1], 1 << 10);
    assert_eq!((one_lost_one_twice.rows(), one_lost_one_twice.differing().count()), (0, 2));
    let mut same_bucket = difference(&[7], &[9], 1);
    assert!(same_bucket.differing().eq([0]), "equal counts with unequal ids");
    same_bucket.merge(&difference(&[9], &[7], 1));
    assert_eq!(same_bucket.differing().count(), 0, "what comes a slice later is cancelled there");
}

#[test]
fn a_receipt_too_many_differs_with_its_sign_whatever_the_number() {
    let found = difference(&[1, 2, 3], &[2, 3, 3, 3], 1 << 16);
    let rows = |id| found.rows_in(digest(id).bucket(1 << 16));
    assert_eq!((rows(1), rows(2), rows(3), found.differing().count()), (1, 0, -2, 2));
}

#[test]
fn sizes_follow_rows_and_differences() {
    for (rows, differences, right) in [
        (0, None, 1 << 10),
        (200_000, None, 1 << 12),
        (5_000_000, None, 1 << 16),
        (u64::MAX, None, 1 << 20),
        (5_000_000, Some(500), 1 << 14),
        (5_000_000, Some(1), 1 << 10),
        (100_000, Some(10_000), 1 << 12),
        (u64::MAX, Some(u64::MAX), 1 << 20),
    ] {
        assert_eq!(buckets(rows, differences), right, "{rows} {differences:?}");
    }
}

#[test]
fn the_share_of_zero_buckets_tells_about_how_many_differ() {
    for right in [50_u32, 500, 2_000] {
        let ids: Vec<_> = (0..right).collect();
        let found = difference(&ids, &[], 1 << 14).differences();
        assert!(found.abs_diff(right.into()) <= u64::from(right / 20 + 5), "{found} for {right}");
    }
    let many: Vec<_> = (0..5_000).collect();
    assert!(difference(&many, &[], 1 << 12).is_full() && !difference(&many[..400], &[], 1 << 12).is_full());
}

#[test]
fn a_bucket_that_is_not_there_is_refused() {
    let mut sketch = Sketch::new(1 << 10);
    assert!(!sketch.add_cell(1 << 10, Cell { count: 1, sum: 1 }));
    assert_eq!((sketch.rows(), Sketch::new(1_000).buckets()), (0, 1 << 10));
}

proptest! {
    #[test]
    fn no_difference_is_ever_silent(
        left in vec(0_u32..60, 0..80),
        right in vec(0_u32..60, 0..80),
        bits in 0_u32..12,
    ) {
        let (buckets, right_answer) = (1 << bits, naive(&left, &right));
        let found = difference(&left, &right, buckets);
        let mut wrong: Vec<u32> = right_answer.keys().map(|id| digest(*id).bucket(buckets)).collect();
        wrong.sort_unstable();
        wrong.dedup();
        prop_assert_eq!(found.differing().collect::<Vec<_>>(), wrong);
        prop_assert_eq!(found.rows(), right_answer.values().sum::<i64>());
    }

    #[test]
    fn shards_and_slices_add_up(ids in vec((any::<u32>(), 0_usize..4), 0..100)) {
        let all: Vec<_> = ids.iter().map(|(id, _)| *id).collect();
        let mut parts = Sketch::new(1 << 10);
        for shard in 0..4 {
            let own: Vec<_> = ids.iter().filter(|(_, of)| *of == shard).map(|(id, _)| *id).collect();
            parts.merge(&sketch(&own, 1 << 10));
        }
        prop_assert_eq!(parts, sketch(&all, 1 << 10));
    }
}
