//! The rounds: every method in turn, and again, so that what else the machine does meets them all.

use crate::args::Args;
use crate::common::measure::{self, Took};
use crate::common::place::Place;
use crate::data::Data;
use crate::method::Method;
use crate::proxy::{self, Link};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What a method took; medians of the rounds, but for the peak, which is the highest.
pub struct Line {
    pub method: Method,
    pub wall: Duration,
    pub cpu: Duration,
    pub server_cpu: Option<Duration>,
    pub peak_kib: u64,
    /// From and to the servers; `None` where there is no server.
    pub bytes: Option<(u64, u64)>,
    pub verdict: Verdict,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Wrong(String),
    /// It took longer than it may.
    Cut,
}

struct Round {
    took: Took,
    bytes: Option<(u64, u64)>,
    verdict: Verdict,
}

pub fn measure(args: &Args, data: &Data) -> Vec<Line> {
    let methods = Method::choose(args, data);
    let servers: Vec<Place> = data.producers.iter().chain(&data.consumers).cloned().collect();
    let servers = measure::server_processes(&servers);
    let link = args.rate.map_or_else(Link::counting, Link::slow);
    let behind = behind(data, &link);
    let timed = if args.rate.is_some() { &behind } else { data };
    let mut rounds: Vec<Vec<Round>> = methods.iter().map(|_| Vec::new()).collect();
    for at in 0..args.rounds {
        for (method, rounds) in methods.iter().zip(&mut rounds) {
            if rounds.last().is_some_and(|round: &Round| round.verdict == Verdict::Cut) {
                continue;
            }
            rounds.push(round(method, timed, &servers, args, &link));
            said(at, method, rounds.last().unwrap());
        }
    }
    let lines = methods.into_iter().zip(rounds);
    lines.map(|(method, rounds)| line(method, &rounds, args, &behind, &link)).collect()
}

fn said(at: usize, method: &Method, round: &Round) {
    println!("round {}: {:<24} {:>8.2} s", at + 1, method.name(), round.took.wall.as_secs_f64());
    if let Verdict::Wrong(what) = &round.verdict {
        println!("    wrong: {what}");
    }
}

/// The data behind the link; each server has one way through it.
fn behind(data: &Data, link: &Arc<Link>) -> Data {
    let ways = std::cell::RefCell::new(BTreeMap::<_, Place>::new());
    data.behind(|place| {
        let mut ways = ways.borrow_mut();
        let way = ways.entry(place.address()).or_insert_with(|| proxy::through(link, place));
        way.database_like(place)
    })
}

fn round(method: &Method, data: &Data, servers: &[u32], args: &Args, link: &Link) -> Round {
    let folder = tempfile::tempdir().unwrap();
    let _ = link.counted();
    let commands = method.commands(data, folder.path(), args);
    let took = measure::run(commands, servers, args.cut + Duration::from_secs(1));
    let failed = took.ends.iter().any(|end| end.is_none_or(|end| end.code() != Some(0)));
    let verdict = match method.check(data, folder.path(), &took) {
        _ if took.ends.contains(&None) || (failed && took.wall >= args.cut) => Verdict::Cut,
        Ok(()) => Verdict::Right,
        Err(what) => Verdict::Wrong(what),
    };
    let bytes = Some(link.counted()).filter(|(down, _)| *down > 0);
    Round { took, bytes, verdict }
}

fn line(method: Method, rounds: &[Round], args: &Args, behind: &Data, link: &Link) -> Line {
    let verdicts = rounds.iter().map(|round| round.verdict.clone());
    let verdict = verdicts.reduce(|one, other| if one == Verdict::Right { other } else { one }).unwrap();
    let counted = if args.rate.is_none() && verdict == Verdict::Right {
        // A round of its own: the detour costs time.
        self::round(&method, behind, &[], args, link).bytes
    } else {
        rounds.last().unwrap().bytes
    };
    let took = || rounds.iter().map(|round| &round.took);
    Line {
        method,
        wall: median(took().map(|took| took.wall)),
        cpu: median(took().map(|took| took.cpu)),
        server_cpu: took()
            .map(|took| took.server_cpu)
            .collect::<Option<Vec<_>>>()
            .map(|all| median(all.into_iter())),
        peak_kib: took().map(|took| took.peak_kib).max().unwrap(),
        bytes: counted,
        verdict,
    }
}

fn median<T: Copy + Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values[values.len() / 2]
}
