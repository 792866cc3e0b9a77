//! The ways to reconcile the day, and whether what one said is right.

use crate::args::{Args, Layout, METHODS, Pair};
use crate::common::measure::Took;
use crate::config;
use crate::data::Data;
use crate::{python, script};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, PartialEq, Eq)]
pub enum Method {
    Clients,
    /// With the times that msgrecon reads beside the ids.
    ClientsTimes,
    Sort,
    /// A strategy; `None` of a program that has no choice.
    Msgrecon(Option<&'static str>),
    NotExists,
    Reladiff(PathBuf),
    Polars(PathBuf),
}

impl Method {
    pub fn name(&self) -> String {
        match self {
            Self::Clients => "clients, ids to nowhere".to_owned(),
            Self::ClientsTimes => "clients, ids and times".to_owned(),
            Self::Sort => "sort, comm".to_owned(),
            Self::Msgrecon(None) => "msgrecon".to_owned(),
            Self::Msgrecon(Some(strategy)) => format!("msgrecon {strategy}"),
            Self::NotExists => "NOT EXISTS".to_owned(),
            Self::Reladiff(_) => "reladiff".to_owned(),
            Self::Polars(_) => "polars".to_owned(),
        }
    }

    /// What is asked for and can be done here; the rest with a word of why not.
    pub fn choose(args: &Args, data: &Data) -> Vec<Self> {
        let mut chosen = Vec::new();
        for name in METHODS.into_iter().filter(|name| args.asks_for(name)) {
            match Self::named(name, args, data) {
                Ok(method) if chosen.contains(&method) => {}
                Ok(method) => chosen.push(method),
                Err(reason) => println!("{name} is left out: {reason}"),
            }
        }
        chosen
    }

    /// `Err`: why it cannot be done here.
    fn named(name: &'static str, args: &Args, data: &Data) -> Result<Self, String> {
        let several = data.layout != Layout::OneTable;
        match name {
            "clients" => Ok(Self::Clients),
            "times" => Ok(Self::ClientsTimes),
            "sort" => Ok(Self::Sort),
            "not-exists" if several || !data.in_one_database() => {
                Err("not both sides are a table of one database".to_owned())
            }
            "not-exists" => Ok(Self::NotExists),
            "reladiff" if several => Err("it compares two tables".to_owned()),
            "reladiff" if args.pair == Pair::Sqlite => Err("it does not know SQLite".to_owned()),
            "reladiff" => python::interpreter().map(Self::Reladiff),
            "polars" => python::interpreter().map(Self::Polars),
            _ => strategy(data, &args.program, name),
        }
    }

    /// The commands that do it, side by side, in a folder of their own.
    pub fn commands(&self, data: &Data, folder: &Path, args: &Args) -> Vec<Command> {
        match self {
            Self::Clients => script::clients(data, false),
            Self::ClientsTimes => script::clients(data, true),
            Self::Sort => vec![script::sort_and_comm(data, folder)],
            Self::Msgrecon(strategy) => vec![msgrecon(data, *strategy, &args.program, folder)],
            Self::NotExists => vec![script::not_exists(data, args.cut)],
            Self::Reladiff(python) => vec![script::reladiff(data, python)],
            Self::Polars(python) => vec![script::polars(data, folder, python)],
        }
    }

    /// `Err`: what is wrong with its answer.
    pub fn check(&self, data: &Data, folder: &Path, took: &Took) -> Result<(), String> {
        let code = i32::from(matches!(self, Self::Msgrecon(_)));
        let ended = took.ends.iter().all(|end| end.is_some_and(|end| end.code() == Some(code)));
        let [_, missing, orphan] = data.by_hand();
        match self {
            _ if !ended => Err(format!("ended with {:?}", took.ends)),
            Self::Clients | Self::ClientsTimes => Ok(()),
            Self::Msgrecon(_) => reported(data, folder),
            _ => {
                let said: Vec<&str> = took.stdout.split_whitespace().collect();
                let right = said == [missing.to_string(), orphan.to_string()];
                if right { Ok(()) } else { Err(format!("said {}", said.join(" "))) }
            }
        }
    }
}

/// The strategy if the program knows it; `stream` is what a program does that knows none.
fn strategy(data: &Data, program: &Path, name: &'static str) -> Result<Method, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), config::text(data, Some(name))).unwrap();
    let mut plan =
        command(program, folder.path(), &["plan", "--date", "2026-03-02", "--as-of", "2026-03-03T06:00:00Z"]);
    let output = plan.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    match said.contains("strategy") {
        false if output.status.success() => Ok(Method::Msgrecon(Some(name))),
        true if name == "stream" => Ok(Method::Msgrecon(None)),
        true => Err(format!("this program does not know `strategy = \"{name}\"`")),
        false => panic!("msgrecon plan: {said}"),
    }
}

fn command(program: &Path, folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(words).stdin(Stdio::null());
    command
}

/// The whole of a run: everything decided, ledger and reports written.
fn msgrecon(data: &Data, strategy: Option<&str>, program: &Path, folder: &Path) -> Command {
    std::fs::write(folder.join("msgrecon.toml"), config::text(data, strategy)).unwrap();
    let words =
        ["run", "--date", "2026-03-02", "--as-of", "2026-03-03T06:00:00Z", "--output", "reports", "--quiet"];
    let mut command = command(program, folder, &words);
    command.stdout(Stdio::null());
    command
}

fn reported(data: &Data, folder: &Path) -> Result<(), String> {
    let text =
        std::fs::read_to_string(folder.join("reports/report.json")).map_err(|error| error.to_string())?;
    let report: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let flows = report["flows"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sum = |key: &str| {
        flows.iter().map(|flow| flow["consumers"][0]["totals"][key].as_i64()).sum::<Option<i64>>()
    };
    let [acked, missing, orphan] = data.answer;
    let right = [acked, missing, orphan, acked - missing, 0].map(|count| i64::try_from(count).ok());
    let said = ["acked", "missing", "orphan", "ok", "residual"].map(sum);
    if said != right {
        return Err(format!(
            "acked, missing, orphan, ok, residual: {said:?} instead of {right:?}; {}",
            report["problems"]
        ));
    }
    let complete = report["run"]["complete"].as_bool() == Some(true);
    if complete { Ok(()) } else { Err(format!("incomplete: {}", report["problems"])) }
}
