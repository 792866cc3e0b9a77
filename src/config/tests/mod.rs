//! What loads, what does not, and what is said about it.

mod good;
mod problems;
mod secrets;

use super::{Config, Problems, parse};
use std::io;
use std::path::Path;

/// The complete example of the documentation.
const EXAMPLE: &str = include_str!("example.toml");

/// The least that loads.
const LEAST: &str = r#"
[databases.shop]
url = "sqlite://shop.db"
[[flows]]
name = "paid"
[flows.events]
database = "shop"
table = "event"
id = "id"
created_at = "at"
[[flows.consumers]]
name = "points"
database = "shop"
table = "consumed"
id = "id"
"#;

fn environment(name: &str) -> Option<String> {
    let value = match name {
        "ORDERS_DB_URL" => "postgres://orders:0rdersPw@orders-db/orders",
        "ZONE" => "Asia/Shanghai",
        "INJECTION" => "x\"\nwindow = \"2d",
        "BAD_URL" => "mysq://app:S3cretPw@h/db",
        _ => return None,
    };
    Some(value.to_owned())
}

fn read_secret(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some("/run/secrets/points_db_url") => Ok("mariadb://points:p0intsPw@points-db/points\n".to_owned()),
        Some("/etc/msgrecon/secrets/url") => Ok("mysql://h/d\r\n".to_owned()),
        Some("/run/secrets/bad") => Ok("postgres://app:S3cretPw@h:port/d\n".to_owned()),
        Some("/run/secrets/empty") => Ok("\n".to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn parsed(text: &str) -> Result<Config, Problems> {
    parse(text, Path::new("/etc/msgrecon/msgrecon.toml"), &environment, &read_secret)
}

/// The least that loads, with one piece replaced.
fn least(piece: &str, by: &str) -> String {
    assert!(LEAST.contains(piece), "{piece}");
    LEAST.replacen(piece, by, 1)
}
