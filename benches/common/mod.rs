//! What the benchmarks share: databases on the servers, reached through the servers' own clients, and what a run took.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

pub mod measure;
pub mod place;

use place::Place;
use url::Url;

/// The two servers of `tests/run`.
#[derive(Clone)]
pub struct Servers {
    pub postgres: Place,
    pub mysql: Place,
}

impl Servers {
    /// `None`, and a word of how to get them, where they are not up.
    pub fn find(bench: &str) -> Option<Self> {
        let place = |name| Some(Place::Server(Url::parse(&std::env::var(name).ok()?).unwrap()));
        let found = place("MSGRECON_TEST_POSTGRES_URL").zip(place("MSGRECON_TEST_MYSQL_URL"));
        if found.is_none() {
            println!("no servers: run it as `tests/run --with cargo bench --bench {bench}`");
        }
        found.map(|(postgres, mysql)| Self { postgres, mysql })
    }
}

/// A table `numbers(i)` of `count` whole numbers from 0, for every MySQL and MariaDB.
pub fn mysql_numbers(count: u64) -> String {
    let last = count.saturating_sub(1);
    format!(
        "(WITH RECURSIVE digit AS (SELECT 0 AS d UNION ALL SELECT d + 1 FROM digit WHERE d < 9), thousand AS \
         (SELECT a.d * 100 + b.d * 10 + c.d AS t FROM digit a, digit b, digit c) \
         SELECT x.t * 1000000 + y.t * 1000 + z.t AS i FROM thousand x, thousand y, thousand z \
         WHERE x.t <= {last} DIV 1000000 AND x.t * 1000 + y.t <= {last} DIV 1000 \
         AND x.t * 1000000 + y.t * 1000 + z.t <= {last}) numbers"
    )
}
