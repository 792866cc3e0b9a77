//! A consumer's records read from a replica that lags.

use super::{DAY, config, everywhere, ids, usual};
use crate::world::{Place, flow, run_day, totals};
use msgrecon::config::Dialect;
use msgrecon::model::{Kind, Run};

const STORY: &str = "event a acked 23:50:00 23:50:00\nevent b acked 20:00:00 20:00:00";
const NOW: &str = "2026-03-03T00:20:00Z";

async fn day(place: &Place, heartbeat: &str) -> Run {
    let replica = place.toml("c").trim_end().to_owned() + &format!("\nfresh_until = \"{heartbeat}\"\n\n");
    run_day(&(place.toml("p") + &replica + &usual()), DAY, NOW).await
}

/// The heartbeat as this server writes times.
async fn beat(place: &Place, at: &str) {
    let (kind, at) = match place.dialect {
        Dialect::Sqlite => ("TEXT", at.to_owned()),
        Dialect::Postgres => ("TIMESTAMPTZ", at.to_owned()),
        Dialect::Mysql => ("DATETIME(6)", at.trim_end_matches('Z').replace('T', " ")),
    };
    let insert = format!("INSERT INTO heartbeat VALUES ('{at}')");
    let statements = [
        "DROP TABLE IF EXISTS heartbeat".to_owned(),
        format!("CREATE TABLE heartbeat (beat_at {kind})"),
        insert,
    ];
    place.execute(&statements).await;
}

const HEARTBEAT: &str = "SELECT max(beat_at) FROM heartbeat";

#[tokio::test]
async fn d37_replica_behind_the_primary() {
    everywhere(STORY, async |place| {
        beat(place, "2026-03-02T23:45:00Z").await;
        let first = day(place, HEARTBEAT).await;
        assert_eq!(ids(&first, Kind::Missing), ["b"]);
        let sums = totals(&first, "billing");
        assert_eq!((sums.acked, sums.missing, sums.unverifiable, sums.ok), (2, 1, 1, 0));
        assert!(!first.complete && !flow(&first).complete, "what lies beyond the heartbeat is unknown");
        let lag = &first.problems[0];
        assert_eq!(lag.source, "c");
        let (reach, behind) = ("2026-03-02T23:45:00", "35m");
        assert!(lag.message.contains(reach) && lag.message.contains(behind), "{}", lag.message);

        beat(place, "2026-03-03T00:20:01Z").await;
        let insert = match place.dialect {
            Dialect::Mysql => "(1, 'billing', 'a', '2026-03-02 23:51:00')",
            Dialect::Sqlite | Dialect::Postgres => "(1, 'billing', 'a', '2026-03-02T23:51:00Z')",
        };
        let insert =
            format!("INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at) VALUES {insert}");
        place.execute(&[insert]).await;
        let second = day(place, HEARTBEAT).await;
        assert_eq!(ids(&second, Kind::Missing), ["b"]);
        let sums = totals(&second, "billing");
        assert_eq!((sums.acked, sums.missing, sums.unverifiable, sums.ok), (2, 1, 0, 1));
        assert!(second.complete, "{:?}", second.problems);
    })
    .await;
}

#[tokio::test]
async fn d37_an_unreadable_heartbeat_is_an_error_and_no_lag_of_0() {
    everywhere(STORY, async |place| {
        beat(place, "2026-03-02T23:45:00Z").await;
        let unreadable = [
            "SELECT max(beat_at) FROM nowhere",
            "SELECT max(beat_at) FROM heartbeat WHERE 1 = 0",
            "SELECT beat_at FROM heartbeat WHERE 1 = 0",
        ];
        for heartbeat in unreadable {
            let run = day(place, heartbeat).await;
            assert!(flow(&run).consumers[0].counts.is_none(), "judged all the same: {heartbeat}");
            assert_eq!((run.differences_total, run.complete, run.exit_code), (0, false, 3), "{heartbeat}");
            let message = &run.problems[0].message;
            assert!(message.contains("fresh_until") && message.contains("billing"), "{message}");
        }
        let run = run_day(&config(place, &usual()), DAY, NOW).await;
        assert_eq!(ids(&run, Kind::Missing), ["a", "b"], "without a heartbeat nothing is held back");
    })
    .await;
}
