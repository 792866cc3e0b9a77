//! Faults from the field, each as the rows that showed it and what must be made of them. Tests bear their numbers.

mod common;
mod edges;
mod ids;
mod lookalikes;
mod mysql_times;
mod mysql_types;
mod postgres_times;
mod postgres_types;
mod sqlite_times;
