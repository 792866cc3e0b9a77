//! `kill -9` at any moment of a run that tells: whatever was found is told, under one id, and nothing is lost.

use super::super::peer::{Peer, Reply};
use super::rng::Rng;
use super::{FIRST, FOLDER, ONE_MISSING, SECOND, Shop, THIRD};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// So many moments, unless `MSGRECON_KILLS` says otherwise.
const KILLS: u64 = 60;
const SEED: u64 = 20_260_303;
/// A peer takes so long to answer, so that many die between sending and noting.
const SLOW: Duration = Duration::from_millis(60);

/// How far a run had come when it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Nothing was recorded as found.
    Judging,
    /// It was recorded what is to be told, and not sent.
    BeforeSending,
    /// Something was sent, and not noted.
    BetweenSendingAndNoting,
    /// Everything was sent and noted.
    Told,
}

/// One shop and the two that are told besides the mail.
struct Trial {
    shop: Shop,
    peers: [Peer; 2],
    rng: Rng,
    /// How long an undisturbed run takes.
    took: Duration,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

impl Trial {
    fn new(seed: u64, took: Duration) -> Self {
        let peers = [(); 2].map(|()| Peer::new(&[Reply::Slow(SLOW, 200)]));
        let channel = |(name, peer): (&str, &Peer)| {
            format!("[[channels]]\nkind = 'webhook'\nname = '{name}'\nurl = '{}'\n", peer.url("/in"))
        };
        let channels: String = ["one", "two"].into_iter().zip(&peers).map(channel).collect();
        let shop = Shop::telling(&format!("{FOLDER}{channels}"));
        Self { shop, peers, rng: Rng::new(seed), took }
    }

    fn heard(&self) -> usize {
        self.peers.iter().map(|peer| peer.sent().len()).sum()
    }

