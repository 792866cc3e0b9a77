//! The one writer of report files. A file appears under its name only when it is whole and on the disk.

use super::{Options, RenderError, csv, html, json};
use crate::model::Run;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The files of a report. `report.json` is written last: once it is new, the others are.
pub const FILES: [&str; 4] = ["windows.csv", "differences.csv", "report.html", "report.json"];

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder is not there and cannot be made, or refuses new files.
    #[error(
        "cannot write reports into {}: {source}; name a folder that this user may write with --output",
        path.display()
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// One file could not be written; the one that was there before is untouched.
    #[error("cannot write {}: {source}; free the disk or mend the rights, then run again", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A fault of this program; nothing was written.
    #[error("cannot render {name}: {source}; please report this")]
    Render {
        /// The file's name.
        name: &'static str,
        /// What went wrong.
        source: RenderError,
    },
}

/// Makes the folder and tries it out, so that a long run does not end with nowhere to put its report.
///
/// # Errors
///
/// Where the folder cannot be made, refuses new files, or holds a folder under a report's name.
pub fn check_folder(dir: &Path) -> Result<(), WriteError> {
    let folder = |source| WriteError::Folder { path: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(folder)?;
    for path in FILES.map(|name| dir.join(name)) {
        if path.is_dir() {
            return Err(WriteError::File { path, source: io::ErrorKind::IsADirectory.into() });
        }
    }
    temporary(dir).and_then(NamedTempFile::close).map_err(folder)
}

/// Writes all files of the report into `dir`, which is made if it is not there, and gives their paths.
///
/// Every file lies complete beside its place before the first one takes it; those that have a line for each difference are
/// never in memory as a whole. Names never come from data.
///
/// # Errors
///
/// Where a file cannot be rendered or written. The files of earlier reports stay whole in either case.
pub fn write_all(dir: &Path, run: &Run, options: Options) -> Result<Vec<PathBuf>, WriteError> {
    check_folder(dir)?;
    let mut files = Vec::with_capacity(FILES.len());
    for name in FILES {
        let mut file = Growing::begin(&dir.join(name))?;
        fill(&mut file, name, run, options).map_err(|error| match error.into_io() {
            Ok(source) => WriteError::File { path: dir.join(name), source },
            Err(source) => WriteError::Render { name, source },
        })?;
        files.push(file.whole()?);
    }
    files.into_iter().map(Whole::take_place).collect()
}

/// A file that is written piece by piece and appears under its name when it is whole.
pub struct Growing {
    file: io::BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Growing {
    /// Begins a file; one of that name stays as it is until [`Growing::finish`].
    ///
    /// # Errors
    ///
    /// Where its folder is not there or refuses new files, or a folder has its name.
    pub fn begin(path: &Path) -> Result<Self, WriteError> {
        let wrong = |source| WriteError::File { path: path.to_owned(), source };
        if path.is_dir() {
            return Err(wrong(io::ErrorKind::IsADirectory.into()));
        }
        let file = temporary(folder_of(path)).map_err(wrong)?;
        Ok(Self { file: io::BufWriter::new(file), path: path.to_owned() })
    }

    /// Gives the file its name, once everything of it is on the disk.
    ///
    /// # Errors
    ///
    /// A full disk, or a folder that went away.
    pub fn finish(self) -> Result<(), WriteError> {
        self.whole()?.take_place().map(|_| ())
    }

    /// Everything of it is on the disk.
    fn whole(self) -> Result<Whole, WriteError> {
        let Self { file, path } = self;
        let done = || -> io::Result<NamedTempFile> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        match done() {
            Ok(file) => Ok(Whole { file, path }),
            Err(source) => Err(WriteError::File { path, source }),
        }
    }
}

/// A file that is complete and does not have its name yet.
struct Whole {
    file: NamedTempFile,
    path: PathBuf,
}

impl Whole {
    /// Renames it, and flushes the folder.
    fn take_place(self) -> Result<PathBuf, WriteError> {
        let Self { file, path } = self;
        let done = file.persist(&path).map_err(|error| error.error);
        match done.and_then(|_| sync_folder(folder_of(&path))) {
            Ok(()) => Ok(path),
            Err(source) => Err(WriteError::File { path, source }),
        }
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn fill(file: &mut Growing, name: &'static str, run: &Run, options: Options) -> Result<(), RenderError> {
    match name {
        "windows.csv" => file.write_all(&csv::windows(run, options)?).map_err(RenderError::Write),
        "differences.csv" => csv::write_differences(run, options, file),
        "report.html" => file.write_all(html::render(run, options)?.as_bytes()).map_err(RenderError::Write),
        _ => json::write(run, file),
    }
}

/// A temporary file in the same folder.
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".msgrecon-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file, the user's mask decides who may read it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(dir)
}

#[cfg(unix)]
fn sync_folder(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Elsewhere folders cannot be opened; the rename is as durable as the system makes it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn four_whole_files_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("a/b");
        let run = fixture::rich();
        for _ in 0..2 {
            let paths = write_all(&dir, &run, Options::default()).unwrap();
            assert_eq!(paths, FILES.map(|name| dir.join(name)));
        }
        assert_eq!(names(&dir), ["differences.csv", "report.html", "report.json", "windows.csv"]);
        assert_eq!(names(home.path()), ["a"], "no id or name reaches a path");
        assert_eq!(fs::read(dir.join("report.json")).unwrap(), json::render(&run).unwrap());
    }

    #[test]
    fn a_folder_that_is_a_file_fails_early_and_says_what_to_do() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("taken");
        fs::write(&file, "x").unwrap();
        let error = check_folder(&file).unwrap_err().to_string();
        assert!(error.contains("taken") && error.contains("--output"), "{error}");
        assert!(check_folder(&file.join("below")).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"x");
    }

    #[test]
    fn a_folder_under_a_reports_name_is_found_before_anything_is_written() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("report.json")).unwrap();
        assert!(check_folder(home.path()).is_err());
        assert!(write_all(home.path(), &fixture::balanced(), Options::default()).is_err());
        assert_eq!(names(home.path()), ["report.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn reports_have_the_rights_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("any"), "").unwrap();
        write_all(home.path(), &fixture::balanced(), Options::default()).unwrap();
        let mode = |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("report.html"), mode("any"));
    }
}
