//! What commands took: wall, processor time of theirs and of the servers, and peak memory, all as Linux counts them.

use super::place::Place;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Linux counts processor time in these.
const TICK: Duration = Duration::from_millis(10);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What commands that ran side by side took.
pub struct Took {
    pub wall: Duration,
    /// Of the commands and what they started.
    pub cpu: Duration,
    /// Of the servers; `None` where their processes cannot be seen.
    pub server_cpu: Option<Duration>,
    /// The largest of the processes.
    pub peak_kib: u64,
    pub stdout: String,
    /// One for each command; `None`: it was cut.
    pub ends: Vec<Option<ExitStatus>>,
}

/// Runs the commands side by side and waits for them; what still runs after `cut` is killed.
pub fn run(commands: Vec<Command>, servers: &[u32], cut: Duration) -> Took {
    let (ours, theirs) = (children_cpu(), servers_cpu(servers));
    let start = Instant::now();
    let mut running: Vec<Child> =
        commands.into_iter().map(|mut one| one.process_group(0).spawn().expect("it is installed")).collect();
    let mut ends = vec![None; running.len()];
    let mut peak_kib = 0;
    while ends.iter().any(Option::is_none) && start.elapsed() < cut {
        for (child, end) in running.iter_mut().zip(&mut ends).filter(|(_, end)| end.is_none()) {
            peak_kib = peak_kib.max(tree_peak(child.id()));
            *end = child.try_wait().unwrap();
        }
        std::thread::sleep(LOOK_EVERY);
    }
    for (child, _) in running.iter_mut().zip(&ends).filter(|(_, end)| end.is_none()) {
        end_group(child);
    }
    let wall = start.elapsed();
    let stdout = running.iter_mut().filter_map(|child| child.stdout.take()).map(text).collect();
    let server_cpu = servers_cpu(servers).zip(theirs).map(|(after, before)| after.saturating_sub(before));
    Took { wall, cpu: children_cpu().saturating_sub(ours), server_cpu, peak_kib, stdout, ends }
}

fn text(mut pipe: std::process::ChildStdout) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).unwrap();
    text
}

fn end_group(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    }
    child.wait().unwrap();
}

/// Waits for the child; gives its end and the highest resident memory that was seen of it, in KiB.
pub fn watch(child: &mut Child) -> (ExitStatus, u64) {
    let mut highest = 0;
    loop {
        highest = highest.max(peak(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            return (status, highest);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn peak(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The peak of the largest process among this one and those that it started.
fn tree_peak(process: u32) -> u64 {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let below = children.split_whitespace().filter_map(|child| child.parse().ok()).map(tree_peak).max();
    peak(process).max(below.unwrap_or(0))
}

/// The fields of `/proc/PID/stat` after the name.
fn stat(process: &str) -> Option<Vec<u64>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
}

fn ticks(ticks: u64) -> Duration {
    TICK * u32::try_from(ticks).unwrap()
}

/// Of the children that were waited for, and theirs.
fn children_cpu() -> Duration {
    stat("self").map_or(Duration::ZERO, |stat| ticks(stat[13] + stat[14]))
}

/// The processes that listen for the servers of these places.
pub fn server_processes(places: &[Place]) -> Vec<u32> {
    let ports: Vec<u16> = places.iter().filter_map(Place::address).map(|(_, port)| port).collect();
    let mut found: Vec<u32> = ports.iter().filter_map(|port| listener(*port)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn listener(port: u16) -> Option<u32> {
    let sockets = std::fs::read_to_string("/proc/net/tcp").ok()?;
    let listens = |line: &&str| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.get(1).is_some_and(|local| local.ends_with(&format!(":{port:04X}")))
            && words.get(3) == Some(&"0A")
    };
    let socket = format!("socket:[{}]", sockets.lines().find(listens)?.split_whitespace().nth(9)?);
    let holds = |process: &u32| {
        let files = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        files.filter_map(|file| file.path().read_link().ok()).any(|link| link.as_os_str() == socket.as_str())
    };
    processes().filter(holds).min()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Of the servers' processes, those that they started, and those of them that are gone; `None` without servers.
fn servers_cpu(servers: &[u32]) -> Option<Duration> {
    let all: BTreeMap<u32, Vec<u64>> =
        processes().filter_map(|process| Some((process, stat(&process.to_string())?))).collect();
    let ours = |process: u32, stat: &[u64]| {
        servers.contains(&process) || servers.iter().any(|server| u64::from(*server) == stat[1])
    };
    let sum: u64 = all
        .iter()
        .filter(|(process, stat)| ours(**process, stat))
        .map(|(_, stat)| stat[11..15].iter().sum::<u64>())
        .sum();
    (!servers.is_empty()).then(|| ticks(sum))
}
