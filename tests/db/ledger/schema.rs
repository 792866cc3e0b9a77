//! The ledger's schema: made by whoever comes first, refused where it is of a later version.

use super::{Bench, Told, everywhere};
use crate::account::{Account, PASSWORD};
use crate::child;
use crate::world::DIALECTS;
use msgrecon::config::Dialect;
use std::process::Stdio;

const NOW: &str = "2026-03-03T00:30:00Z";

#[tokio::test]
async fn a_ledger_of_a_later_version_is_refused() {
    everywhere(async |bench| {
        bench.due(NOW).ended(0);
        let later = "INSERT INTO msgrecon_migrations (version, description, success, checksum, execution_time) \
                     VALUES (999, 'later', TRUE, 'x', 0)";
        bench.ledger.execute(&[later]).await;
        let before = bench.dump().await;
        for arguments in ["--as-of 2026-03-04T00:30:00Z", "--date 2026-03-03 --as-of 2026-03-04T00:30:00Z"] {
            let refused = bench.run(arguments).ended(2);
            assert!(refused.err().contains("newer msgrecon") && refused.err().contains("999"), "{}", refused.err());
            assert!(child::out(&refused.output).is_empty());
        }
        assert_eq!(bench.dump().await, before);
        bench.run("--date 2026-03-03 --no-record --as-of 2026-03-04T00:30:00Z").ended(0);
    })
    .await;
}

#[tokio::test]
async fn first_runs_that_meet_on_an_empty_ledger_make_it_together() {
    for dialect in DIALECTS {
        let mut wanted = None;
        for _ in 0..3 {
            let Some(bench) = Bench::new(dialect, Dialect::Sqlite).await else { continue };
            bench.tell("day 2026-03-02\nevent a acked 10:00 10:00").await;
            let start = || {
                let mut command = bench.command(&format!("run --format json --as-of {NOW}"));
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            };
            let runs = [start(), start()].map(|run| Told::new(run.wait_with_output().unwrap()));
            let said = runs.each_ref().map(|run| (run.code, run.err()));
            assert!(runs.iter().all(|run| matches!(run.code, 1 | 75)), "{dialect:?}: {said:?}");
            assert!(runs.iter().any(|run| run.code == 1), "{dialect:?}: {said:?}");
            bench.due(NOW).ended(1);
            let dump = bench.dump().await;
            assert_eq!(&dump, wanted.get_or_insert_with(|| dump.clone()), "{dialect:?}");
            bench.remove().await;
        }
    }
}

/// The ledger under an account of its own, with a password that stands nowhere else.
#[tokio::test]
async fn no_output_holds_the_password_of_the_ledger() {
    for dialect in DIALECTS {
        let Some(mut bench) = Bench::new(dialect, Dialect::Sqlite).await else { continue };
        bench.tell("day 2026-03-02\nevent a acked 10:00 10:00").await;
        let url = {
            let Some(account) = Account::new(&bench.ledger).await else { continue };
            let grant = match dialect {
                Dialect::Mysql => format!("GRANT ALL ON *.* TO {}", account.who()),
                _ => format!("GRANT ALL ON SCHEMA public TO {}", account.who()),
            };
            bench.ledger.execute(&[grant]).await;
            let (url, wrong) = (account.url(), account.url_with("Wr0ngPw"));
            let mut outputs = Vec::new();
            for (url, codes) in [(&url, [1, 1]), (&wrong, [3, 4])] {
                bench.ledger_url.clone_from(url);
                for (arguments, code) in [("", codes[0]), ("--date 2026-03-02", codes[1])] {
                    outputs.push(
                        bench.run(&format!("{arguments} --as-of {NOW} -vv --output out")).ended(code).output,
                    );
                }
            }
            let told = outputs.iter().map(child::said).collect::<String>();
            let files = child::files(&bench.folder.path().join("out"));
            for password in [PASSWORD, "Wr0ngPw"] {
                assert!(!told.contains(password), "{told}");
                assert!(files.values().all(|file| !child::holds(file, password)));
            }
            account.remove().await;
            bench.ledger.url.clone()
        };
        bench.ledger_url = url;
        bench.remove().await;
    }
}
