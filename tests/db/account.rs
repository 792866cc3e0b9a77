//! An account of its own on a server, with no more rights than a test gives it.

use crate::world::Place;
use msgrecon::config::Dialect;
use std::sync::atomic::{AtomicU32, Ordering};

/// The password of every such account.
pub const PASSWORD: &str = "S3cretPw";

/// An account that may log in and nothing else.
pub struct Account<'p> {
    place: &'p Place,
    pub name: String,
}

impl<'p> Account<'p> {
    /// `None` where the place has no accounts.
    pub async fn new(place: &'p Place) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("reader_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let account = Self { place, name };
        let who = account.who();
        let create = match place.dialect {
            Dialect::Sqlite => return None,
            Dialect::Postgres => format!("CREATE ROLE {who} LOGIN PASSWORD '{PASSWORD}'"),
            Dialect::Mysql => format!("CREATE USER {who} IDENTIFIED BY '{PASSWORD}'"),
        };
        place.execute(&[create]).await;
        Some(account)
    }

    /// May read this table.
    pub async fn may_read(&self, table: &str) {
        self.place.execute(&[format!("GRANT SELECT ON {table} TO {}", self.who())]).await;
    }

    /// The place's URL under this account.
    pub fn url(&self) -> String {
        self.url_with(PASSWORD)
    }

    /// The same with another password.
    pub fn url_with(&self, password: &str) -> String {
        let (scheme, rest) = self.place.url.split_once("://").unwrap();
        let (_, place) = rest.rsplit_once('@').unwrap();
        format!("{scheme}://{}:{password}@{place}", self.name)
    }

    /// As SQL names it.
    pub fn who(&self) -> String {
        match self.place.dialect {
            Dialect::Mysql => format!("'{}'@'%'", self.name),
            Dialect::Sqlite | Dialect::Postgres => self.name.clone(),
        }
    }

    /// Takes the account away.
    pub async fn remove(self) {
        let who = self.who();
        match self.place.dialect {
            Dialect::Postgres => {
                self.place.execute(&[format!("DROP OWNED BY {who}"), format!("DROP ROLE {who}")]).await;
            }
            _ => self.place.execute(&[format!("DROP USER {who}")]).await,
        }
    }
}
