//! The status vocabulary of an event table.

use super::{AS_OF, DAY, changed, config, everywhere, ids, table};
use crate::world::{Place, flow, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::{Kind, Run};

const STORY: &str = "\
    event n1 NEW        08:00:00 -\n\
    event n2 PENDING    08:00:00 -\n\
    event n3 PROCESSING 08:00:00 -\n\
    event n4 FAILED     08:00:00 -\n\
    event n5 DEAD       08:00:00 -\n\
    event n6 sent       08:00:00 -\n\
    event n7 7          08:00:00 -\n\
    event n8 PENDING    2026-03-03T05:55:00Z -";

const STATES: &str =
    "acked = \"status = 'acked'\"\npending = \"status = 'pending'\"\nfailed = \"status = 'failed'\"\n";

/// `FAILED` is retried and so waits; `DEAD` was given up.
async fn day(place: &Place, date: &str, acked: &str) -> Run {
    let states = format!(
        "acked = \"{acked}\"\npending = \"status IN ('NEW', 'PENDING', 'PROCESSING', 'FAILED')\"\nfailed = \"status = 'DEAD'\"\n"
    );
    run_day(&config(place, &changed(STATES, &states)), date, AS_OF).await
}

#[tokio::test]
async fn d34_status_vocabulary_of_the_outbox() {
    everywhere(STORY, async |place| {
        let run = day(place, DAY, "status = 'SENT'").await;
        assert_eq!(ids(&run, Kind::Stuck), ["n1", "n2", "n3", "n4"]);
        assert_eq!(ids(&run, Kind::PublishFailed), ["n5"]);
        let events = flow(&run).events.unwrap();
        assert_eq!((events.stuck, events.publish_failed, events.rows), (4, 1, 7));
        let backlog = flow(&run).backlog.unwrap();
        assert_eq!(backlog.count, 5, "n1 to n4 and n8, whatever its window");
        assert_eq!(backlog.oldest_age(run.as_of), Some(22 * 3_600 * 1_000_000));
        let shown = table(&run);
        assert!(shown.contains("22h"), "the oldest age is printed: {shown}");
        assert!(!run.complete, "a state that nobody named is a question");
        let said = run.problems.iter().map(|problem| problem.message.as_str()).collect::<String>();
        assert!(said.contains("n7"), "{said}");
        assert_eq!((events.unknown_state, said.contains("n6")), (2, true), "{said}");
        assert_eq!(events.acked, 0, "never counted as acked");
    })
    .await;
}

/// Sent, but without a time: judged by when it was created, and said to be so.
#[tokio::test]
async fn d34_sent_without_an_ack_time_is_reported() {
    everywhere(STORY, async |place| {
        let run = day(place, DAY, "lower(status) = 'sent'").await;
        assert_eq!(ids(&run, Kind::Missing), ["n6"]);
        assert!(super::detail(&run, Kind::Missing).contains("without an ack time"));
        assert_eq!(flow(&run).events.unwrap().unknown_state, 1, "n7");
    })
    .await;
}

#[tokio::test]
async fn d34_a_young_event_is_not_stuck() {
    everywhere(STORY, async |place| {
        let run = day(place, "2026-03-03", "status = 'SENT'").await;
        let events = flow(&run).events.unwrap();
        assert_eq!((events.pending, events.stuck), (1, 0), "n8 is five minutes old");
        assert_eq!((run.differences_total, run.exit_code), (0, 0), "{:?}", run.problems);
    })
    .await;
}

/// A column that compares without case takes n6 for sent; it has no ack time, and is not dropped for that.
#[tokio::test]
async fn d34_a_column_that_compares_without_case() {
    everywhere(STORY, async |place| {
        if place.dialect != Dialect::Mysql {
            return;
        }
        let change = "ALTER TABLE event MODIFY status VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL";
        place.execute(&[change]).await;
        let run = day(place, DAY, "status = 'SENT'").await;
        assert_eq!(ids(&run, Kind::Missing), ["n6"]);
        assert!(super::detail(&run, Kind::Missing).contains("without an ack time"));
        assert_eq!(ids(&run, Kind::Stuck), ["n1", "n2", "n3", "n4"]);
        assert_eq!(flow(&run).events.unwrap().unknown_state, 1, "n7");
    })
    .await;
}
