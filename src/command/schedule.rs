//! `msgrecon schedule`: the files of `cron/` for this configuration.

use super::{NotWritten, Usage, config_path, print};
use crate::cli::{Global, ScheduleArgs};
use crate::config::{self, Config};
use crate::exit;
use crate::jobfile::{Job, Named, Place, Scheduler, Sheet, Timing, named, sheets};
use crate::report::write::Growing;
use secrecy::ExposeSecret as _;
use sqlx::sqlite::SqliteConnectOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub(super) fn schedule(global: &Global, args: &ScheduleArgs) -> anyhow::Result<u8> {
    let path = absolute(&config_path(global)?)?;
    let (config, named) = read(&path)?;
    let usage = |error: crate::jobfile::TimingError| Usage(error.to_string());
    let timing = match (args.every, &args.cron) {
        (Some(every), _) => Timing::every(every, &config.flows).map_err(usage)?,
        (None, Some(cron)) => Timing::cron(cron).map_err(usage)?,
        (None, None) => Timing::of_flows(&config.flows),
    };
    let binary = match &args.binary {
        Some(path) => absolute(path)?,
        None => std::env::current_exe()?,
    };
    let job = Job {
        binary: written(&binary)?,
        config: written(&path)?,
        zone: config.time_zone,
        timing,
        named,
        ledger: ledger(&config),
        image: args.image.clone(),
    };
    let sheets = sheets(&job, args.scheduler).map_err(usage)?;
    match &args.output {
        Some(folder) => save(folder, &sheets),
        None => print(shown(&sheets, args.scheduler).as_bytes()),
    }
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| Usage(format!("{} has no full path: {error}", path.display())).into())
}

/// A path as text that stays on its line.
fn written(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().filter(|text| !text.contains(char::is_control));
    let message =
        || Usage(format!("{:?} cannot be written in such a file: rename it", path.display().to_string()));
    Ok(text.ok_or_else(message)?.to_owned())
}

/// The configuration, checked with what is there of its secrets; what is not there stands for itself.
fn read(path: &Path) -> anyhow::Result<(Config, Vec<Named>)> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Usage(format!("{}: the configuration cannot be read: {error}", path.display())))?;
    let named = named(&text);
    let environment = |name: &str| std::env::var(name).ok().or_else(|| Some(stand_in(&named, name)));
    let file = |file: &Path| {
        let name = file.display().to_string();
        std::fs::read_to_string(file).or_else(|_| io::Result::Ok(stand_in(&named, &name)))
    };
    let config = config::parse(&text, path, &environment, &file)?;
    Ok((config, named))
}

/// Something of the form that the key wants, and of a place that is nobody else's: a ledger must not lie where a source does.
fn stand_in(named: &[Named], name: &str) -> String {
    let variable = |one: &&Named| one.place == Place::Variable(name.to_owned());
    let key = named.iter().find(variable).map_or("", |one| one.key.as_str());
    let own: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    match key {
        _ if name == "CREDENTIALS_DIRECTORY" => "/run/credentials".to_owned(),
        "mail.transport" => "smtp://localhost".to_owned(),
        _ if key.starts_with("channels") || key.starts_with("heartbeats") || key.starts_with("metrics") => {
            format!("https://localhost/{own}")
        }
        _ => format!("postgres://localhost/{own}"),
    }
}

/// The file of an SQLite ledger.
fn ledger(config: &Config) -> Option<String> {
    let url = Some(config.ledger.url.expose_secret()).filter(|url| url.starts_with("sqlite:"))?;
    let options = url.parse::<SqliteConnectOptions>().ok()?;
    Some(std::path::absolute(options.get_filename()).ok()?.display().to_string())
}

/// One stream that the scheduler's own tool takes, or that a person cuts at the names.
fn shown(sheets: &[Sheet], scheduler: Scheduler) -> String {
    let between = if scheduler == Scheduler::Kubernetes { "---\n" } else { "\n" };
    let one = |sheet: &Sheet| match sheets.len() {
        1 => sheet.whole(),
        _ => format!("# ==== {} ====\n{}", sheet.name, sheet.whole()),
    };
    sheets.iter().map(one).collect::<Vec<_>>().join(between)
}

fn save(folder: &Path, sheets: &[Sheet]) -> anyhow::Result<u8> {
    for sheet in sheets {
        let path = folder.join(sheet.name);
        let written = || -> anyhow::Result<()> {
            let mut file = Growing::begin(&path)?;
            file.write_all(sheet.whole().as_bytes())?;
            Ok(file.finish()?)
        };
        written().map_err(|error| NotWritten(error.to_string()))?;
    }
    Ok(exit::OK)
}
