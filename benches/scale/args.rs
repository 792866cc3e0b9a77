//! The command line.

use crate::sql::DATABASES;
use std::path::PathBuf;
use std::time::Duration;

pub const USAGE: &str = "\
Usage: tests/run --with cargo bench --bench scale -- [N] [OPTIONS]

  N                 messages of the day [1000000; 200000 with --gate]
  --pair PAIR       postgres-mysql, postgres, mysql or sqlite [postgres-mysql]
  --only A,B        clients, times, sort, stream, packed, sketch, auto, not-exists, reladiff, polars
  --rounds R        [5; 1 with --gate]
  --rate MBIT       through a link of so many Mbit/s with 20 ms round trip: clients and msgrecon alone
  --shards S        the rows in S tables of 4 databases on each side, one flow for each database
  --unpaired        no receipt fits an event
  --cut SECONDS     what takes longer is cut off [180; 600 with --rate]
  --keep NAME       leave the databases, and take those that are there
  --program PATH    another msgrecon than the one just built, for a comparison
  --gate            fail if a result is wrong, or memory or bytes are over their bounds";

/// What `--only` chooses from, in the order in which a round goes through them.
pub const METHODS: [&str; 10] =
    ["clients", "times", "stream", "packed", "sketch", "auto", "sort", "not-exists", "reladiff", "polars"];
/// Those that a slow link, the gate, or a day on which nothing fits is for.
const OURS: [&str; 5] = ["clients", "times", "stream", "packed", "sketch"];

/// Which databases hold the two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pair {
    PostgresMysql,
    Postgres,
    Mysql,
    Sqlite,
}

/// How the rows lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    OneTable,
    /// So many tables on each side.
    Shards(u64),
    Unpaired,
}

pub struct Args {
    pub count: u64,
    pub pair: Pair,
    pub only: Vec<String>,
    pub rounds: usize,
    /// In Mbit/s.
    pub rate: Option<u64>,
    pub layout: Layout,
    pub cut: Duration,
    pub keep: Option<String>,
    pub program: PathBuf,
    pub gate: bool,
    pub help: bool,
}

impl Args {
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        // cargo adds `--bench`.
        let words: Vec<String> = words.filter(|word| word != "--bench").collect();
        let flag = |name: &str| words.iter().any(|word| word == name);
        let gate = flag("--gate");
        let mut args = Self {
            count: if gate { 200_000 } else { 1_000_000 },
            pair: Pair::PostgresMysql,
            only: Vec::new(),
            rounds: if gate { 1 } else { 5 },
            rate: None,
            layout: Layout::OneTable,
            cut: Duration::from_secs(if flag("--rate") { 600 } else { 180 }),
            keep: None,
            program: env!("CARGO_BIN_EXE_msgrecon").into(),
            gate,
            help: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            args.take(&word, &mut words)?;
        }
        Ok(args)
    }

    /// Whether a method is to be measured. `auto` is one of the strategies again, so only where it is named.
    pub fn asks_for(&self, method: &str) -> bool {
        let ours_alone = self.gate || self.rate.is_some() || self.layout == Layout::Unpaired;
        match self.only.is_empty() {
            false => self.only.iter().any(|only| only == method),
            true if ours_alone => OURS.contains(&method),
            true => method != "auto",
        }
    }

    fn take(&mut self, word: &str, rest: &mut impl Iterator<Item = String>) -> Result<(), String> {
        let mut value = || rest.next().ok_or_else(|| format!("{word} needs a value"));
        match word {
            "--only" => self.only = methods(&value()?)?,
            "--rounds" => self.rounds = number(&value()?)?,
            "--rate" => self.rate = Some(number(&value()?)?),
            "--cut" => self.cut = Duration::from_secs(number(&value()?)?),
            "--keep" => self.keep = Some(value()?),
            "--program" => {
                self.program = PathBuf::from(value()?).canonicalize().map_err(|error| error.to_string())?;
            }
            "--pair" => self.pair = pair(&value()?)?,
            "--shards" => self.layout = Layout::Shards(shards(&value()?)?),
            "--unpaired" => self.layout = Layout::Unpaired,
            "--gate" => {}
            "--help" | "-h" => self.help = true,
            _ => self.count = number(word)?,
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.replace('_', "").parse().map_err(|_| format!("`{word}` is no number, nor anything else known here"))
}

fn methods(words: &str) -> Result<Vec<String>, String> {
    let known = |word: &str| {
        let known = METHODS.contains(&word);
        if known { Ok(word.to_owned()) } else { Err(format!("`{word}` is no method")) }
    };
    words.split(',').map(known).collect()
}

fn shards(word: &str) -> Result<u64, String> {
    let count = number(word)?;
    let right = count > 0 && count % DATABASES == 0;
    if right {
        Ok(count)
    } else {
        Err(format!("--shards {word}: they are spread over {DATABASES} databases"))
    }
}

fn pair(word: &str) -> Result<Pair, String> {
    match word {
        "postgres-mysql" => Ok(Pair::PostgresMysql),
        "postgres" => Ok(Pair::Postgres),
        "mysql" => Ok(Pair::Mysql),
        "sqlite" => Ok(Pair::Sqlite),
        _ => Err(format!("`{word}` is no pair")),
    }
}
