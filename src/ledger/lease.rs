//! The lease that keeps two runs of a flow apart, and heals by itself.
//!
//! A row for each flow says who holds it; its token grows with every holder. Whoever writes first renews the row under
//! its own token, in the same transaction, so that one that was taken over finds out before it has changed anything
//! (fencing). A run whose process died is taken over at once: while it lives it holds a lock that goes with the process,
//! a session lock on PostgreSQL and MySQL, a locked file beside the database on SQLite. Where only the connection is gone
//! and the server has not noticed, the lease ends [`EXPIRES`] after the last heartbeat.

use super::error::{ErrorKind, LedgerError};
use super::store::Store;
use super::value::Value;
use super::{Ledger, sql};
use crate::config::Dialect;
use secrecy::SecretString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A holder on a server is looked at so many times ...
const LOOKS: usize = 5;
/// ... with so much time between, before it is taken to be at work.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// How often a run shows that it lives.
const BEAT: Duration = Duration::from_secs(10);
/// A holder that was not heard of for so long, in microseconds, may be taken over, whatever it still holds.
const EXPIRES: i64 = 90 * crate::model::time::SECOND;

/// A run's hold on its flows, until [`Lease::free`].
pub struct Lease {
    run: String,
    tokens: Vec<(String, i64)>,
    lost: Arc<AtomicBool>,
    stop: oneshot::Sender<()>,
    beating: JoinHandle<()>,
    alive: Option<Alive>,
}

/// What shows that a process lives.
enum Alive {
    /// A file that it keeps locked.
    File(File, PathBuf),
}

impl Lease {
    /// Takes all of the flows or none.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] where another run works on one of them; [`ErrorKind::Away`] where the ledger fails.
    pub async fn take(
        ledger: &mut Ledger,
        url: &SecretString,
        run: &str,
        flows: &[String],
    ) -> Result<Self, LedgerError> {
        let (mut session, alive) = show_life(ledger, url, run).await?;
        let mut tokens = Vec::new();
        // In one order, so that two that want several never take half each.
        let mut sorted = flows.to_vec();
        sorted.sort();
        for flow in sorted {
            match ledger.take_flow(run, &flow).await {
                Ok(token) => tokens.push((flow, token)),
                Err(error) => {
                    ledger.free(run, &tokens).await;
                    remove(alive);
                    return Err(error);
                }
            }
        }
        let lost = Arc::new(AtomicBool::new(false));
        let (told, pulse) = (Arc::clone(&lost), (run.to_owned(), tokens.clone()));
        let url = url.clone();
        let (stop, mut stopped) = oneshot::channel::<()>();
        let beating = tokio::spawn(async move {
            while tokio::time::timeout(BEAT, &mut stopped).await.is_err() {
                beat(&mut session, &url, &pulse.0, &pulse.1, &told).await;
            }
            if let Some(session) = session {
                session.close().await;
            }
        });
        Ok(Self { run: run.to_owned(), tokens, lost, stop, beating, alive })
    }

    /// Whose it is.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether another run is known to have taken over.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// The flows that it holds.
    pub fn flows(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|(flow, _)| flow.as_str())
    }

    /// The token of a flow.
    pub(super) fn token(&self, flow: &str) -> i64 {
        self.tokens.iter().find(|(name, _)| name == flow).map_or(-1, |(_, token)| *token)
    }

    /// Gives all flows back. A ledger that is away keeps them until they expire, or the next run sees that nobody lives.
    ///
    /// Its own session is closed in order: the last one to leave an SQLite file takes the write-ahead log into it, so that
    /// the file alone can be copied.
    pub async fn free(self, ledger: &mut Ledger) {
        drop(self.stop);
        if let Err(error) = self.beating.await {
            tracing::debug!("heartbeats ended early: {error}");
        }
        ledger.free(&self.run, &self.tokens).await;
        remove(self.alive);
    }
}

fn remove(alive: Option<Alive>) {
    if let Some(Alive::File(file, path)) = alive {
        // Unlocked by being closed; one that stays is nobody's.
        let _ = std::fs::remove_file(path);
        drop(file);
    }
}

