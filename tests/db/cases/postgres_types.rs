//! Types of `PostgreSQL` that are not text: enums, UUIDs, numerics, domains, fixed lengths.

use super::common::{AS_OF, DAY, Tables, assert_differs, assert_misconfigured, on};
use crate::world::{Place, brief, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::{Run, Totals};

/// Columns and their texts: in the row that was consumed, and in the one that was not.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("id", "0b0c5f3a-2d4e-4b7c-9a1e-6f5d4c3b2a19", "6ccd780c-baba-1026-9564-5b8c656024db"),
    ("seq", "12345678901234567891", "12345678901234567890"),
    ("code", "C-1", "C-2"),
    ("fixed", "12345678", "abcdefgh"),
];

async fn build(place: &Place) {
    place
        .execute(&[
            "CREATE TYPE st AS ENUM ('open', 'done')",
            "CREATE DOMAIN mid AS varchar(40)",
            "CREATE TABLE events (id uuid PRIMARY KEY, status st, seq numeric(20,0), code mid, fixed char(10), tags text[], \
             created_at timestamptz(3), acked_at timestamptz(3))",
            "CREATE TABLE consumed (via text, msg_id text, consumer text, consumed_at timestamptz(3))",
            "INSERT INTO events VALUES ('0B0C5F3A-2D4E-4B7C-9A1E-6F5D4C3B2A19', 'done', 12345678901234567891, 'C-1', '12345678', '{a}', \
             '2026-03-02 10:00:00.123+00', '2026-03-02 10:00:00.123+00')",
            "INSERT INTO events VALUES ('6CCD780C-BABA-1026-9564-5B8C656024DB', 'done', 12345678901234567890, 'C-2', 'abcdefgh', '{b}', \
             '2026-03-02 10:00:00.123+00', '2026-03-02 10:00:00.123+00')",
        ])
        .await;
    let receipts = COLUMNS.map(|(column, first, _)| {
        format!(
            "INSERT INTO consumed VALUES ('{column}', '{first}', 'billing', '2026-03-02 10:00:01.123+00')"
        )
    });
    place.execute(&receipts).await;
}

async fn run_by(place: &Place, column: &str) -> Run {
    let events = format!("id = \"{column}\"\nacked = \"status = 'done'\"\npending = \"status = 'open'\"\n");
    let consumer = format!("where = \"via = '{column}'\"\n");
    run_day(&Tables { events: &events, consumer: &consumer }.toml(place), DAY, AS_OF).await
}

#[tokio::test]
async fn d56_each_type_as_id_and_an_enum_as_status() {
    on(&[Dialect::Postgres], async |place| {
        build(place).await;
        for (column, _, missing) in COLUMNS {
            let run = run_by(place, column).await;
            assert_differs(&run, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
            assert_eq!(brief(&run), [format!("missing {missing}")], "{column}");
        }
        place
            .execute(&[
                "INSERT INTO events (id, status, created_at) VALUES ('00000000-0000-0000-0000-00000000000A', 'open', '2026-03-02 11:00:00+00')",
            ])
            .await;
        let run = run_by(place, "id").await;
        assert_differs(&run, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
        assert_eq!(
            brief(&run),
            ["stuck 00000000-0000-0000-0000-00000000000a", "missing 6ccd780c-baba-1026-9564-5b8c656024db"]
        );
    })
    .await;
}

#[tokio::test]
async fn d56_an_array_as_id_is_refused_with_column_and_type() {
    on(&[Dialect::Postgres], async |place| {
        build(place).await;
        assert_misconfigured(&run_by(place, "tags").await, &["tags", "text[]", "id"]);
    })
    .await;
}
