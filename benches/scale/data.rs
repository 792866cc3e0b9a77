//! The databases of a bench: built once, and with `--keep` taken again by the next.

use crate::args::{Args, Layout, Pair};
use crate::common::Servers;
use crate::common::place::{Dialect, Place};
use crate::sql::{DATABASES, MISSING, ORPHANS, Rows, around};
use std::time::Instant;

/// A salt that gives ids no event has.
const STRANGE: u64 = 1_000_000_000;
/// `InnoDB` keeps its pages here, each row of both sides at about this many bytes; else it reads the disk again and again.
const POOL_BYTES_A_ROW: u64 = 200;
const POOL_MAX: u64 = 4 << 30;

pub struct Data {
    pub count: u64,
    pub layout: Layout,
    /// Where the events are; one, or one per database of the shards.
    pub producers: Vec<Place>,
    /// Where the receipts are, beside the events.
    pub consumers: Vec<Place>,
    /// What a right report says: acked, missing, orphan.
    pub answer: [u64; 3],
}

impl Data {
    /// The same data behind other ports.
    pub fn behind(&self, through: impl Fn(&Place) -> Place) -> Self {
        let all = |places: &[Place]| places.iter().map(&through).collect();
        Self { producers: all(&self.producers), consumers: all(&self.consumers), ..*self }
    }

    /// Whether one server holds both sides, so that it can compare them by itself.
    pub fn in_one_database(&self) -> bool {
        self.producers == self.consumers
    }

    /// What is right of those who do not tell receipts of the day from those next to it.
    pub fn by_hand(&self) -> [u64; 3] {
        match (self.layout, self.answer) {
            (Layout::Unpaired, [acked, missing, _]) => [acked, missing, self.count + around(self.count)],
            (_, answer) => answer,
        }
    }

    pub fn receipts_table(&self) -> &'static str {
        if self.layout == Layout::Unpaired { "strange" } else { "consumed_message" }
    }

    pub fn build(args: &Args, servers: &Servers) -> Self {
        let folder = std::env::temp_dir().join("msgrecon-bench");
        std::fs::create_dir_all(&folder).unwrap();
        let file = Place::File(folder.join("bench.db"));
        let (producer, consumer) = match args.pair {
            Pair::PostgresMysql => (&servers.postgres, &servers.mysql),
            Pair::Postgres => (&servers.postgres, &servers.postgres),
            Pair::Mysql => (&servers.mysql, &servers.mysql),
            Pair::Sqlite => (&file, &file),
        };
        let own = std::process::id().to_string();
        let name = format!("msgrecon_bench_{}_{}", args.keep.as_deref().unwrap_or(&own), args.count);
        let names: Vec<String> = match args.layout {
            Layout::Shards(count) => (0..DATABASES).map(|at| format!("{name}_s{count}_{at}")).collect(),
            Layout::OneTable | Layout::Unpaired => vec![name],
        };
        let places = |server: &Place| names.iter().map(|name| server.database(name)).collect();
        let mut data = Self {
            count: args.count,
            layout: args.layout,
            producers: places(producer),
            consumers: places(consumer),
            answer: [args.count, MISSING.min(args.count), ORPHANS],
        };
        data.fill(producer, consumer);
        if args.layout == Layout::Unpaired {
            data.answer = [args.count, args.count, data.strangers()];
        }
        data
    }

    fn fill(&self, producer: &Place, consumer: &Place) {
        for (server, places) in [(producer, &self.producers), (consumer, &self.consumers)] {
            self.make_room(server);
            places.iter().for_each(|place| make(place, server));
        }
        let salt = if self.layout == Layout::Unpaired { STRANGE } else { 0 };
        let events = || self.each(&self.producers, "event", Rows::events);
        let receipts =
            || self.each(&self.consumers, self.receipts_table(), |rows, table| rows.receipts(table, salt));
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(events);
            receipts();
        });
        println!("data of {} messages are there after {:.1} s", self.count, start.elapsed().as_secs_f64());
    }

    /// Builds the tables of one side, unless a bench before has left them.
    fn each(&self, places: &[Place], table: &str, statements: impl Fn(Rows, &str) -> Vec<String>) {
        for (at, place) in (0..).zip(places) {
            let done = format!("ready_{table}");
            if place.ask(&format!("SELECT * FROM {done}")).is_ok() {
                continue;
            }
            let all = self.tables(table, at).into_iter().flat_map(|(table, first, step)| {
                let rows = Rows { dialect: place.dialect(), count: self.count, first, step };
                statements(rows, &table)
            });
            place.execute(&all.collect::<Vec<_>>());
            place.execute(&[format!("CREATE TABLE {done} (done INT)")]);
        }
    }

    /// The tables of the database at this place: name, first row, step.
    fn tables(&self, table: &str, database: u64) -> Vec<(String, u64, u64)> {
        match self.layout {
            Layout::Shards(count) => {
                let each = count / DATABASES;
                (0..each).map(|at| (shard(table, at), database * each + at, count)).collect()
            }
            Layout::OneTable | Layout::Unpaired => vec![(table.to_owned(), 0, 1)],
        }
    }

    /// How many of the receipts without an event lie in the day.
    fn strangers(&self) -> u64 {
        let place = &self.consumers[0];
        let day = crate::sql::consumed_in_the_day(place.dialect());
        let sql = format!("SELECT count(*) FROM {} WHERE {day}", self.receipts_table());
        place.ask(&sql).unwrap().parse().unwrap()
    }

    /// Lets `MariaDB` keep the data in memory, as `PostgreSQL`'s lie in the system's.
    fn make_room(&self, server: &Place) {
        if server.dialect() != Dialect::Mysql {
            return;
        }
        let wanted = ((self.count + around(self.count)) * 2 * POOL_BYTES_A_ROW).min(POOL_MAX);
        let has: u64 = server.ask("SELECT @@innodb_buffer_pool_size").unwrap().parse().unwrap();
        if has < wanted {
            server.execute(&[format!("SET GLOBAL innodb_buffer_pool_size = {wanted}")]);
        }
    }

    pub fn remove(&self, servers: &Servers) {
        for place in self.producers.iter().chain(&self.consumers) {
            let server =
                if place.dialect() == Dialect::Postgres { &servers.postgres } else { &servers.mysql };
            place.drop(server);
        }
    }
}

fn make(place: &Place, server: &Place) {
    if place.ask("SELECT 1").is_err() {
        place.create(server);
    }
}

/// The name of a shard in its database.
pub fn shard(table: &str, at: u64) -> String {
    format!("{table}_{at:03}")
}
