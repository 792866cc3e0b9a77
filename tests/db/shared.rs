//! The generator and the oracle of the pure suite.
#![allow(dead_code, reason = "the pure suite uses the rest of them")]

#[path = "../it/drive.rs"]
pub mod drive;
#[path = "../it/generate.rs"]
pub mod generate;
#[path = "../it/oracle.rs"]
pub mod oracle;
#[path = "../it/pipeline.rs"]
pub mod pipeline;
#[path = "../it/rng.rs"]
pub mod rng;
#[path = "../it/verify.rs"]
pub mod verify;
