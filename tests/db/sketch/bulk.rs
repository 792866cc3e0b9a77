//! Many messages whose ids are kept in every way, read by their sums.

use super::{servers, strategies};
use crate::world::{Place, brief, run_day, totals};
use msgrecon::config::Dialect;
use msgrecon::model::Run;
use msgrecon::model::id::uuid_text;
use msgrecon::model::run::Strategy;

const AS_OF: &str = "2026-03-03T06:00:00Z";
const MESSAGES: u64 = 4_000;

/// How a column keeps ids: the type of each server, and the encoding that says so.
#[derive(Clone, Copy, Debug)]
struct Kept {
    postgres: &'static str,
    mysql: &'static str,
    encoding: &'static str,
    write: fn(u64, Dialect) -> String,
}

/// A number's own UUID.
fn uuid(number: u64) -> [u8; 16] {
    (u128::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).to_be_bytes()
}

fn hex(bytes: &[u8], dialect: Dialect) -> String {
    let digits = uuid_text(bytes.try_into().unwrap()).replace('-', "");
    if dialect == Dialect::Postgres { format!("'\\x{digits}'::bytea") } else { format!("X'{digits}'") }
}

fn swapped(number: u64) -> Vec<u8> {
    let uuid = uuid(number);
    [&uuid[6..8], &uuid[4..6], &uuid[..4], &uuid[8..]].concat()
}

fn little_endian(number: u64) -> Vec<u8> {
    let mut bytes = uuid(number);
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    bytes.to_vec()
}

/// Loose spellings never stand on both sides: neither column would keep ids apart.
const UUIDS: [Kept; 7] = [
    Kept {
        postgres: "uuid",
        mysql: "CHAR(36)",
        encoding: "text",
        write: |n, _| format!("'{}'", uuid_text(&uuid(n))),
    },
    Kept { postgres: "text", mysql: "VARCHAR(60)", encoding: "uuid", write: |n, _| loose(n) },
    Kept {
        postgres: "VARCHAR(40)",
        mysql: "VARCHAR(40) COLLATE utf8mb4_bin",
        encoding: "text",
        write: |n, _| format!("'{}'", uuid_text(&uuid(n))),
    },
    Kept {
        postgres: "bytea",
        mysql: "BINARY(16)",
        encoding: "uuid-bytes",
        write: |n, dialect| hex(&uuid(n), dialect),
    },
    Kept {
        postgres: "CHAR(50)",
        mysql: "CHAR(50) CHARACTER SET latin1",
        encoding: "uuid",
        write: |n, _| loose(n),
    },
    Kept {
        postgres: "bytea",
        mysql: "BINARY(16)",
        encoding: "uuid-bytes-swapped",
        write: |n, dialect| hex(&swapped(n), dialect),
    },
    Kept {
        postgres: "bytea",
        mysql: "VARBINARY(16)",
        encoding: "uuid-bytes-le",
        write: |n, dialect| hex(&little_endian(n), dialect),
    },
];
const TEXTS: [Kept; 3] = [
    Kept {
        postgres: "text",
        mysql: "VARCHAR(80)",
        encoding: "text",
        write: |n, _| format!("'Bestellung ü {n:020}'"),
    },
    Kept {
        postgres: "VARCHAR(80)",
        mysql: "VARCHAR(80) CHARACTER SET latin1",
        encoding: "text",
        write: |n, _| format!("'Bestellung ü {n:020}'"),
    },
    Kept {
        postgres: "CHAR(40)",
        mysql: "VARCHAR(80) COLLATE utf8mb4_bin",
        encoding: "text",
        write: |n, _| format!("'Bestellung ü {n:020}'"),
    },
];
const NUMBERS: [Kept; 3] = [
    Kept {
        postgres: "bigint",
        mysql: "BIGINT UNSIGNED ZEROFILL",
        encoding: "integer",
        write: |n, _| n.to_string(),
    },
    Kept { postgres: "integer", mysql: "INT", encoding: "text", write: |n, _| n.to_string() },
    Kept { postgres: "VARCHAR(20)", mysql: "VARCHAR(20)", encoding: "text", write: |n, _| format!("'{n}'") },
];

