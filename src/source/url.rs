//! What has to be known of a URL before the driver takes it: pure, and nothing of it goes into a message but key names.

use super::error::Failure;

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
pub fn check(url: &str) -> Result<(), Failure> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    let path = after.split(['?', '#']).next().unwrap_or("");
    if !url.starts_with("sqlite") && (path.contains('@') || (!authority.contains('@') && after.contains('@')))
    {
        return Err(Failure::configuration(
            "its URL has an @ after the host: write / ? # @ in a user name or password as %2F %3F %23 %40",
        ));
    }
    match keys(url).find(|key| !KNOWN.contains(&key.split('[').next().unwrap_or(key))) {
        Some(key) => Err(Failure::configuration(format!("its URL has an unknown parameter `{key}`"))),
        None => Ok(()),
    }
}

/// Whether the URL says which TLS it wants.
pub fn names_tls(url: &str) -> bool {
    keys(url).any(|key| key == "sslmode" || key == "ssl-mode")
}

fn keys(url: &str) -> impl Iterator<Item = &str> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or("");
    query.split('&').map(|pair| pair.split('=').next().unwrap_or("")).filter(|key| !key.is_empty())
}

/// Whether a host is this machine itself.
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
            assert!(!failure.message.contains("cret"), "{}", failure.message);
        }
        let failure = check("postgres://app@h/db?passwd=S3cret").unwrap_err();
        assert!(failure.message.contains("passwd") && !failure.message.contains("S3cret"));
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
