//! The program as a process: what it says, what it leaves behind.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program in a folder that holds this configuration, with the environment that matters set.
pub fn command(folder: &Path, config: &str) -> Command {
    std::fs::write(folder.join("msgrecon.toml"), config).unwrap();
    bare(folder)
}

/// The program in a folder, whatever lies there.
pub fn bare(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_msgrecon"));
    command.current_dir(folder);
    for name in ["RUST_LOG", "NO_COLOR", "COLUMNS", "MSGRECON_CONFIG", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// Runs the program with arguments parted by blanks.
pub fn run(folder: &Path, config: &str, arguments: &str) -> Output {
    command(folder, config).args(arguments.split_whitespace()).output().unwrap()
}

/// Its exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("killed by a signal: {}", said(output)))
}

/// Its stdout.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Its stderr.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Both, to be shown when a test fails.
pub fn said(output: &Output) -> String {
    format!("{}\n--- stderr\n{}", out(output), err(output))
}

/// Its stdout as JSON, which it must be to the last byte.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

/// Everything under a folder, with its content.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

/// The names of the files in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().map(OsStr::to_string_lossy).unwrap().into_owned();
    files(folder).keys().map(name).collect()
}

/// Whether bytes hold a text.
pub fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// No number in a JSON value is 0: what was not read must not look counted.
pub fn assert_no_zero(value: &Value) {
    match value {
        Value::Number(number) => assert!(number.as_f64() != Some(0.0), "a 0 that nobody counted"),
        Value::Array(items) => items.iter().for_each(assert_no_zero),
        Value::Object(entries) => entries.values().for_each(assert_no_zero),
        _ => {}
    }
}