    fn start(&self, as_of: &str) -> Child {
        let mut command = self.shop.command(&format!("run --output out --as-of {as_of}"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Waits for a moment: of the whole run, or of what follows the first message.
    fn wait(&mut self, child: &mut Child, heard: usize) {
        let part = |rng: &mut Rng, whole: Duration| {
            whole.mul_f64(f64::from(u32::try_from(rng.between(0, 1_100)).unwrap()) / 1_000.0)
        };
        if self.rng.chance(50) {
            return std::thread::sleep(part(&mut self.rng, self.took));
        }
        while self.heard() == heard && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(part(&mut self.rng, SLOW * 3));
    }

    /// Kills a run; says how far it had come.
    fn kill(&mut self, as_of: &str) -> Phase {
        let heard = self.heard();
        let mut child = self.start(as_of);
        self.wait(&mut child, heard);
        child.kill().unwrap();
        child.wait().unwrap();
        self.phase(as_of)
    }

    /// Of the last run, by what it left.
    fn phase(&self, as_of: &str) -> Phase {
        let made = self.shop.ask("name", "sqlite_master WHERE name = 'msgrecon_deliveries'");
        let micros = chrono::DateTime::parse_from_rfc3339(as_of).unwrap().timestamp_micros();
        let of_run = format!("msgrecon_deliveries WHERE as_of = {micros}");
        let kept = if made.is_empty() { Vec::new() } else { self.shop.ask("delivery, state", &of_run) };
        let sent = self.sent();
        let waiting: Vec<_> = kept.iter().filter_map(|row| row.strip_suffix("|waiting")).collect();
        match (kept.is_empty(), waiting.is_empty()) {
            (true, _) => Phase::Judging,
            (_, true) => Phase::Told,
            _ if waiting.iter().any(|key| sent.contains(*key)) => Phase::BetweenSendingAndNoting,
            _ => Phase::BeforeSending,
        }
    }

    /// Keys of everything that has arrived.
    fn sent(&self) -> BTreeSet<String> {
        let ids = self.peers.iter().flat_map(Peer::sent).map(|sent| key(&sent.headers["webhook-id"]));
        ids.chain(self.shop.mails().iter().map(|mail| mail_key(mail))).collect()
    }

    /// Every state that was recorded has arrived, and no other; all that is missing was told once.
    fn assert_told(&self, what: &str) {
        let rows = self.shop.ask("delivery, target, state, body", "msgrecon_deliveries");
        let (mut kept, mut fresh) = (BTreeSet::new(), BTreeMap::<String, u64>::new());
        for row in &rows {
            let parts: Vec<_> = row.splitn(4, '|').collect();
            assert_eq!(parts[2], "sent", "{what}: {row}");
            kept.insert(parts[0].to_owned());
            let digest: serde_json::Value = serde_json::from_str(parts[3]).unwrap();
            let notices = digest["notices"].as_array().unwrap();
            let count = notices.iter().map(|notice| notice["fresh"].as_u64().unwrap()).sum::<u64>();
            *fresh.entry(parts[1].to_owned()).or_default() += count;
        }
        assert_eq!(self.sent(), kept, "{what}: what arrived is what was recorded");
        let all = ["channel:one", "channel:two", "mail"].map(|target| (target.to_owned(), 2));
        assert_eq!(fresh, BTreeMap::from(all), "{what}: each missing one is news to each target once");
        let mails = self.shop.mails();
        let keys: BTreeSet<_> = mails.iter().map(|mail| mail_key(mail)).collect();
        assert_eq!(
            (keys.len(), rows.len()),
            (mails.len(), 3 * mails.len()),
            "{what}: one mail for each state"
        );
        self.assert_one_id_a_state(what);
    }

    /// What says the same has the same id.
    fn assert_one_id_a_state(&self, what: &str) {
        for peer in &self.peers {
            let mut ids = BTreeMap::<String, BTreeSet<String>>::new();
            for sent in peer.sent() {
                let data = &sent.json()["data"];
                let state = format!("{} {}", data["run"]["as_of"], data["notices"]);
                ids.entry(state).or_default().insert(sent.headers["webhook-id"].clone());
            }
            assert!(ids.values().all(|ids| ids.len() == 1), "{what}: {ids:?}");
        }
    }

    /// Killed while it tells of one, and again while it tells of one more; then left alone.
    fn point(&mut self, phases: &mut BTreeMap<Phase, usize>) {
        self.shop.tell(ONE_MISSING);
        let first = self.kill(FIRST);
        self.shop.tell("day 2026-03-03\nevent b acked 00:10:00 00:10:01");
        let second = self.kill(SECOND);
        for phase in [first, second] {
            *phases.entry(phase).or_default() += 1;
        }
        self.shop.due(THIRD).ended(1);
        self.assert_told(&format!("killed at {first:?} and {second:?}"));
    }
}

/// `msg_KEY`.
fn key(id: &str) -> String {
    id.strip_prefix("msg_").unwrap().to_owned()
}

/// The key in a mail's `Message-ID`.
fn mail_key(mail: &[u8]) -> String {
    let message = mail_parser::MessageParser::default().parse(mail).unwrap();
    message.message_id().unwrap().split_once('@').unwrap().0.to_owned()
}

/// How long a run takes that nobody kills.
fn undisturbed(seed: u64) -> Duration {
    let trial = Trial::new(seed, Duration::ZERO);
    trial.shop.tell(ONE_MISSING);
    let begun = Instant::now();
    assert_eq!(trial.start(FIRST).wait().unwrap().code(), Some(1));
    assert_eq!(trial.phase(FIRST), Phase::Told);
    begun.elapsed()
}

#[test]
fn killed_at_any_moment_a_run_leaves_nothing_untold_and_nothing_told_under_two_ids() {
    let (kills, seed) = (setting("MSGRECON_KILLS", KILLS), setting("MSGRECON_SEED", SEED));
    let (took, begun) = (undisturbed(seed), Instant::now());
    eprintln!("MSGRECON_SEED={seed} MSGRECON_KILLS={kills}; undisturbed: {took:?}");
    let mut phases = BTreeMap::new();
    // Each point has two.
    for point in 0..kills.div_ceil(2) {
        Trial::new(seed + point, took).point(&mut phases);
    }
    eprintln!("{kills} kills in {:?}: {phases:?}", begun.elapsed());
    let of = |phase| phases.get(&phase).copied().unwrap_or_default();
    let before = of(Phase::Judging) + of(Phase::BeforeSending);
    assert!(before >= 3, "hardly any died before sending: {phases:?}");
    assert!(of(Phase::BetweenSendingAndNoting) >= 3, "hardly any died between: {phases:?}");
}
