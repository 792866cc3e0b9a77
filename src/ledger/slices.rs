//! What was judged and is not reported yet: a run that dies leaves it to the next one.

use super::error::{ErrorKind, LedgerError};
use super::flows::Begun;
use super::windows::JudgedWindow;
use super::{Lease, Ledger, sql};
use crate::model::{Micros, Span};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{BufWriter, Read as _, Write as _};

/// No piece is longer, in bytes: every server takes that by default.
const PIECE_MAX: usize = 512 * 1024;
/// So many bytes are compressed together.
const TOGETHER: usize = 64 * 1024;

/// A slice of windows as a run has judged it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSlice {
    /// From its first window to its last.
    pub span: Span,
    /// Of the run that judged it.
    pub as_of: Micros,
    /// What the run needs to report it.
    pub body: Vec<u8>,
}

impl Ledger {
    /// Records a slice of windows: their counts, the watermark, and what a report needs of it, all or nothing.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn put_slice(
        &mut self,
        lease: &Lease,
        flow: &str,
        windows: &[JudgedWindow],
        slice: &KeptSlice,
    ) -> Result<(), LedgerError> {
        let pieces = pieces(&slice.body)?;
        self.under_lease(lease, flow, async |ledger| {
            ledger.put_windows(flow, slice.as_of, windows).await?;
            let values = [flow.into(), slice.span.until.into(), slice.span.from.into()];
            ledger.store.execute(sql::SLICE_DROP, &values).await?;
            for (part, piece) in (0_i64..).zip(&pieces) {
                let values = [
                    flow.into(),
                    slice.span.from.into(),
                    slice.span.until.into(),
                    part.into(),
                    slice.as_of.into(),
                    piece.clone().into(),
                ];
                ledger.store.execute(sql::SLICE_ADD, &values).await?;
            }
            ledger.advance_known(flow).await
        })
        .await
    }

    /// Records windows that somebody's range covers: nothing waits to be reported of them.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn put_range(
        &mut self,
        lease: &Lease,
        flow: &str,
        as_of: Micros,
        windows: &[JudgedWindow],
    ) -> Result<(), LedgerError> {
        self.under_lease(lease, flow, async |ledger| {
            ledger.put_windows(flow, as_of, windows).await?;
            ledger.advance_known(flow).await
        })
        .await
    }

    async fn advance_known(&mut self, flow: &str) -> Result<(), LedgerError> {
        let begun: Option<Begun> = self.begun(flow).await?;
        if let Some(begun) = begun {
            self.advance(flow, begun).await?;
        }
        Ok(())
    }

    /// The slices that wait to be reported, in time order.
    ///
    /// # Errors
    /// A ledger that fails, or a slice that cannot be read.
    pub async fn slices(&mut self, flow: &str) -> Result<Vec<KeptSlice>, LedgerError> {
        let mut found: Vec<KeptSlice> = Vec::new();
        for row in self.store.fetch(sql::SLICES, &[flow.into()]).await? {
            let span = Span::new(row.instant(0), row.instant(1));
            match found.last_mut().filter(|slice| slice.span.from == span.from) {
                Some(slice) => slice.body.extend(row.bytes(3)),
                None => found.push(KeptSlice { span, as_of: row.instant(2), body: row.bytes(3) }),
            }
        }
        for slice in &mut found {
            slice.body = self.unpacked(&slice.body)?;
        }
        Ok(found)
    }

    pub(super) fn unpacked(&self, packed: &[u8]) -> Result<Vec<u8>, LedgerError> {
        let mut body = Vec::new();
        let read = GzDecoder::new(packed).read_to_end(&mut body);
        read.map(|_| body).map_err(|error| {
            let message =
                format!("what it keeps of a run cannot be unpacked ({error}); restore it from a backup");
            LedgerError::new(ErrorKind::Configuration, message).at(self.store.place())
        })
    }
}

/// A value as JSON, compressed as it is made, in pieces.
pub(super) fn pieces_of<T: serde::Serialize>(value: &T) -> Result<Vec<Vec<u8>>, LedgerError> {
    // The encoder readies its whole output buffer for every write, and JSON is written word by word.
    let mut gzip = BufWriter::with_capacity(TOGETHER, GzEncoder::new(Vec::new(), Compression::fast()));
    let written = serde_json::to_writer(&mut gzip, value).map_err(std::io::Error::from);
    let packed = written
        .and_then(|()| gzip.into_inner().map_err(std::io::IntoInnerError::into_error))
        .and_then(GzEncoder::finish);
    let packed =
        packed.map_err(|error| LedgerError::new(ErrorKind::Away, format!("cannot compress: {error}")))?;
    Ok(packed.chunks(PIECE_MAX).map(<[u8]>::to_vec).collect())
}

/// Compressed, in pieces.
fn pieces(body: &[u8]) -> Result<Vec<Vec<u8>>, LedgerError> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let packed = gzip.write_all(body).and_then(|()| gzip.finish());
    let packed =
        packed.map_err(|error| LedgerError::new(ErrorKind::Away, format!("cannot compress: {error}")))?;
    Ok(packed.chunks(PIECE_MAX).map(<[u8]>::to_vec).collect())
}
