//! Secrets, read when they are needed.

use super::NotDelivered;
use crate::config::notify::Secret;
use secrecy::{ExposeSecret as _, SecretString};

impl Secret {
    /// The secret itself, without the newline that editors put at a file's end.
    ///
    /// # Errors
    /// A file that cannot be read, or is empty; `what` names the secret.
    pub fn read(&self, what: &str) -> Result<SecretString, NotDelivered> {
        let text = match self {
            Self::Text(text) => return Ok(text.clone()),
            Self::File(path) => std::fs::read_to_string(path).map_err(|error| {
                NotDelivered::for_now(format!("{what}: {} cannot be read: {error}", path.display()))
            })?,
        };
        let text = text.trim_end_matches(['\n', '\r']);
        if text.is_empty() {
            return Err(NotDelivered::for_now(format!("{what}: its file is empty")));
        }
        Ok(text.into())
    }

    /// What must not be shown, as far as it can be read.
    #[must_use]
    pub fn exposed(&self) -> Option<String> {
        self.read("").ok().map(|secret| secret.expose_secret().to_owned())
    }
}
