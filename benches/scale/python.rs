//! The tools of the Python registry, in an environment of their own that the next bench finds again.

use std::path::PathBuf;
use std::process::{Command, Stdio};

const PACKAGES: [&str; 4] = ["reladiff", "psycopg2-binary", "mysql-connector-python", "polars"];
const NEEDED: &str = "import reladiff, psycopg2, mysql.connector, polars";

/// The interpreter that has them, or why there is none.
pub fn interpreter() -> Result<PathBuf, String> {
    let folder = std::env::temp_dir().join("msgrecon-bench-python");
    let python = folder.join("bin/python");
    if has_them(&python) {
        return Ok(python);
    }
    println!("installing {} …", PACKAGES.join(", "));
    done(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    done(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(PACKAGES),
    )?;
    if has_them(&python) { Ok(python) } else { Err("the packages were installed but do not load".to_owned()) }
}

fn has_them(python: &PathBuf) -> bool {
    done(Command::new(python).args(["-c", NEEDED])).is_ok()
}

fn done(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("python3: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said.lines().last().unwrap_or("it failed").to_owned()) }
}
