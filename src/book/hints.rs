//! Likely causes, said to a person: when nearly everything differs, and when differences cluster in time.

use super::FlowBook;
use super::consumer::ConsumerBook;
use crate::model::id::{loose_uuid, uuid_text};
use crate::model::time::{MINUTE, human};
use crate::model::{Id, Kind, Micros, Totals};
use crate::plan::{ConsumerRules, FlowRules};
use hashbrown::HashSet;

/// Differences cluster if so many of a kind ...
const CLUSTER_MIN: usize = 5;
/// ... or this share of them, whichever is more, ...
const CLUSTER_SHARE: f64 = 0.8;
/// ... lie within this time, in microseconds.
const CLUSTER_SPAN: i64 = 2 * MINUTE;

/// Nearly all: from this share on a cause in the layout is likelier than so many losses.
const NEARLY_ALL: f64 = 0.9;

pub(super) fn of_flow(book: &FlowBook) -> Vec<String> {
    let mut hints = Vec::new();
    for (place, rules) in book.rules.consumers.iter().enumerate() {
        let Some(consumer) = &book.consumers[place] else { continue };
        hints.extend(pattern(consumer, rules, book));
        hints.extend(clusters(consumer, rules, &book.rules));
        hints.extend(remarks(consumer, rules, book.rules.rows_vanish));
    }
    hints
}

fn share(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share for a hint")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// When nearly everything differs, the cause is in the layout.
fn pattern(consumer: &ConsumerBook, rules: &ConsumerRules, book: &FlowBook) -> Option<String> {
    let mut totals = Totals::default();
    consumer.windows.iter().for_each(|window| totals.merge(window));
    let missing = share(totals.missing, totals.acked) >= NEARLY_ALL;
    let orphans = share(totals.orphan_records, consumer.receipts.read) >= NEARLY_ALL;
    let name = &rules.name;
    if missing || (orphans && totals.acked > 0) {
        let ids = |kind| book.findings.sample(name, kind);
        if let Some(how) = id_hint(ids(Kind::Missing), ids(Kind::Orphan)) {
            return Some(format!("`{name}`: nearly all ids differ, but they become equal {how}"));
        }
    }
    match (missing, orphans) {
        (true, true) => Some(format!(
            "`{name}`: nearly every message is missing and nearly every receipt is an orphan: the consumer makes ids of its own, or the two `id` keys mean different columns"
        )),
        (false, true) if totals.acked == 0 => Some(format!(
            "`{name}`: nearly every receipt is an orphan and no event was acked: are rows deleted at the ack (`after_ack = \"delete\"`), or does `where` pick another flow?"
        )),
        (false, false)
            if book.events().rows == 0 && consumer.receipts.read > 0 && !book.rules.rows_vanish =>
        {
            Some(format!(
                "`{name}`: no event of the flow lies in the range, but {} receipt(s) of other events were read: does `where` pick the flow?",
                consumer.receipts.read
            ))
        }
        (true, false) if consumer.receipts.read == 0 => Some(format!(
            "`{name}`: there is not one receipt in the range: was the consumer renamed (`aliases`), is it down, or does `where` pick nothing?"
        )),
        _ => None,
    }
}

/// How the ids of the two sides could be made equal, if most of the missing ones then are among the orphans.
#[must_use]
pub fn id_hint(missing: &[Id], orphans: &[Id]) -> Option<&'static str> {
    type Fold = fn(&[u8]) -> Vec<u8>;
    const FOLDS: [(Fold, &str); 5] = [
        (spelled, "when read as UUID (`encoding = \"uuid\"`)"),
        (unpacked, "when 16-byte values are read as UUID (`encoding = \"uuid-bytes\"`)"),
        (
            <[u8]>::to_ascii_lowercase,
            "when upper and lower case are taken for the same: one side changes the case",
        ),
        (|id| id.trim_ascii().to_vec(), "without the blanks around them: one side pads"),
        (
            |id| id.iter().copied().skip_while(|byte| *byte == b'0').collect(),
            "without leading zeros (`encoding = \"integer\"`)",
        ),
    ];
    let (few, many) = (missing.len().min(orphans.len()), missing.len().max(orphans.len()));
    if few == 0 || many > few.saturating_mul(10) {
        return None;
    }
    FOLDS
        .iter()
        .find(|(fold, _)| {
            let left: HashSet<_> = missing.iter().map(|id| fold(&id.to_bytes())).collect();
            let common = orphans.iter().filter(|id| left.contains(&fold(&id.to_bytes()))).count();
            common * 2 >= few
        })
        .map(|(_, how)| *how)
}

/// A UUID in any spelling as canonical text.
fn spelled(id: &[u8]) -> Vec<u8> {
    loose_uuid(id).map_or_else(|| id.to_vec(), |uuid| uuid_text(&uuid).into_bytes())
}

/// The same, and 16 bytes as the UUID that they are.
fn unpacked(id: &[u8]) -> Vec<u8> {
    <[u8; 16]>::try_from(id).map_or_else(|_| spelled(id), |uuid| uuid_text(&uuid).into_bytes())
}

fn clusters(consumer: &ConsumerBook, rules: &ConsumerRules, flow: &FlowRules) -> Vec<String> {
    let kinds = Kind::ALL.into_iter().filter_map(|kind| Some((kind, consumer.moments.get(&kind)?)));
    kinds
        .filter_map(|(kind, moments)| {
            let (from, until, count) = densest(moments)?;
            (flow.span.micros() > 5 * CLUSTER_SPAN)
                .then(|| cluster(kind, &rules.name, from, until, count, moments.len()))
        })
        .collect()
}

