//! `differences.csv` of the digest's flows.

use crate::model::Run;
use crate::notify::NotDelivered;
use crate::report::{Options, csv};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Larger files are compressed.
const PLAIN_MAX: usize = 1024 * 1024;

/// A file to attach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attachment {
    /// `differences.csv` or `differences.csv.gz`.
    pub name: &'static str,
    /// Its MIME type.
    pub mime: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// How many differences it lists.
    pub rows: usize,
}

/// The list of the run's differences; `None` where there is none.
pub(super) fn attachment(run: &Run) -> Result<Option<Attachment>, NotDelivered> {
    if run.differences.is_empty() {
        return Ok(None);
    }
    let fault = |wrong: String| {
        NotDelivered::for_good(format!("differences.csv cannot be made: {wrong}; please report this"))
    };
    let plain = csv::differences(run, Options::default()).map_err(|error| fault(error.to_string()))?;
    let rows = run.differences.len();
    if plain.len() <= PLAIN_MAX {
        return Ok(Some(Attachment {
            name: "differences.csv",
            mime: "text/csv; charset=utf-8",
            bytes: plain,
            rows,
        }));
    }
    let packed = gzip(&plain).map_err(|error| fault(error.to_string()))?;
    Ok(Some(Attachment { name: "differences.csv.gz", mime: "application/gzip", bytes: packed, rows }))
}

/// Without a time, so that the same list gives the same bytes.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes)?;
    out.finish()
}
