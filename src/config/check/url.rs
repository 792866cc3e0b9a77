//! URLs of databases. They hold passwords, so no message says more of one than its scheme.

use crate::config::Dialect;
use crate::config::hint;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use std::path::Path;

const SCHEMES: [(&str, Dialect); 5] = [
    ("sqlite", Dialect::Sqlite),
    ("postgres", Dialect::Postgres),
    ("postgresql", Dialect::Postgres),
    ("mysql", Dialect::Mysql),
    ("mariadb", Dialect::Mysql),
];

/// The parameters that the driver reads. It would write the value of any other into the log, or pass over a misspelt
/// `sslmode` and connect without TLS.
const POSTGRES_PARAMETERS: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

const MYSQL_PARAMETERS: [&str; 11] = [
    "sslmode",
    "ssl-mode",
    "sslca",
    "ssl-ca",
    "charset",
    "collation",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
];

/// Read by the driver, but dropped here: every session speaks UTC, whatever the URL says.
const MYSQL_ZONE_PARAMETERS: [&str; 2] = ["timezone", "time-zone"];

/// The dialect and the URL as the driver wants it; paths of SQLite are taken from `folder`.
pub(super) fn database_url(url: &str, folder: &Path) -> Result<(Dialect, String), String> {
    let known = SCHEMES.map(|(name, _)| name);
    let Some((scheme, rest)) = url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return Err(format!("is no URL; it begins with a scheme and `://`; known: {}", known.join(", ")));
    };
    match SCHEMES.iter().find(|(name, _)| *name == scheme) {
        Some((_, Dialect::Sqlite)) => Ok((Dialect::Sqlite, sqlite(rest, folder)?)),
        Some((_, Dialect::Postgres)) => Ok((Dialect::Postgres, server(scheme, rest, &POSTGRES_PARAMETERS)?)),
        Some((_, Dialect::Mysql)) => Ok((Dialect::Mysql, server("mysql", rest, &MYSQL_PARAMETERS)?)),
        // Without `://` it may be `user:password`, and is not repeated.
        None if !rest.starts_with("//") => Err(format!("is no URL; known: {}", known.join(", "))),
        None => Err(hint::unknown("scheme", &format!("`{scheme}`"), scheme, &known)),
    }
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

fn sqlite(rest: &str, folder: &Path) -> Result<String, String> {
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let (path, parameters) = rest.split_once('?').map_or((rest, None), |(path, rest)| (path, Some(rest)));
    if path.is_empty() {
        return Err("names no file: write sqlite://file.db or sqlite:///path/to/file.db".to_owned());
    }
    let path = if path == ":memory:" { path.to_owned() } else { in_folder(path, folder)? };
    let url = format!("sqlite://{path}{}", parameters.map(|p| format!("?{p}")).unwrap_or_default());
    match url.parse::<SqliteConnectOptions>() {
        Ok(_) => Ok(url),
        Err(_) => Err("is no valid sqlite URL; known parameters: mode, cache, immutable, vfs".to_owned()),
    }
}

fn in_folder(path: &str, folder: &Path) -> Result<String, String> {
    if path.starts_with('/') || folder.as_os_str().is_empty() {
        return Ok(path.to_owned());
    }
    let folder = folder.to_str().ok_or("lies in a folder whose name is not UTF-8; give an absolute path")?;
    // The path is written as in a URL, the folder is not yet.
    let folder = folder.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    Ok(format!("{}/{path}", folder.trim_end_matches('/')))
}

fn server(scheme: &str, rest: &str, known: &[&str]) -> Result<String, String> {
    let Some(rest) = rest.strip_prefix("//") else {
        return Err(format!("is no valid {scheme} URL: `//` is missing after the scheme"));
    };
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, query)| (place, query));
    // A password with a bare `/`, `?` or `#` would be cut in two, and its first half be taken for a port.
    let database = place.split_once('/').map_or("", |(_, database)| database);
    if rest.contains('#') || database.contains('@') {
        return Err(format!("is no valid {scheme} URL: {ENCODE}"));
    }
    let query = parameters(query, known)?;
    let url = format!("{scheme}://{place}{}{query}", if query.is_empty() { "" } else { "?" });
    let valid = match scheme {
        "mysql" => url.parse::<MySqlConnectOptions>().is_ok(),
        _ => url.parse::<PgConnectOptions>().is_ok(),
    };
    if valid {
        Ok(url)
    } else {
        Err(format!("is no valid {scheme} URL: look at its port and parameters; {ENCODE}"))
    }
}