fn cluster(kind: Kind, consumer: &str, from: Micros, until: Micros, count: usize, all: usize) -> String {
    let (what, cause) = match kind {
        Kind::Duplicate => ("consumed again", "a replay after a restart or a rebalance"),
        Kind::Late => ("consumed", "a backlog that was worked off after a stop"),
        Kind::Missing => ("acked", "one lost batch, or a consumer that was down or skipped offsets"),
        Kind::DeadLettered => ("acked", "one cause behind all of them"),
        Kind::Orphan => ("consumed", "one rolled-back batch, or a foreign sender"),
        _ => ("seen", "one cause behind all of them"),
    };
    let of = if count == all { String::new() } else { format!(" of {all}") };
    format!(
        "`{consumer}`: {count}{of} {kind}, all {what} within {} at {}: {cause}",
        human(until.since(from).max(1)),
        from.to_rfc3339()
    )
}

/// The narrowest stretch that holds enough of the moments, if it is narrow enough.
fn densest(moments: &[Micros]) -> Option<(Micros, Micros, usize)> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of at most 10,000"
    )]
    let enough = CLUSTER_MIN.max((moments.len() as f64 * CLUSTER_SHARE).ceil() as usize);
    let mut sorted = moments.to_vec();
    sorted.sort_unstable();
    let narrowest = sorted.windows(enough).min_by_key(|run| run[enough - 1].since(run[0]))?;
    let (from, until) = (narrowest[0], narrowest[enough - 1]);
    if until.since(from) > CLUSTER_SPAN {
        return None;
    }
    let inside: Vec<_> = sorted.iter().filter(|at| **at >= from && at.since(from) <= CLUSTER_SPAN).collect();
    inside.last().map(|last| (from, **last, inside.len()))
}

fn remarks(consumer: &ConsumerBook, rules: &ConsumerRules, rows_vanish: bool) -> Vec<String> {
    let name = &rules.name;
    let mut remarks = Vec::new();
    if consumer.parked > 0 {
        remarks.push(format!(
            "`{name}`: {} consumed message(s) still have an open dead letter: close them",
            consumer.parked
        ));
    }
    if rows_vanish && consumer.receipts.undecidable > 0 {
        remarks.push(format!(
            "`{name}`: {} receipt(s) have no event row; rows vanish at the ack here, so `missing` and `orphan` are not decidable by id",
            consumer.receipts.undecidable
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::SECOND;

    fn ids(texts: &[&str]) -> Vec<Id> {
        texts.iter().map(|text| Id::from_text(text)).collect()
    }

    #[test]
    fn ids_that_could_be_equal_name_the_way() {
        let cases: [(&[&str], &[&str], Option<&str>); 7] = [
            (
                &["6CCD780C-BABA-1026-9564-5B8C656024DB", "x"],
                &["{6ccd780c-baba-1026-9564-5b8c656024db}"],
                Some("when read as UUID"),
            ),
            (&["Ab", "Cd"], &["aB", "cD"], Some("when upper and lower case")),
            (&["a ", "b "], &["a", "b"], Some("without the blanks")),
            (&["007", "0042"], &["7", "42"], Some("without leading zeros")),
            (&["a", "b"], &["c", "d"], None),
            (&["a", "b"], &[], None),
            (&["a"; 11], &["A"], None),
        ];
        for (missing, orphans, right) in cases {
            let hint = id_hint(&ids(missing), &ids(orphans));
            match right {
                Some(start) => {
                    assert!(hint.is_some_and(|hint| hint.starts_with(start)), "{missing:?}: {hint:?}");
                }
                None => assert_eq!(hint, None, "{missing:?}"),
            }
        }
        let bytes = [Id::from_bytes(&[
            0x6c, 0xcd, 0x78, 0x0c, 0xba, 0xba, 0x10, 0x26, 0x95, 0x64, 0x5b, 0x8c, 0x65, 0x60, 0x24, 0xdb,
        ])];
        let hint = id_hint(&ids(&["6ccd780c-baba-1026-9564-5b8c656024db"]), &bytes);
        assert!(hint.is_some_and(|hint| hint.contains("uuid-bytes")), "{hint:?}");
    }

    #[test]
    fn a_cluster_is_many_in_a_short_time() {
        let every =
            |seconds: i64, count: i64| (0..count).map(|n| Micros(n * seconds * SECOND)).collect::<Vec<_>>();
        assert_eq!(densest(&every(1, 4)), None);
        assert_eq!(densest(&every(600, 50)), None);
        assert_eq!(densest(&every(1, 10)), Some((Micros(0), Micros(9 * SECOND), 10)));
        let mut mixed = every(1, 10);
        mixed.push(Micros(9_000 * SECOND));
        assert_eq!(densest(&mixed), Some((Micros(0), Micros(9 * SECOND), 10)));
        let text = cluster(Kind::Duplicate, "points", Micros(0), Micros(2 * SECOND), 10, 10);
        assert!(
            text.starts_with("`points`: 10 duplicate, all consumed again within 2s at 1970-01-01T00:00:00Z"),
            "{text}"
        );
    }
}
