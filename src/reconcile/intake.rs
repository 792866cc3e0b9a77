//! Who takes in what the first pass reads.

use super::packed::Packed;
use super::part::Answer;
use super::read::{Failure, Reading};
use super::record::Recorder;
use crate::book::FlowBook;
use crate::model::Span;
use crate::source::SourceError;

/// Who takes in what is read, slice by slice in time order.
pub(super) enum Intake<'i, 'r> {
    /// The books, as it is.
    Streamed { book: &'i mut FlowBook, recorder: &'i mut Recorder<'r>, failures: &'i mut Vec<Failure> },
    /// The books, what came packed only once it is paired or its ids are known.
    Packed(&'i mut Packed),
}

impl Intake<'_, '_> {
    pub(super) fn book(&self) -> &FlowBook {
        match self {
            Self::Streamed { book, .. } => book,
            Self::Packed(packed) => packed.book(),
        }
    }

    pub(super) fn is_packed(&self) -> bool {
        matches!(self, Self::Packed(_))
    }

    /// Whether nothing more need be read.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Streamed { .. } => false,
            Self::Packed(packed) => packed.is_over(),
        }
    }

    /// Takes in what all tables gave of a slice; gives how many rows that were.
    pub(super) async fn take(
        &mut self,
        reading: &Reading<'_>,
        slice: Span,
        answers: Vec<Answer>,
    ) -> Result<u64, SourceError> {
        match self {
            Self::Streamed { book, recorder, failures } => {
                let rows = reading.enter(slice, answers, book, failures)?;
                recorder.take(book.take_found()).await;
                Ok(rows)
            }
            Self::Packed(packed) => Ok(packed.take(answers, slice.from >= reading.events_end())),
        }
    }
}
