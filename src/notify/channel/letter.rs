//! What every service's message is made from.

use crate::config::notify::Channel;
use crate::model::{Digest, Occasion, Run};
use crate::notify::brief::{self, Brief};
use crate::notify::{NotDelivered, Surroundings};
use secrecy::{ExposeSecret as _, SecretString};
use std::borrow::Cow;

/// A run, a digest and the channel that is told of them. It has no `Debug`: it holds the channel's secrets.
pub(super) struct Letter<'a> {
    /// Who is told.
    pub channel: &'a Channel,
    /// The digest's flows alone.
    pub run: Cow<'a, Run>,
    /// What happened.
    pub digest: &'a Digest,
    /// The same in the channel's language.
    pub brief: Brief,
    /// What it takes to be believed.
    pub keys: Keys,
}

/// The channel's secrets besides its URL.
#[derive(Default)]
pub(super) struct Keys {
    /// Signs messages.
    pub secret: Option<SecretString>,
    /// A routing key or a bearer token.
    pub token: Option<SecretString>,
}

impl Keys {
    /// Reads them.
    pub fn read(channel: &Channel, what: &str) -> Result<Self, NotDelivered> {
        let read = |secret: &Option<crate::config::notify::Secret>, name: &str| {
            secret.as_ref().map(|secret| secret.read(&format!("{what}: {name}"))).transpose()
        };
        Ok(Self { secret: read(&channel.secret, "secret")?, token: read(&channel.token, "token")? })
    }
}

impl<'a> Letter<'a> {
    /// Writes the brief.
    pub fn new(
        channel: &'a Channel,
        run: &'a Run,
        digest: &'a Digest,
        around: &Surroundings,
        keys: Keys,
    ) -> Self {
        let brief = brief::brief(run, digest, around, channel.language);
        Self { channel, run: brief::part(run, digest), digest, brief, keys }
    }

    /// The header that holds the token.
    pub fn bearer(&self) -> Option<(&'static str, String)> {
        let token = self.keys.token.as_ref()?;
        Some(("authorization", format!("Bearer {}", token.expose_secret())))
    }

    /// Whether it is sent to see if messages arrive.
    pub fn is_test(&self) -> bool {
        self.digest.occasion == Occasion::Test
    }

    /// Who is to be called: nobody, where nothing new has happened. Ids and numbers hold no markup.
    pub fn mentions(&self) -> Vec<String> {
        if !self.brief.is_new_trouble() {
            return Vec::new();
        }
        let plain = |c: &char| c.is_alphanumeric() || "_-.+@".contains(*c);
        let ids = self.channel.mention.iter().map(|id| id.chars().filter(plain).collect::<String>());
        ids.filter(|id| !id.is_empty()).collect()
    }
}

/// The name that stands for everybody.
pub(super) const EVERYBODY: &str = "all";
