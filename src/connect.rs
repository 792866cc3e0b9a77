//! From a URL to a driver's options: what holds for every connection, be it to a source or to the ledger.
//!
//! Pure, and nothing of a URL goes into a message but key names.

use sqlx::ConnectOptions as _;
use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// The parameters that the drivers understand. Others are refused: a driver would write them to the log with their
/// values, and a mistyped `password` is one of them.
const KNOWN: &[&str] = &[
    "application_name",
    "cache",
    "charset",
    "collation",
    "dbname",
    "host",
    "hostaddr",
    "immutable",
    "mode",
    "options",
    "password",
    "port",
    "socket",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslca",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "time-zone",
    "timezone",
    "user",
    "vfs",
];

/// Refuses a URL whose parts would end up in the wrong places.
///
/// # Errors
/// What is wrong with it, without a word of its secrets.
pub fn check(url: &str) -> Result<(), String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    let path = after.split(['?', '#']).next().unwrap_or("");
    if !url.starts_with("sqlite") && (path.contains('@') || (!authority.contains('@') && after.contains('@')))
    {
        return Err(
            "its URL has an @ after the host: write / ? # @ in a user name or password as %2F %3F %23 %40"
                .to_owned(),
        );
    }
    match keys(url).find(|key| !KNOWN.contains(&key.split('[').next().unwrap_or(key))) {
        Some(key) => Err(format!("its URL has an unknown parameter `{key}`")),
        None => Ok(()),
    }
}

/// So many prepared statements of a session are kept: those that a flow of dozens of shards takes. A driver that has to
/// give one up tells MySQL so, which gives no answer, and the statement behind it then waits for the system to acknowledge
/// that, up to 40 ms.
const STATEMENTS: usize = 400;

/// PostgreSQL's: TLS is verified off loopback unless the URL or the environment says otherwise.
///
/// # Errors
/// A URL that the driver does not understand.
pub fn postgres(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    let near = options.get_socket().is_some() || is_loopback(options.get_host());
    let free = near || names_tls(url) || std::env::var_os("PGSSLMODE").is_some();
    let options = if free { options } else { options.ssl_mode(PgSslMode::VerifyFull) };
    // Who looks at the server's sessions shall see whose they are.
    let named = options.get_application_name().is_some();
    let options = if named { options } else { options.application_name("msgrecon") };
    let options = if names_statements(url) { options } else { options.statement_cache_capacity(STATEMENTS) };
    Ok(options.disable_statement_logging())
}

/// MySQL's and MariaDB's: the same of TLS; the session speaks UTC and UTF-8 whatever the URL says, and without the
/// driver's changes to `sql_mode`, which would give `||` in the configuration's conditions another meaning than it has
/// elsewhere on that server.
///
/// # Errors
/// A URL that the driver does not understand.
pub fn mysql(url: &str) -> Result<MySqlConnectOptions, sqlx::Error> {
    let options: MySqlConnectOptions = url.parse()?;
    let near = options.get_socket().is_some() || is_loopback(options.get_host());
    let options =
        if near || names_tls(url) { options } else { options.ssl_mode(MySqlSslMode::VerifyIdentity) };
    let options = if names_statements(url) { options } else { options.statement_cache_capacity(STATEMENTS) };
    Ok(options
        .timezone(Some("+00:00".to_owned()))
        .charset("utf8mb4")
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .disable_statement_logging())
}

/// Whether the URL says which TLS it wants.
#[must_use]
pub fn names_tls(url: &str) -> bool {
    keys(url).any(|key| key == "sslmode" || key == "ssl-mode")
}

fn names_statements(url: &str) -> bool {
    keys(url).any(|key| key == "statement-cache-capacity")
}

fn keys(url: &str) -> impl Iterator<Item = &str> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or("");
    query.split('&').map(|pair| pair.split('=').next().unwrap_or("")).filter(|key| !key.is_empty())
}

/// Whether a host is this machine itself.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.starts_with('/')
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_not_encoded_is_refused_and_not_shown() {
        for url in ["mysql://app:S3/cret@h/db", "postgres://app:1?S3cret@h/db", "mysql://app:S3#cret@h/db"] {
            let failure = check(url).unwrap_err();
            assert!(!failure.contains("cret"), "{failure}");
        }
        let failure = check("postgres://app@h/db?passwd=S3cret").unwrap_err();
        assert!(failure.contains("passwd") && !failure.contains("S3cret"));
        for url in [
            "mysql://app:S3%2Fcret@h:3306/db?ssl-mode=DISABLED",
            "postgres://app:p@ss@h/db?options[search_path]=shop",
            "sqlite:///var/lib/a@b.db?mode=ro",
            "postgres://h/db",
        ] {
            assert!(check(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn this_machine_is_known_by_all_its_names() {
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "/var/run/postgresql"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["db.example.com", "10.0.0.1", "localhost.example.com", ""] {
            assert!(!is_loopback(host), "{host}");
        }
        assert!(names_tls("postgres://h/db?a=1&sslmode=require") && !names_tls("postgres://h/sslmode"));
    }
}