/// Every spelling in turn, those that servers are not asked to read among them.
fn loose(number: u64) -> String {
    let text = uuid_text(&uuid(number));
    match number % 400 {
        0 => format!("'urn:uuid:{text}'"),
        1 => format!("'{{{text}}}'"),
        2..100 => format!("'{}'", text.to_uppercase()),
        100..200 => format!("'{}'", text.replace('-', "")),
        _ => format!("'{text}'"),
    }
}

fn time(number: u64) -> String {
    let second = number * 86_000 / MESSAGES;
    format!(
        "'2026-03-02 {:02}:{:02}:{:02}.{:03}'",
        second / 3600,
        second / 60 % 60,
        second % 60,
        number % 1_000
    )
}

async fn fill(place: &Place, table: &str, kept: Kept, times: &[&str], rows: &[(u64, u64)], key: &str) {
    let (kind, at) = match place.dialect {
        Dialect::Postgres => (kept.postgres, "timestamp(6)"),
        _ => (kept.mysql, "datetime(6)"),
    };
    let columns = times.iter().fold(String::new(), |all, name| all + &format!(", {name} {at} NOT NULL"));
    let mut all = vec![
        format!("DROP TABLE IF EXISTS {table}"),
        format!(
            "CREATE TABLE {table} (nr INTEGER NOT NULL, msg_id {kind} NOT NULL{columns}, PRIMARY KEY ({key}))"
        ),
        format!("CREATE INDEX {table}_at ON {table} ({})", times[0]),
    ];
    for part in rows.chunks(1_000) {
        let row = |(nr, (number, at)): (usize, &(u64, u64))| {
            let times = format!(", {}", time(*at)).repeat(times.len());
            format!(
                "({}, {}{times})",
                nr + usize::try_from(*at).unwrap() * 10,
                (kept.write)(*number, place.dialect)
            )
        };
        let values: Vec<_> = part.iter().enumerate().map(row).collect();
        all.push(format!("INSERT INTO {table} VALUES {}", values.join(", ")));
    }
    place.execute(&all).await;
}

fn config(producer: &Place, consumer: &Place, kept: [Kept; 2], strategy: Strategy) -> String {
    let [events, receipts] =
        kept.map(|kept| format!("{{ column = \"msg_id\", encoding = \"{}\" }}", kept.encoding));
    producer.toml("p")
        + &consumer.toml("c")
        + &format!(
            "[[flows]]\nname = \"orders\"\nwindow = \"1h\"\nstrategy = \"{}\"\n[flows.events]\ndatabase = \"p\"\ntable = \"made\"\n\
             id = {events}\nacked_at = \"sent_at\"\ncreated_at = \"created_at\"\n[[flows.consumers]]\nname = \"billing\"\n\
             database = \"c\"\ntable = \"seen\"\nid = {receipts}\nconsumed_at = \"consumed_at\"\n",
            strategy.name()
        )
}

/// Three are lost, two come from nowhere, and where the table allows it one is consumed again in the next hour.
async fn told(producer: &Place, consumer: &Place, kept: [Kept; 2], twice: bool, strategy: Strategy) -> Run {
    let events: Vec<_> = (0..MESSAGES).map(|number| (number, number)).collect();
    let lost = [7, 1_900, 3_999];
    let mut receipts: Vec<_> = events.iter().copied().filter(|(number, _)| !lost.contains(number)).collect();
    receipts.extend([(MESSAGES + 50, 10), (MESSAGES + 60, 2_000)]);
    receipts.extend(twice.then_some((500, 900)));
    fill(producer, "made", kept[0], &["sent_at", "created_at"], &events, "msg_id").await;
    fill(consumer, "seen", kept[1], &["consumed_at"], &receipts, if twice { "msg_id, nr" } else { "msg_id" })
        .await;
    run_day(&config(producer, consumer, kept, strategy), "2026-03-02", AS_OF).await
}

