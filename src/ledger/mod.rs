//! msgrecon's own database: what was judged, what is open, what healed, what was missed.
//!
//! SQLite (the default), PostgreSQL, or MySQL and MariaDB, chosen by URL. It is written by runs that hold the [`Lease`] of
//! a flow, in short transactions each of which first proves that the lease is still theirs, and read by everybody.
//!
//! ```text
//! schema       migrations, applied by themselves        store   one session: values in, rows out
//! lease        who may write to a flow                  sql     the statements of queries/ledger/
//! flows        where runs begin, the watermark          entry   a difference and its life (pure)
//! windows      what was judged, and what was counted    differences   found, seen again, healed
//! slices       judged and not reported yet              life    what a report says of all this
//! runs         history and the finished reports         upkeep  acknowledge, list, prune
//! alerts       as the last run left them            deliveries    what is to be told, until it is
//! copy         into another ledger                  turns   transactions, and when they are made again
//! ```

mod alerts;
mod copy;
mod deliveries;
mod differences;
pub mod entry;
mod error;
mod flows;
mod lease;
mod life;
mod runs;
mod schema;
mod slices;
mod sql;
mod store;
mod turns;
mod upkeep;
mod value;
mod windows;

pub use deliveries::{Delivery, Fate};
pub use differences::{Heal, Place, Since};
pub use entry::{Entry, State};
pub use error::{ErrorKind, LedgerError};
pub use flows::Begun;
pub use lease::Lease;
pub use life::Within;
pub use runs::{Finish, FlowHistory, RunHistory};
pub use slices::KeptSlice;
pub use upkeep::{Ages, Filter, Pruned};
pub use windows::{Judged, JudgedWindow};

use secrecy::SecretString;
use store::Store;

async fn prepare(store: &mut Store, create: bool) -> Result<(), LedgerError> {
    if !create && !schema::is_there(store).await? {
        let message = "no ledger is there yet; the first `msgrecon run` makes it";
        return Err(LedgerError::new(ErrorKind::Absent, message).at(store.place()));
    }
    schema::migrate(store).await
}

/// One session with the ledger.
pub struct Ledger {
    store: Store,
}

impl Ledger {
    /// Connects and brings the schema up to date. A ledger that is not there, a file or tables on a server, is made only
    /// where `create` says so: who only reads leaves nothing behind.
    ///
    /// # Errors
    /// A ledger that cannot be reached, refuses, is not there, or was written by a newer version.
    pub async fn open(url: &SecretString, create: bool) -> Result<Self, LedgerError> {
        // In a session of its own: a migration that fails may leave its lock with the session.
        let mut store = Store::open(url, create).await?;
        let outcome = prepare(&mut store, create).await;
        store.close().await;
        outcome?;
        Ok(Self { store: Store::open(url, false).await? })
    }

    /// Where it is, without the password.
    #[must_use]
    pub fn place(&self) -> &str {
        self.store.place()
    }

    /// Ends the session.
    pub async fn close(self) {
        self.store.close().await;
    }

    /// Renews the lease within a transaction, which fails if the lease is another's.
    async fn fence(&mut self, lease: &Lease, flow: &str) -> Result<(), LedgerError> {
        let now = lease::now(&mut self.store).await?;
        let values = [now.into(), flow.into(), lease.run().into(), lease.token(flow).into()];
        if self.store.execute(sql::LEASE_BEAT, &values).await? == 1 {
            return Ok(());
        }
        let message =
            format!("another run has taken over flow `{flow}`; what it finds counts, this run ends");
        Err(LedgerError::new(ErrorKind::Lost, message).at(self.store.place()))
    }
}
