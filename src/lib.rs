//! msgrecon: for every row of an event table and every consumer that should have seen it, one verdict with its evidence.
//!
//! # Words
//! A *flow* is one kind of message: an *event table* (outbox) and the *consumers* that must see its events. A *receipt*
//! proves that a consumer processed a message (a dedup or inbox row); a *dead letter* says that it gave up. A *window* is
//! a half-open slice of the producer's time, *grace* is how long a message may rightly be on its way, and *as-of* is the
//! one reading of the clock that a run uses. One message at one consumer has one [`model::Kind`]; a kind that needs
//! somebody's attention is a *difference*.
//!
//! # The line
//! Data flow in one direction, and the code is read in the same order:
//!
//! ```text
//! config ─► plan ─────► source ─► pair ─► book ─► classify ─► judge ─► ledger ─► report ─► notify
//!           schedule    facts     what    look-  one kind    thresh-  what     &Run ─►  mail,
//!           what to do            pairs   ups    each        olds     is kept  bytes    channels
//!                      └───────────── reconcile draws the line ─────────────┘
//! ```
//!
//! | module | what it is | edge or pure |
//! |---|---|---|
//! | [`cli`], [`command`] | arguments in, exit code out | edge |
//! | [`config`] | a file and the environment → a checked `Config` | edge, checks pure |
//! | [`connect`] | a URL → a driver's options | pure |
//! | [`clock`] | the only reader of the clocks, of the day and of a stopwatch | edge |
//! | [`exit`] | exit codes | pure |
//! | [`model`] | instants, ids, windows, kinds, tallies, the finished `Run` | pure |
//! | [`plan`] | configuration + request + as-of → `Plan` | pure |
//! | [`schedule`] | ledger + as-of → the windows that are due | pure |
//! | [`jobfile`] | configuration → crontab, systemd units, Kubernetes manifests: the files of `cron/` | pure |
//! | [`source`] | SQLite, PostgreSQL, MySQL → events, receipts, dead letters; SQL in `queries/` | edge, SQL and decoding pure |
//! | [`sketch`] | ids added up in buckets, so that two sides are compared by what differs | pure |
//! | [`pair`] | pairs by id while reading, drops what pairs; what does not fit into memory waits in a temporary file | pure but for that file |
//! | [`book`] | the books of a flow: suspects out, answers in, report at the end | pure |
//! | [`classify`] | everything known of a message → its kind | pure |
//! | [`judge`] | counts + thresholds → verdict, and a reading of each metric | pure |
//! | [`alert`] | readings + alerts before → alerts after, and who is to be told what | pure |
//! | [`ledger`] | msgrecon's own database: runs, windows, differences and their life; SQL in `queries/ledger/` | edge, lives pure |
//! | [`reconcile`] | the straight line, and its two passes over the sources | edge |
//! | [`listing`] | what the ledger holds → text, CSV, JSON: runs, differences, repair lists, how far flows are | pure |
//! | [`language`] | English texts → another language; `src/language/` holds them | pure |
//! | [`report`] | `&Run` → table, JSON, CSV, HTML; one writer of files | pure, one writer |
//! | [`notify`] | what is to be told → mail, channels, heartbeats, metrics, hooks | bodies pure, sending edge |
//! | [`story`] | message histories as text: the demo and the tests | pure |
//!
//! # Invariants
//! - Sources are only read, by sessions that the server itself says are read-only.
//! - The first pass over the tables is a filter; only a look-up by id makes a message a difference.
//! - The books balance: every acked message has one kind, every receipt one place, or the run is incomplete.
//! - What could not be read or decided is `None`, never 0; incomplete is never balanced.
//! - Everything in the middle is pure: time, ids and randomness come in as parameters.
//! - What is judged is recorded before it is reported; a run that is killed at any moment leaves the next one to end in
//!   the same ledger and the same report. Only the holder of a flow's lease writes to it.
//! - What is to be told is kept with the run's end before it is sent; nobody is told twice of the same state.
//! - No secret is in any output.

pub mod alert;
pub mod book;
pub mod classify;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
pub mod connect;
pub mod exit;
pub mod jobfile;
pub mod judge;
pub mod language;
pub mod ledger;
pub mod listing;
pub mod model;
pub mod notify;
pub mod pair;
pub mod plan;
pub mod reconcile;
pub mod report;
pub mod schedule;
pub mod sketch;
pub mod source;
pub mod story;
