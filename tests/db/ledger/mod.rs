//! What the ledger remembers, on each kind of ledger database, through the program itself: its exit codes, what it prints,
//! and what stands in the ledger's tables afterwards.

mod alerts;
mod away;
mod bench;
mod cases;
mod crossed;
mod life;
mod outage;
mod overlap;
mod ranges;
mod schema;
mod side_by_side;
mod sources;
mod starts;

use bench::{Bench, Told, everywhere, together};
