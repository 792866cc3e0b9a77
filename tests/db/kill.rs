//! `kill -9` at any point of a catch-up, run again: the same report, and the same ledger, as if nothing had happened.

mod home;
mod shop;

use crate::child;
use crate::rng::Rng;
use home::{Home, Phase};
use msgrecon::config::Dialect;
use shop::{AS_OF, EARLIER_AS_OF, Shop};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// So many points on each ledger, unless `MSGRECON_KILLS` says otherwise.
const KILLS: usize = 200;
const SEED: u64 = 20_260_302;
/// What a run makes.
const FILES: [&str; 4] = ["differences.csv", "report.html", "report.json", "windows.csv"];

/// What a run leaves behind, without its id.
#[derive(Clone, Debug, PartialEq)]
struct Left {
    code: i32,
    stdout: String,
    files: BTreeMap<String, String>,
    ledger: Vec<String>,
}

/// A run that nobody disturbed, and one after it.
struct Reference {
    first: Left,
    again: Left,
    took: Duration,
}

/// One ledger and what stands around it.
struct Trial {
    folder: TempDir,
    home: Home,
    /// With an empty ledger, and with one that an earlier run has left.
    references: Vec<Reference>,
    rng: Rng,
    /// Delays after which a run was found in the middle of its work, by reference.
    middles: [Vec<Duration>; 2],
    phases: BTreeMap<&'static str, usize>,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

impl Trial {
    async fn new(dialect: Dialect, seed: u64) -> Option<Self> {
        let mut home = Home::new(dialect).await?;
        let folder = tempfile::tempdir().unwrap();
        let shop = Shop::new(seed).await;
        std::fs::write(folder.path().join("msgrecon.toml"), shop.config(&home.url())).unwrap();
        let earlier = child::bare(folder.path()).args(["run", "--as-of", EARLIER_AS_OF]).output().unwrap();
        assert_eq!(child::code(&earlier), 1, "{}", child::said(&earlier));
        home.keep().await;
        shop.go_on().await;
        let rng = Rng::new(seed);
        let (middles, phases) = ([Vec::new(), Vec::new()], BTreeMap::new());
        let mut trial = Self { folder, home, references: Vec::new(), rng, middles, phases };
        for kept in [false, true] {
            let reference = trial.reference(kept).await;
            trial.references.push(reference);
        }
        // The sources live as long as the trial.
        std::mem::forget(shop);
        Some(trial)
    }

    async fn reference(&mut self, kept: bool) -> Reference {
        self.home.renew(kept).await;
        self.clear();
        let start = Instant::now();
        let first = self.run().await;
        let took = start.elapsed();
        let again = self.run().await;
        assert_eq!(first.code, 1);
        assert_eq!(first.ledger, again.ledger, "running again changes nothing but what changed");
        let windows = first.ledger.iter().filter(|row| row.starts_with("msgrecon_windows")).count();
        assert_eq!(windows, 2 * shop::WINDOWS);
        eprintln!("undisturbed: {took:?}, {} rows of the ledger", first.ledger.len());
        Reference { first, again, took }
    }

    /// Forgets the reports.
    fn clear(&self) {
        let _ = std::fs::remove_dir_all(self.folder.path().join("reports"));
    }

    /// `told` says that somebody reads what it says; a pipe that nobody reads would hold it up.
    fn start(&self, told: bool) -> Child {
        let arguments = ["run", "--as-of", AS_OF, "--format", "json", "--output", "reports"];
        let mut command = child::bare(self.folder.path());
        let to = || if told { Stdio::piped() } else { Stdio::null() };
        command.args(arguments).stdout(to()).stderr(to()).spawn().unwrap()
    }

    /// A run to its end.
    async fn run(&mut self) -> Left {
        let output = self.start(true).wait_with_output().unwrap();
        let said = child::said(&output);
        self.home.assert_at_rest(&said).await;
        Left {
            code: child::code(&output),
            stdout: anonymous(&child::out(&output)),
            files: reports(self.folder.path()),
            ledger: self.home.dump().await,
        }
    }

    /// Kills a run at some point; says where.
    async fn kill(&mut self, kept: bool) -> Phase {
        let delay = self.delay(kept);
        let mut child = self.start(false);
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
        let phase = self.home.phase(kept).await;
        if matches!(phase, Phase::Differences | Phase::Windows) {
            self.middles[usize::from(kept)].push(delay);
        }
        phase
    }

