//! The laws of the repository, as ordinary tests: layers, lengths, SQL files, and a README that is true.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod catalog;
mod layers;
mod lengths;
mod queries;
mod readme;

use std::path::{Path, PathBuf};

/// The repository's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|is| is == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A path below the repository, with `/` between its parts.
fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}
