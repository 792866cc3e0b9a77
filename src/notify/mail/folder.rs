//! `file://DIR`: an `.eml` file for each mail, which every mail reader opens.

use super::message::token;
use crate::model::Digest;
use crate::notify::{Delivered, NotDelivered};
use crate::report::write::Growing;
use std::io::Write as _;
use std::path::Path;

/// Writes one file. The same digest gives the same name, so that a second attempt leaves one file.
pub(super) fn write(folder: &Path, digest: &Digest, message: &[u8]) -> Delivered {
    let as_of = digest.as_of.to_utc().format("%Y%m%dT%H%M%SZ");
    let path = folder.join(format!("{as_of}-{}.eml", token(&digest.key)));
    let wrong = |error: String| NotDelivered::for_now(format!("the mail is not written: {error}"));
    std::fs::create_dir_all(folder).map_err(|error| wrong(format!("{}: {error}", folder.display())))?;
    let mut file = Growing::begin(&path).map_err(|error| wrong(error.to_string()))?;
    file.write_all(message).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    file.finish().map_err(|error| wrong(error.to_string()))
}