/// Every way of keeping ids against another one, on every pair of servers.
async fn ids_agree(strategy: Strategy) {
    let places = servers().await;
    let mut turn = 0;
    for sorts in [&UUIDS[..], &TEXTS[..], &NUMBERS[..]] {
        for (number, first) in sorts.iter().enumerate().filter(|_| !places.is_empty()) {
            turn += 1;
            let second = sorts[(number + 1) % sorts.len()];
            let (producer, consumer) = (&places[turn % places.len()], &places[turn / 2 % places.len()]);
            let kept = [*first, second];
            let loose = kept.iter().any(|kept| kept.encoding == "uuid");
            // Where a receipt may come twice, or loose spellings keep no ids apart, nothing is packed.
            let twice = strategy == Strategy::Sketch && turn % 3 == 0 && first.encoding != "uuid";
            let right = if strategy == Strategy::Packed && loose { Strategy::Stream } else { strategy };
            let run = told(producer, consumer, kept, twice, strategy).await;
            let what =
                format!("{kept:?} {:?} {:?}: {:?}", producer.dialect, consumer.dialect, run.flows[0].hints);
            assert_eq!(strategies(&run), [right], "{what}");
            let totals = totals(&run, "billing");
            let again = u64::from(twice);
            let right = (MESSAGES, MESSAGES - 3 - again, 3, 2, again);
            let found = (totals.acked, totals.ok, totals.missing, totals.orphan, totals.duplicate);
            assert_eq!(found, right, "{what} {:?}", brief(&run));
            assert!(run.complete && run.problems.is_empty(), "{what} {:?}", run.problems);
        }
    }
    for place in places {
        place.remove().await;
    }
}

#[tokio::test]
async fn ids_are_summed_alike_however_they_are_kept() {
    ids_agree(Strategy::Sketch).await;
}

#[tokio::test]
async fn ids_are_packed_alike_however_they_are_kept() {
    ids_agree(Strategy::Packed).await;
}

#[tokio::test]
async fn fifty_thousand_differences_are_too_many_and_are_counted_all_the_same() {
    let Some(place) = Place::new(Dialect::Postgres).await else { return };
    let all = "generate_series(1, 60000) AS number";
    let at = "timestamp '2026-03-02' + number * interval '1.4 seconds'";
    place
        .execute(&[
            format!("CREATE TABLE created AS SELECT md5(number::text)::uuid AS msg_id, {at} AS sent_at, {at} AS created_at FROM {all}"),
            format!("CREATE TABLE seen AS SELECT md5(number::text)::uuid AS msg_id, {at} AS consumed_at FROM {all} WHERE number > 50000"),
            "ALTER TABLE created ADD PRIMARY KEY (msg_id)".to_owned(),
            "ALTER TABLE seen ADD PRIMARY KEY (msg_id)".to_owned(),
            "CREATE INDEX ON created (sent_at)".to_owned(),
            "CREATE INDEX ON seen (consumed_at)".to_owned(),
        ])
        .await;
    let why = [
        (Strategy::Sketch, "buckets would have to be looked into"),
        (Strategy::Packed, "rows would have to be looked up one by one"),
    ];
    for (strategy, why) in why {
        let text = config(&place, &place, [UUIDS[0]; 2], strategy).replace("\"made\"", "\"created\"");
        let run = run_day(&text, "2026-03-02", AS_OF).await;
        let (totals, hints) = (totals(&run, "billing"), &run.flows[0].hints);
        assert_eq!((totals.acked, totals.missing, totals.ok), (60_000, 50_000, 10_000), "{strategy:?}");
        assert_eq!(strategies(&run), [Strategy::Stream]);
        assert!(hints.iter().any(|hint| hint.contains(why)), "{hints:?}");
    }
    place.remove().await;
}
