//! Reports: each format is a function from a finished [`Run`] to bytes, and one writer touches files.
//!
//! ```text
//! facts    what every format says of the same numbers: counts, windows judged, what a ledger remembers
//! text     words, numbers, and characters that must not deceive
//! table    for a terminal
//! json     for machines            layout   one row of a long list to a line
//! csv      for spreadsheets
//! html     for a browser           chart    windows and trends as bars
//! wide     lines of Chinese
//! write    the files of --output
//! explain  what a kind means
//! ```

pub mod chart;
pub mod csv;
pub mod explain;
pub mod facts;
pub mod html;
pub mod json;
mod layout;
pub mod table;
pub mod text;
mod wide;
pub mod write;

#[cfg(test)]
pub(crate) mod fixture;

use crate::language::Language;
use crate::model::Run;

/// What a report can look like on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    #[default]
    Table,
    /// The list of differences.
    Csv,
    /// Everything, for machines.
    Json,
    /// A page for a browser.
    Html,
}

impl Format {
    /// Every format, in the order of the help text.
    pub const ALL: [Self; 4] = [Self::Table, Self::Csv, Self::Json, Self::Html];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How reports are rendered; the caller knows the terminal and the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal; tables that do not fit become lists.
    pub width: u16,
    /// Whether the terminal shows colours. Nothing is said by colour alone.
    pub colour: bool,
    /// Leaves CSV cells as they are, formulas or not.
    pub csv_raw: bool,
    /// What the page is written in; the table, CSV and JSON are English, for scripts to rely on.
    pub language: Language,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 100, colour: false, csv_raw: false, language: Language::En }
    }
}

/// Why a report could not be rendered: a fault of this program, not of its input.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// While writing JSON.
    #[error("cannot render the report as JSON")]
    Json(#[from] serde_json::Error),
    /// While writing CSV.
    #[error("cannot render the report as CSV")]
    Csv(#[from] ::csv::Error),
    /// While writing what was rendered.
    #[error("cannot write the report")]
    Write(#[source] std::io::Error),
    /// In the template of the page.
    #[error("cannot render the report as HTML")]
    Html(#[from] minijinja::Error),
}

impl RenderError {
    /// What the system said, where rendering failed since what was rendered could not be written.
    fn into_io(self) -> Result<std::io::Error, Self> {
        match self {
            Self::Write(error) => Ok(error),
            Self::Json(error) if error.is_io() => Ok(error.into()),
            Self::Csv(error) if error.is_io_error() => match error.into_kind() {
                ::csv::ErrorKind::Io(error) => Ok(error),
                other => Ok(std::io::Error::other(format!("{other:?}"))),
            },
            other => Err(other),
        }
    }
}

/// The report as it goes to standard output.
///
/// # Errors
///
/// Where a format cannot be rendered: a fault of this program.
pub fn render(run: &Run, format: Format, options: Options) -> Result<Vec<u8>, RenderError> {
    match format {
        Format::Table => Ok(table::render(run, options).into_bytes()),
        Format::Csv => csv::differences(run, options),
        Format::Json => json::render(run),
        Format::Html => html::render(run, options).map(String::into_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn formats_have_names() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
            assert!(!render(&fixture::rich(), format, Options::default()).unwrap().is_empty());
        }
        assert_eq!(Format::from_name("xml"), None);
    }

    #[test]
    fn a_full_list_of_differences_takes_no_square_time() {
        let time = |count: usize| {
            let run = fixture::many(count);
            let start = Instant::now();
            for format in Format::ALL {
                assert!(!render(&run, format, Options::default()).unwrap().is_empty());
            }
            start.elapsed()
        };
        let (small, big) = (time(Run::LISTED_MAX / 10), time(Run::LISTED_MAX));
        assert!(big < small * 40 + Duration::from_secs(1), "{small:?} grew to {big:?}");
    }
}
