//! Values to facts: pure, on borrowed bytes, and never a panic whatever the bytes are.

pub mod id;
pub mod iso;
pub mod time;