/// One heartbeat for every flow; a broken session is made anew, which also takes the lock again.
async fn beat(
    session: &mut Option<Store>,
    url: &SecretString,
    run: &str,
    tokens: &[(String, i64)],
    lost: &AtomicBool,
) {
    if session.is_none() {
        *session = Store::open(url, false).await.ok();
        if let Some(store) = session {
            let _ = hold(store, run).await;
        }
    }
    let Some(store) = session else { return };
    match renew(store, run, tokens).await {
        Ok(true) => {}
        Ok(false) => lost.store(true, Ordering::Relaxed),
        Err(error) => {
            tracing::debug!("heartbeat: {error}");
            *session = None;
        }
    }
}

async fn renew(store: &mut Store, run: &str, tokens: &[(String, i64)]) -> Result<bool, LedgerError> {
    let now = now(store).await?;
    let mut ours = true;
    for (flow, token) in tokens {
        let values = [now.into(), flow.as_str().into(), run.into(), (*token).into()];
        ours &= store.execute(sql::LEASE_BEAT, &values).await? == 1;
    }
    Ok(ours)
}

/// The ledger's own clock, in microseconds: runs on several machines need one that is the same for all.
pub(super) async fn now(store: &mut Store) -> Result<i64, LedgerError> {
    let question = match store.dialect() {
        Dialect::Sqlite => sql::CLOCK_SQLITE,
        Dialect::Postgres => sql::CLOCK_POSTGRES,
        Dialect::Mysql => sql::CLOCK_MYSQL,
    };
    let rows = store.fetch(question, &[]).await?;
    rows.first()
        .and_then(|row| row.int(0))
        .ok_or_else(|| LedgerError::new(ErrorKind::Away, "it does not tell the time").at(store.place()))
}

/// A session of its own for heartbeats, which holds the lock that goes with this process.
async fn show_life(
    ledger: &Ledger,
    url: &SecretString,
    run: &str,
) -> Result<(Option<Store>, Option<Alive>), LedgerError> {
    let mut session = Store::open(url, false).await?;
    if ledger.store.dialect() == Dialect::Sqlite {
        let path = life_file(ledger.store.place(), run);
        let wrong = |error: std::io::Error| {
            LedgerError::new(ErrorKind::Away, format!("cannot lock {}: {error}", path.display()))
        };
        let file = locked(&path).map_err(wrong)?;
        sweep(ledger.store.place());
        return Ok((Some(session), Some(Alive::File(file, path))));
    }
    hold(&mut session, run).await?;
    Ok((Some(session), None))
}

/// A file of one's own, locked. Between its making and its locking another may take it for one that a dead run left.
fn locked(path: &Path) -> std::io::Result<File> {
    loop {
        let file = File::create(path)?;
        file.lock()?;
        if path.exists() {
            return Ok(file);
        }
    }
}

