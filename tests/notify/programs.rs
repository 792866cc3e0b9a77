//! Hooks, and the channel `command`.

use super::letters::{around, channel, digest, run, secret};
use msgrecon::config::notify::{Channel, ChannelKind};
use msgrecon::model::time::SECOND;
use msgrecon::notify::{Delivered, channel::send, hook::call};
use std::path::Path;
use std::time::{Duration, Instant};

async fn shell(script: &str, limit: i64) -> Delivered {
    let command = ["sh", "-c", script].map(str::to_owned);
    call(&command, &[("MSGRECON_RUN".to_owned(), "r-1".to_owned())], b"input", limit).await
}

#[tokio::test]
async fn an_exit_code_says_whether_to_come_back() {
    assert_eq!(shell("cat >/dev/null; test \"$MSGRECON_RUN\" = r-1", SECOND * 10).await, Ok(()));
    assert_eq!(shell("exit 0", SECOND * 10).await, Ok(()), "a program need not read its input");
    let error = shell("echo first >&2; echo 'no route to pager' >&2; exit 3", SECOND * 10).await.unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.retry),
        ("command sh: ended with exit code 3: no route to pager", false)
    );
    assert!(shell("exit 75", SECOND * 10).await.unwrap_err().retry);
    let killed = shell("kill -9 $$", SECOND * 10).await.unwrap_err();
    assert!(killed.retry && killed.message.contains("signal 9"), "{killed}");
    let absent = call(&["/no/such/program".to_owned()], &[], b"", SECOND).await.unwrap_err();
    assert!(!absent.retry && absent.message.contains("command program: cannot be started"), "{absent}");
    assert!(!call(&[], &[], b"", SECOND).await.unwrap_err().retry);
}

#[tokio::test]
async fn no_shell_reads_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("touched");
    let argument = format!("$(touch {})", file.display());
    call(&["true".to_owned(), argument], &[], b"", SECOND * 10).await.unwrap();
    assert!(!file.exists());
}

#[tokio::test]
async fn a_program_that_hangs_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    let script = format!("sleep 300 & echo $! > {0}; echo $$ >> {0}; echo waiting >&2; wait", file.display());
    let begun = Instant::now();
    let error = shell(&script, SECOND).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(error.message, "command sh: was not done within 1s and was ended: waiting");
    assert!(error.retry);
    for pid in std::fs::read_to_string(&file).unwrap().lines() {
        assert!(gone(pid), "{pid} still runs");
    }
}

/// Whether the process has ended; a dead one may wait for its parent.
fn gone(pid: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test]
async fn a_program_that_ignores_the_first_signal_is_ended_too() {
    let error = shell("trap '' TERM; while :; do sleep 1; done", SECOND / 2).await.unwrap_err();
    assert!(error.message.contains("was ended"), "{error}");
}

#[tokio::test]
async fn whatever_a_program_writes_it_holds_nobody_up() {
    let flood = "head -c 3000000 /dev/zero | tr '\\0' 'x'; head -c 3000000 /dev/zero | tr '\\0' 'y' >&2; echo >&2; echo end >&2; exit 1";
    let error = shell(flood, SECOND * 30).await.unwrap_err();
    assert_eq!(error.message, "command sh: ended with exit code 1: end");
    // What it leaves behind holds the pipes.
    let begun = Instant::now();
    shell("sleep 100 & exit 0", SECOND * 30).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_channel_program_is_told_everything() {
    let folder = tempfile::tempdir().unwrap();
    let (input, told) = (folder.path().join("input"), folder.path().join("told"));
    let script = format!("cat > {}; env | grep ^MSGRECON_ | sort > {}", input.display(), told.display());
    let channel = Channel {
        command: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        token: Some(secret("t0ken-t0ken")),
        timeout: 30 * SECOND,
        ..channel(ChannelKind::Command, &[])
    };
    let run = run(12);
    send(&channel, &run, &digest(&run), &around()).await.unwrap();
    let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&input).unwrap()).unwrap();
    assert_eq!(
        (&document["type"], &document["data"]["differences"]["total"]),
        (&"msgrecon.run.alert".into(), &12.into())
    );
    let told = std::fs::read_to_string(&told).unwrap();
    for line in [
        "MSGRECON_STATUS=FAIL",
        "MSGRECON_EXIT_CODE=1",
        "MSGRECON_KEY=alert-7f3a-ops-1",
        "MSGRECON_TOKEN=t0ken-t0ken",
    ] {
        assert!(told.contains(line), "{told}");
    }
}
