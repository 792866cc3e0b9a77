//! How somebody wants both sides of a flow to be read.

use super::{Config, Flow};

/// How somebody wants both sides to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// `auto`: as the link and the sizes suggest.
    #[default]
    Auto,
    /// `stream`: every row comes here.
    Stream,
    /// `packed`: every row comes here, its id shortened by the server.
    Packed,
    /// `sketch`: the servers add ids up in buckets, and only buckets that differ come here.
    Sketch,
}

impl Wanted {
    /// As it stands in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Stream => "stream",
            Self::Packed => "packed",
            Self::Sketch => "sketch",
        }
    }
}

impl Config {
    /// How a flow is to be read: what it says itself, else the one of its databases that asks for the fewest bytes.
    #[must_use]
    pub fn wanted(&self, flow: &Flow) -> Wanted {
        let consumers = flow.consumers.iter().map(|consumer| &consumer.database);
        let databases = std::iter::once(&flow.events.database).chain(consumers);
        let theirs = databases.filter_map(|name| self.databases.get(name)?.strategy).max();
        flow.strategy.or(theirs).unwrap_or_default()
    }
}