/// Removes what runs have left that died before they held a lease, or after they gave it back.
fn sweep(place: &str) {
    let place = Path::new(place);
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = place.file_name() else { return };
    let start = format!("{}-run-", name.to_string_lossy());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&start)) {
        // Its owner's for as long as the owner lives, and never unlocked before that.
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn life_file(place: &str, run: &str) -> PathBuf {
    let plain: String =
        run.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    Path::new(&format!("{place}-run-{plain}")).to_owned()
}

/// Takes the session lock of a run; false where another session has it.
async fn hold(store: &mut Store, run: &str) -> Result<bool, LedgerError> {
    match store.dialect() {
        Dialect::Sqlite => Ok(true),
        Dialect::Postgres => ask(store, sql::HOLD_POSTGRES, digits(run).into()).await,
        Dialect::Mysql => ask(store, sql::HOLD_MYSQL, name(run).into()).await,
    }
}

async fn let_go(store: &mut Store, run: &str) -> Result<bool, LedgerError> {
    match store.dialect() {
        Dialect::Sqlite => Ok(true),
        Dialect::Postgres => ask(store, sql::LET_GO_POSTGRES, digits(run).into()).await,
        Dialect::Mysql => ask(store, sql::LET_GO_MYSQL, name(run).into()).await,
    }
}

async fn ask(store: &mut Store, question: &str, value: Value) -> Result<bool, LedgerError> {
    let rows = store.fetch(question, &[value]).await?;
    Ok(rows.first().is_some_and(|row| row.yes(0)))
}

/// FNV-1a, 64 bits: PostgreSQL locks numbers.
fn digits(run: &str) -> i64 {
    let hash = run.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.cast_signed()
}

fn name(run: &str) -> String {
    format!("msgrecon:{}", run.chars().take(50).collect::<String>())
}

/// Whether the process of a run is known to be gone.
async fn is_gone(store: &mut Store, run: &str) -> Result<bool, LedgerError> {
    if store.dialect() != Dialect::Sqlite {
        let free = hold(store, run).await?;
        if free {
            let_go(store, run).await?;
        }
        return Ok(free);
    }
    let path = life_file(store.place(), run);
    match File::open(&path).map(|file| file.try_lock()) {
        Ok(Ok(())) => {
            let _ = std::fs::remove_file(&path);
            Ok(true)
        }
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => Ok(false),
        Err(error) => Ok(error.kind() == std::io::ErrorKind::NotFound),
    }
}

impl Ledger {
    /// Every flow that any run has worked on, with the run that is at work on it now.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn holders(&mut self) -> Result<Vec<(String, Option<String>)>, LedgerError> {
        let rows = self.store.fetch(sql::LEASES, &[]).await?;
        let now = now(&mut self.store).await?;
        let mut holders = Vec::new();
        for row in rows {
            let holder = match row.text(1) {
                Some(run) if now - row.number(2) <= EXPIRES && !is_gone(&mut self.store, &run).await? => {
                    Some(run)
                }
                _ => None,
            };
            holders.push((row.word(0), holder));
        }
        Ok(holders)
    }

    /// Takes one flow; gives the token.
    async fn take_flow(&mut self, run: &str, flow: &str) -> Result<i64, LedgerError> {
        let mut known = self.store.fetch(sql::LEASE, &[flow.into()]).await?;
        if known.is_empty() {
            // Another may be making it at this moment; then there is one all the same.
            let _ = self.store.execute(sql::LEASE_ADD, &[flow.into()]).await;
            known = self.store.fetch(sql::LEASE, &[flow.into()]).await?;
        }
        let Some(row) = known.first() else {
            return Err(LedgerError::new(ErrorKind::Away, "a lease cannot be written").at(self.store.place()));
        };
        let (holder, token, beat) = (row.text(0), row.number(1), row.number(2));
        let now = now(&mut self.store).await?;
        if let Some(holder) = &holder {
            let expired = now - beat > EXPIRES;
            if !expired && !self.is_soon_gone(holder).await? {
                return Err(busy(flow, holder).at(self.store.place()));
            }
        }
        let values = [run.into(), now.into(), flow.into(), token.into()];
        if self.store.execute(sql::LEASE_TAKE, &values).await? != 1 {
            return Err(busy(flow, "one that was faster").at(self.store.place()));
        }
        if let Some(holder) = holder {
            tracing::info!(flow, holder, "took over the lease of a run that is gone");
            self.store.execute(sql::RUN_KILLED, &[holder.into()]).await?;
        }
        Ok(token + 1)
    }

    /// Whether the process of a run is gone. A server may take a moment to see that a session has ended.
    async fn is_soon_gone(&mut self, holder: &str) -> Result<bool, LedgerError> {
        for _ in 0..LOOKS {
            if is_gone(&mut self.store, holder).await? {
                return Ok(true);
            }
            if self.store.dialect() == Dialect::Sqlite {
                break;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Ok(false)
    }

    async fn free(&mut self, run: &str, tokens: &[(String, i64)]) {
        for (flow, token) in tokens {
            let values = [flow.as_str().into(), run.into(), (*token).into()];
            if let Err(error) = self.store.execute(sql::LEASE_FREE, &values).await {
                tracing::debug!("a lease could not be given back: {error}");
            }
        }
    }
}

fn busy(flow: &str, holder: &str) -> LedgerError {
    let message = format!(
        "another run ({holder}) works on flow `{flow}`; nothing was touched, run again when it is done"
    );
    LedgerError::new(ErrorKind::Busy, message)
}
