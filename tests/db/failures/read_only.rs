//! Sessions are read-only by the server's own word, or nothing is read.

use super::{database, everywhere, run, usual};
use crate::account::Account;
use crate::child;
use crate::net::{Mischief, Relay, at_port, host_and_port};
use crate::world::Place;
use msgrecon::config::Dialect;

fn both(place: &Place) -> String {
    database("p", &place.url) + &database("c", &place.url)
}

/// The usual flow, with one more condition on the rows of both tables.
fn only_where(condition: &str) -> String {
    usual()
        .replace("topic = 'orders'", &format!("topic = 'orders' AND {condition}"))
        .replace("consumer = \"consumer\"\n", &format!("where = \"consumer = 'billing' AND {condition}\"\n"))
}

/// A row counts only where the session that reads it is read-only.
#[tokio::test]
async fn every_row_is_read_in_a_read_only_session() {
    everywhere(async |place| {
        let condition = match place.dialect {
            Dialect::Sqlite => "(SELECT query_only FROM pragma_query_only) = 1",
            Dialect::Postgres => "current_setting('transaction_read_only') = 'on'",
            Dialect::Mysql => "@@SESSION.tx_read_only = 1",
        };
        let outcome = run(&both(place), &only_where(condition)).await;
        assert_eq!(child::code(&outcome.output), 1, "{}", child::said(&outcome.output));
        let totals = &outcome.flow()["consumers"][0]["totals"];
        assert_eq!((&totals["acked"], &totals["ok"], &totals["missing"]), (&2.into(), &1.into(), &1.into()));
    })
    .await;
}

/// A function that writes, hidden in a condition: the server itself refuses it.
#[tokio::test]
async fn a_condition_that_writes_is_refused_by_the_server() {
    everywhere(async |place| {
        let function = match place.dialect {
            Dialect::Sqlite => return,
            Dialect::Postgres => {
                "CREATE FUNCTION sneak() RETURNS boolean LANGUAGE plpgsql AS
                 $$ BEGIN INSERT INTO written VALUES (1); RETURN true; END $$"
            }
            Dialect::Mysql => {
                "CREATE FUNCTION sneak() RETURNS BOOLEAN MODIFIES SQL DATA
                 BEGIN INSERT INTO written VALUES (1); RETURN TRUE; END"
            }
        };
        place.execute(&["CREATE TABLE written (nr INTEGER)", function]).await;
        let flow = usual().replace("topic = 'orders'", "topic = 'orders' AND sneak()");
        let outcome = run(&both(place), &flow).await;
        outcome.assert_failed("p", &["read"]);
        outcome.assert_events_unread();
        let (_, message) = outcome.problem();
        assert!(message.to_lowercase().replace('-', " ").contains("read only"), "{message}");
        // Had anything been written, this would fail.
        place.execute(&["ALTER TABLE written ADD CONSTRAINT empty CHECK (nr IS NULL)"]).await;
    })
    .await;
}

/// An account whose search path hides `set_config` behind a function that does nothing.
#[tokio::test]
async fn a_session_that_does_not_become_read_only_is_refused() {
    everywhere(async |place| {
        if place.dialect != Dialect::Postgres {
            return;
        }
        let account = Account::new(place).await.unwrap();
        for table in ["event", "consumed_message"] {
            account.may_read(table).await;
        }
        let who = account.who();
        let hidden = [
            "CREATE SCHEMA hidden".to_owned(),
            "CREATE FUNCTION hidden.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2'"
                .to_owned(),
            format!("GRANT USAGE ON SCHEMA hidden TO {who}"),
            format!("ALTER ROLE {who} SET search_path = hidden, pg_catalog, public"),
        ];
        place.execute(&hidden).await;
        let outcome = run(&(database("p", &account.url()) + &database("c", &place.url)), &usual()).await;
        outcome.assert_failed("p", &["read_only", "nothing is read"]);
        outcome.assert_events_unread();
        account.remove().await;
    })
    .await;
}

/// Something between the program and the server that turns `READ ONLY` into `READ WRITE`.
#[tokio::test]
async fn a_request_for_read_only_that_gets_lost_is_noticed() {
    everywhere(async |place| {
        let (parameter, replace): (_, (&[u8], &[u8])) = match place.dialect {
            Dialect::Sqlite => return,
            Dialect::Postgres => (
                "?sslmode=disable",
                (b"'default_transaction_read_only', 'on'", b"'default_transaction_read_only','off'"),
            ),
            Dialect::Mysql => ("?ssl-mode=DISABLED", (b"READ ONLY;\n", b"READ WRITE;")),
        };
        let relay =
            Relay::new(host_and_port(&place.url), Mischief { replace: Some(replace), ..Mischief::default() });
        let url = at_port(&place.url, relay.port) + parameter;
        let outcome = run(&(database("p", &place.url) + &database("c", &url)), &usual()).await;
        outcome.assert_failed("c", &["billing", "read"]);
        assert!(relay.connections() > 0);
    })
    .await;
}
