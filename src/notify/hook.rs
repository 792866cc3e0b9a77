//! Programs around a run, and the channel `command`: no shell, a process group of their own, and an end.

use super::hide::Hidden;
use super::{Delivered, NotDelivered};
use crate::model::time::human;
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// `EX_TEMPFAIL` of sysexits.h: what ends so may work later.
const TRY_AGAIN: i32 = 75;
/// No more of what a program writes is kept, from its end.
const KEPT: usize = 16 * 1024;
/// So long a program may clean up once it is told to end, and what it has started may go on writing once it has ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// Runs `command` (a program and its arguments) with `environment` added to msgrecon's own, `input` on its standard
/// input, and at most `limit` microseconds. A program need not read its input. It is delivered if the program ends
/// with 0; 75 says that it may be tried again, every other code that it need not.
///
/// # Errors
/// A program that cannot be started, is not done in time, or ends otherwise: named with the last line of its standard
/// error, without secrets; no argument is shown.
pub async fn call(
    command: &[String],
    environment: &[(String, String)],
    input: &[u8],
    limit: i64,
) -> Delivered {
    let Some((program, arguments)) = command.split_first() else {
        return Err(NotDelivered::for_good("the command is empty; give a program and its arguments"));
    };
    let name =
        Path::new(program).file_name().map_or_else(|| program.clone(), |name| name.to_string_lossy().into());
    let hidden = hidden(arguments, environment);
    let child = Command::new(program)
        .args(arguments)
        .envs(environment.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let child = child
        .map_err(|error| NotDelivered::for_good(format!("command {name}: cannot be started: {error}")))?;
    let ended = watched(child, input, limit).await;
    tracing::debug!(command = %name, said = %hidden.hide(&ended.said), "a command has ended");
    judged(&name, &ended, &hidden, limit)
}

/// How a program ended.
struct Ended {
    /// `None` where it was not done in time.
    status: Option<ExitStatus>,
    /// The last line of its standard error that is not blank.
    said: String,
}

fn hidden(arguments: &[String], environment: &[(String, String)]) -> Hidden {
    let mut hidden = Hidden::default();
    // Nobody knows which of a program's arguments are secrets, or what in a script is one.
    arguments.iter().for_each(|argument| hidden.add_argument(argument));
    let secret = |key: &str| ["_URL", "_TOKEN", "_SECRET"].iter().any(|end| key.ends_with(end));
    environment.iter().filter(|(key, _)| secret(key)).for_each(|(_, value)| hidden.add_url(value));
    hidden
}

async fn watched(mut child: Child, input: &[u8], limit: i64) -> Ended {
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let forsaken = Forsaken(group);
    let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let output = tokio::spawn(last(stdout));
    let errors = tokio::spawn(last(stderr));
    let run = async {
        if let Some(stdin) = &mut stdin {
            // One that does not read its input closes the pipe, and may be content.
            let _ = stdin.write_all(input).await;
        }
        drop(stdin);
        child.wait().await.ok()
    };
    let status = timeout(Duration::from_micros(limit.max(0).unsigned_abs()), run).await.ok().flatten();
    forsaken.no_more();
    if status.is_none() {
        end(&mut child, group).await;
    }
    // What it has started may hold the pipes for ever.
    let said = timeout(FAREWELL, errors).await.ok().and_then(Result::ok).unwrap_or_default();
    output.abort();
    Ended { status, said }
}

/// Ends the whole group of a program that nobody waits for any more: the run was told to end.
struct Forsaken(Option<Pid>);

impl Forsaken {
    /// It has ended, or is being ended; what it has left at work is meant to be.
    fn no_more(mut self) {
        self.0 = None;
    }
}

impl Drop for Forsaken {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Asks the whole group to end, and ends it.
async fn end(child: &mut Child, group: Option<Pid>) {
    let signal = |signal| group.is_some_and(|group| kill_process_group(group, signal).is_ok());
    signal(Signal::TERM);
    let _ = timeout(FAREWELL, child.wait()).await;
    signal(Signal::KILL);
    let _ = child.wait().await;
}

/// Reads to the end, and gives the last line that is not blank.
async fn last(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut pipe) = pipe else { return String::new() };
    let (mut kept, mut part, mut cut) = (Vec::new(), vec![0; KEPT], false);
    while let Ok(read @ 1..) = pipe.read(&mut part).await {
        kept.extend_from_slice(&part[..read]);
        cut |= kept.len() > KEPT;
        kept.drain(..kept.len().saturating_sub(KEPT));
    }
    let text = String::from_utf8_lossy(&kept);
    // A line without its beginning may begin in the middle of a secret, which nobody would know for one.
    let whole = text.lines().skip(usize::from(cut));
    whole.map(str::trim).filter(|line| !line.is_empty()).last().unwrap_or_default().to_owned()
}

fn judged(name: &str, ended: &Ended, hidden: &Hidden, limit: i64) -> Delivered {
    let said = if ended.said.is_empty() { String::new() } else { format!(": {}", hidden.hide(&ended.said)) };
    let Some(status) = ended.status else {
        let words = format!("command {name}: was not done within {} and was ended{said}", human(limit));
        return Err(NotDelivered::for_now(words));
    };
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(code), _) => Err(NotDelivered {
            message: format!("command {name}: ended with exit code {code}{said}"),
            retry: code == TRY_AGAIN,
            over: false,
        }),
        (None, signal) => {
            let signal = signal.unwrap_or_default();
            Err(NotDelivered::for_now(format!("command {name}: was ended by signal {signal}{said}")))
        }
    }
}