    /// Anywhere in the run, and every other time near where one was found in the middle, or at its end: on a busy machine
    /// the same delay ends in another phase.
    fn delay(&mut self, kept: bool) -> Duration {
        let middles = &self.middles[usize::from(kept)];
        let last = middles.iter().max().copied();
        let percent =
            |rng: &mut Rng, from, until| f64::from(u32::try_from(rng.between(from, until)).unwrap()) / 100.0;
        match (self.rng.below(10), last) {
            (0..=3, Some(_)) => {
                let near = middles[self.rng.below(middles.len())];
                near.mul_f64(percent(&mut self.rng, 80, 121))
            }
            (4, Some(last)) => last.mul_f64(percent(&mut self.rng, 95, 131)),
            _ => self.references[usize::from(kept)].took.mul_f64(percent(&mut self.rng, 0, 106)),
        }
    }

    /// One point: killed once or twice, then run to the end.
    async fn point(&mut self, point: usize) {
        let kept = point % 2 == 1;
        self.home.renew(kept).await;
        self.clear();
        let mut phase = self.kill(kept).await;
        let mut told = vec![phase];
        *self.phases.entry(name(phase)).or_default() += 1;
        if phase != Phase::Finished && self.rng.chance(25) {
            phase = self.kill(kept).await;
            told.push(phase);
        }
        let what =
            format!("point {point}, with {} ledger, killed at {told:?}", if kept { "a" } else { "no" });
        let reference = &self.references[usize::from(kept)];
        let mut right = reference.first.clone();
        if phase == Phase::Finished {
            // Its report had been delivered before it was marked as finished.
            assert_same(&reference.first.files, &reports(self.folder.path()), &what);
            right = reference.again.clone();
        }
        let left = self.run().await;
        assert_eq!(left.code, right.code, "{what}");
        assert_same(&right.files, &left.files, &what);
        assert_eq!(left.stdout, right.stdout, "{what}");
        let lost: Vec<_> = right.ledger.iter().filter(|row| !left.ledger.contains(row)).collect();
        let strange: Vec<_> = left.ledger.iter().filter(|row| !right.ledger.contains(row)).collect();
        assert!(lost.is_empty() && strange.is_empty(), "{what}: lost {lost:#?}, strange {strange:#?}");
        assert_eq!(left.ledger.len(), right.ledger.len(), "{what}: rows come twice");
    }
}

fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Before => "before anything was recorded",
        Phase::Differences => "with differences recorded",
        Phase::Windows => "with windows recorded",
        Phase::Finished => "finished",
    }
}

fn assert_same(right: &BTreeMap<String, String>, left: &BTreeMap<String, String>, what: &str) {
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>(), "{what}");
    for (name, text) in right {
        let differ = text.lines().zip(left[name].lines()).find(|(right, left)| right != left);
        assert!(*text == left[name], "{what}: {name}: {differ:#?}");
    }
}

/// The report files, without the run's id.
fn reports(folder: &Path) -> BTreeMap<String, String> {
    let read = |name: &str| std::fs::read_to_string(folder.join("reports").join(name));
    let files = FILES.iter().filter_map(|name| Some(((*name).to_owned(), anonymous(&read(name).ok()?))));
    files.collect()
}

/// A text without ids of runs: `20260304T122000Z-0123abcd`.
pub fn anonymous(text: &str) -> String {
    let (bytes, mut plain, mut at) = (text.as_bytes(), String::new(), 0);
    for (dash, _) in text.match_indices("Z-") {
        let (Some(from), until) = (dash.checked_sub(15), dash + 10) else { continue };
        let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        let is_id = from >= at
            && until <= bytes.len()
            && digits(&bytes[from..from + 8])
            && bytes[from + 8] == b'T'
            && bytes[dash + 2..until].iter().all(u8::is_ascii_hexdigit);
        if is_id {
            plain += &text[at..from];
            plain += "RUN";
            at = until;
        }
    }
    plain + &text[at..]
}

async fn killed(dialect: Dialect) {
    let kills = usize::try_from(setting("MSGRECON_KILLS", KILLS as u64)).unwrap();
    let seed = setting("MSGRECON_SEED", SEED);
    eprintln!("MSGRECON_SEED={seed} MSGRECON_KILLS={kills}");
    let Some(mut trial) = Trial::new(dialect, seed).await else { return };
    let start = Instant::now();
    for point in 0..kills {
        trial.point(point).await;
    }
    eprintln!("{kills} points in {:?}: killed {:#?}", start.elapsed(), trial.phases);
    let of = |phase| trial.phases.get(name(phase)).copied().unwrap_or_default();
    let middle = of(Phase::Differences) + of(Phase::Windows);
    assert!(middle >= kills / 4, "only {middle} of {kills} died in the middle");
    assert!(of(Phase::Windows) >= kills / 20, "hardly any died between two slices");
    trial.home.remove().await;
}

#[tokio::test]
async fn killed_at_any_point_a_run_with_its_ledger_on_sqlite_goes_on_to_the_same_end() {
    killed(Dialect::Sqlite).await;
}

#[tokio::test]
async fn killed_at_any_point_a_run_with_its_ledger_on_postgres_goes_on_to_the_same_end() {
    killed(Dialect::Postgres).await;
}
