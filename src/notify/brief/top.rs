//! Some of the differences, with how many there are.

use super::{Told, numbers, span};
use crate::model::{Difference, Kind};
use crate::report::facts;
use crate::report::text::{age, exact, grouped};

/// More of a kind are in no message.
const LISTED_MAX: usize = 100;
const ID_MAX: usize = 120;
const DETAIL_MAX: usize = 200;

/// Differences by kind, most urgent first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Top {
    /// The kinds that there are.
    pub groups: Vec<Group>,
    /// How many differences there are in all, acknowledged ones included.
    pub total: u64,
    language: crate::language::Language,
}

/// Those of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The kind.
    pub kind: Kind,
    /// The kind in a word of the language.
    pub word: String,
    /// How many there are.
    pub total: u64,
    /// The first of them, new ones first; at most 100.
    pub listed: Vec<Listed>,
}

/// One difference, as a line shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The flow's name.
    pub flow: String,
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// `order-paid → points`, or the flow alone.
    pub place: String,
    /// The message's id; empty where the row has no usable one.
    pub id: String,
    /// Evidence in a few words.
    pub detail: String,
    /// How the ledger knows it, in a word of the language; empty where no ledger is kept.
    pub status: String,
    /// `age 2h`: how long ago the time lies that its kind counts from; empty where there is none.
    pub age: String,
    /// Local time of its ack or, before that, of its creation; empty where there is none.
    pub at: String,
}

pub(super) fn top(told: &Told<'_>) -> Top {
    let group = |group: facts::Group<'_>| Group {
        kind: group.kind,
        word: numbers::word(group.kind, told.language).to_owned(),
        total: group.total,
        listed: group.shown.iter().map(|one| listed(one, told)).collect(),
    };
    let groups = facts::groups(told.run, LISTED_MAX).into_iter().map(group).collect();
    Top { groups, total: told.run.differences_total, language: told.language }
}

impl Top {
    /// At most `max` of them, each kind with its share.
    #[must_use]
    pub fn cut(&self, max: usize) -> Self {
        let lengths: Vec<_> = self.groups.iter().map(|group| group.listed.len()).collect();
        let shares = shares(&lengths, max);
        let cut = |(group, share): (&Group, usize)| Group {
            listed: group.listed[..share].to_vec(),
            word: group.word.clone(),
            ..*group
        };
        Self { groups: self.groups.iter().zip(shares).map(cut).collect(), ..*self }
    }

    /// `20 of 1,234`.
    #[must_use]
    pub fn shown(&self) -> String {
        let listed: usize = self.groups.iter().map(|group| group.listed.len()).sum();
        of(listed, self.total, self.language)
    }
}

impl Group {
    /// `10 of 1,231`.
    #[must_use]
    pub fn shown(&self, language: crate::language::Language) -> String {
        of(self.listed.len(), self.total, language)
    }
}

fn of(listed: usize, total: u64, language: crate::language::Language) -> String {
    let listed = grouped(i64::try_from(listed).unwrap_or(i64::MAX));
    language.fill("{0} of {1}", &[&listed, &grouped(total.cast_signed())])
}

/// How many of each kind are shown: one of each in turn, until `max` is used up.
fn shares(lengths: &[usize], max: usize) -> Vec<usize> {
    let mut shares = vec![0; lengths.len()];
    let mut left = max.min(lengths.iter().sum());
    while left > 0 {
        for (share, length) in shares.iter_mut().zip(lengths) {
            if *share < *length && left > 0 {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

fn listed(one: &Difference, told: &Told<'_>) -> Listed {
    let (flow, consumer) =
        (exact(&one.flow, ID_MAX), one.consumer.as_deref().map(|name| exact(name, ID_MAX)));
    Listed {
        place: consumer.as_ref().map_or_else(|| flow.clone(), |consumer| format!("{flow} → {consumer}")),
        flow,
        consumer,
        id: one.id.as_ref().map(|id| exact(&id.to_string(), ID_MAX)).unwrap_or_default(),
        detail: exact(&told.language.say_again(&one.detail), DETAIL_MAX),
        status: status(one, told),
        age: one
            .age
            .map(|old| format!("{} {}", told.language.text("age"), told.language.duration(&age(old))))
            .unwrap_or_default(),
        at: one.acked_at.or(one.created_at).map(|at| span::at(at, told)).unwrap_or_default(),
    }
}

fn status(one: &Difference, told: &Told<'_>) -> String {
    let mark = told.language.text(facts::life::mark(one.status)).to_owned();
    if facts::life::is_kept(told.run) { mark } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_share() {
        assert_eq!(shares(&[100, 2, 50], 20), [9, 2, 9]);
        assert_eq!(shares(&[1, 2], 20), [1, 2]);
        assert_eq!((shares(&[5, 5], 0), shares(&[], 7)), (vec![0, 0], vec![]));
    }
}
