//! A day of messages at any size: how fast `msgrecon run` reconciles it, in how much memory and over how many bytes,
//! beside the servers' own clients, `sort | comm`, the servers' own anti-join, reladiff and polars, all in one run.
//!
//! ```sh
//! tests/run --with cargo bench --bench scale                       # 1,000,000 messages
//! tests/run --with cargo bench --bench scale -- --help
//! ```
//!
//! Times are of a machine that others may share: only ratios, taken in one run, say something.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and fails by panicking"
)]

mod args;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod data;
mod gate;
mod method;
mod proxy;
mod python;
mod rounds;
mod script;
mod sql;
mod table;

use args::Args;
use common::Servers;
use data::Data;

fn main() {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(message) => {
            println!("{message}\n\n{}", args::USAGE);
            std::process::exit(2);
        }
    };
    if args.help {
        println!("{}", args::USAGE);
        return;
    }
    let Some(servers) = Servers::find("scale") else { return };
    let data = Data::build(&args, &servers);
    // The databases go even if a round fails.
    let outcome = std::panic::catch_unwind(|| {
        let lines = rounds::measure(&args, &data);
        println!("\n{}", table::render(&lines, &data, &args));
        if args.gate {
            gate::hold(&lines, &data);
        }
    });
    if args.keep.is_none() {
        data.remove(&servers);
    }
    if let Err(cause) = outcome {
        std::panic::resume_unwind(cause);
    }
}
