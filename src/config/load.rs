//! From a file and the environment to the checked configuration.

use super::interpolate::interpolate;
use super::problem::{Problem, Problems};
use super::report::Report;
use super::tree::Section;
use super::{Config, check, secret};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use toml::de::DeTable;

/// No configuration and no secret is longer; a device or a log given by mistake must not fill the memory.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Reads and checks the configuration and the files with secrets that it names. Paths in it are taken from its own
/// folder.
///
/// # Errors
/// All that is wrong with it, at once.
pub fn load(path: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<Config, Problems> {
    let text = read(path).map_err(|error| {
        Problems(vec![Problem::of_file(path, format!("the configuration cannot be read: {error}"))])
    })?;
    parse(&text, path, environment, &read)
}

/// Checks a configuration whose text is at hand; `file_name` is named in the problems, and its folder is where
/// relative paths begin.
///
/// # Errors
/// All that is wrong with it, at once. Syntax errors come alone: what they hide cannot be judged.
pub fn parse(
    text: &str,
    file_name: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
    read_secret: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<Config, Problems> {
    let (mut tree, errors) = DeTable::parse_recoverable(text);
    let report = Report::new(file_name, text, secret::spans(tree.get_ref(), text));
    if !errors.is_empty() {
        for error in &errors {
            report.syntax(error);
        }
        return report.finish(None);
    }
    interpolate(tree.get_mut(), "", environment, &report);
    let folder = file_name.parent().unwrap_or(Path::new(""));
    let checked =
        check::config(&Section::root(tree.get_ref(), &report), &check::Files { folder, read_secret });
    report.finish(checked)
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(text)
}