const ENCODE: &str = "special characters in user and password must be percent-encoded";

/// The query string without what is dropped. The name of an unknown parameter is not repeated: it may be the tail of a
/// password.
fn parameters(query: &str, known: &[&str]) -> Result<String, String> {
    let mut kept = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let name = parameter.split('=').next().unwrap_or_default();
        let zone = known == MYSQL_PARAMETERS && MYSQL_ZONE_PARAMETERS.contains(&name);
        let option = known == POSTGRES_PARAMETERS && name.starts_with("options[") && name.ends_with(']');
        if known.contains(&name) || option {
            kept.push(parameter);
        } else if !zone {
            let meant = hint::nearest(name, known.iter().copied());
            let meant = meant.map(|meant| format!(", did you mean {meant}")).unwrap_or_default();
            return Err(format!("has an unknown parameter{meant}; known: {}", known.join(", ")));
        }
    }
    Ok(kept.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(url: &str) -> Result<String, String> {
        database_url(url, Path::new("/etc/msg recon?")).map(|(_, url)| url)
    }

    #[test]
    fn urls_reach_the_driver_in_its_spelling() {
        let cases = [
            ("sqlite:///var/lib/x.db?mode=ro", "sqlite:///var/lib/x.db?mode=ro"),
            ("sqlite:/var/lib/x.db", "sqlite:///var/lib/x.db"),
            ("sqlite://x.db?mode=rwc", "sqlite:///etc/msg recon%3F/x.db?mode=rwc"),
            ("sqlite:data/x.db", "sqlite:///etc/msg recon%3F/data/x.db"),
            ("sqlite::memory:", "sqlite://:memory:"),
            ("postgres://u:p%40@h:5432/d?sslmode=require", "postgres://u:p%40@h:5432/d?sslmode=require"),
            ("postgresql:///d?host=/run/pg&options[x]=y", "postgresql:///d?host=/run/pg&options[x]=y"),
            ("mysql://u:p@h/d", "mysql://u:p@h/d"),
            ("mariadb://u:p@h/d?timezone=%2B08:00", "mysql://u:p@h/d"),
            ("mysql://h/d?time-zone=x&ssl-mode=REQUIRED", "mysql://h/d?ssl-mode=REQUIRED"),
        ];
        for (url, wanted) in cases {
            assert_eq!(checked(url).as_deref(), Ok(wanted), "{url}");
        }
        let relative = database_url("sqlite://x.db", Path::new("")).unwrap();
        assert_eq!(relative, (Dialect::Sqlite, "sqlite://x.db".to_owned()));
    }

    #[test]
    fn messages_hold_nothing_of_a_password() {
        let cases = [
            (
                "mysq://app:S3cretPw@h/db",
                "unknown scheme `mysq`, did you mean mysql; known: sqlite, postgres, ",
            ),
            ("S3cretPw", "is no URL"),
            ("S3cretPw:x", "is no URL"),
            ("app:S3cretPw@h/db", "is no URL"),
            ("postgres:app:S3cretPw@h/db", "`//` is missing"),
            ("postgres://app:12/S3cretPw@h/db", "percent-encoded"),
            ("postgres://app:12#S3cretPw@h/db", "percent-encoded"),
            ("postgres://app:12?S3cretPw@h/db", "unknown parameter;"),
            ("postgres://app:p@h/db?pasword=S3cretPw", "unknown parameter, did you mean password"),
            ("mysql://app:S3cretPw@h:notaport/db", "is no valid mysql URL"),
            ("postgres://app:S3cretPw@h/db?sslmode=maybe", "is no valid postgres URL"),
            ("mysql://app:S3cretPw@h/db?sslmod=REQUIRED", "did you mean sslmode"),
            ("sqlite://", "names no file"),
            ("sqlite://x.db?key=S3cretPw", "is no valid sqlite URL"),
        ];
        for (url, message) in cases {
            let found = checked(url).unwrap_err();
            assert!(found.contains(message), "{url}: {found}");
            assert!(!found.contains("S3cret") && !found.contains("app:"), "{url}: {found}");
        }
    }
}
