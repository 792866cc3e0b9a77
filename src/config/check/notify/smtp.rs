//! `transport` of `[mail]`: a URL that may hold a password, so that no message says more of it than its scheme.

use super::{Named, path, secret};
use crate::config::check::value;
use crate::config::hint;
use crate::config::notify::{Secret, Smtp, SmtpTls, Transport};
use crate::config::tree::{Item, Section};
use crate::model::time::SECOND;
use std::path::PathBuf;
use url::{Host, Url};

const TIMEOUT: i64 = 30 * SECOND;

/// The server or the folder, with what stands beside it.
pub(super) fn transport(section: &Section<'_>, named: &Named<'_>) -> Option<Transport> {
    if section.item("transport").or_else(|| section.item("transport_file")).is_none() {
        return section.missing(
            "transport",
            "is missing; give smtp://user@host:587, smtps://…, or file://DIR to try it out",
        );
    }
    let item = section.either("transport", "transport_file")?;
    let text = match section.item("transport") {
        Some(_) => item.filled_text()?,
        None => from_file(&item, named)?,
    };
    let (scheme, rest) = text.split_once("://").unwrap_or(("", ""));
    match scheme {
        "file" => {
            let folder = named.files.folder.join(PathBuf::from(rest));
            Some(Transport::Folder(folder))
        }
        "smtp" | "smtps" => server(&item, &text, section, named).map(Transport::Smtp),
        "" => item.problem("is no URL; it begins with smtp://, smtps:// or file://"),
        other => {
            item.problem(hint::unknown("scheme", &format!("`{other}`"), other, &["smtp", "smtps", "file"]))
        }
    }
}

fn from_file(item: &Item<'_>, named: &Named<'_>) -> Option<String> {
    let path = path(item, named)?;
    match (named.files.read_secret)(&path) {
        Ok(text) => Some(text.trim().to_owned()),
        Err(error) => item.problem(format!("{} cannot be read: {error}", path.display())),
    }
}

fn server(item: &Item<'_>, text: &str, section: &Section<'_>, named: &Named<'_>) -> Option<Smtp> {
    let Ok(url) = Url::parse(text) else {
        return item.problem("is no URL; write / ? # @ in a user name or password as %2F %3F %23 %40");
    };
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return item.problem("names no host");
    };
    let tls = tls(item, &url)?;
    let port = url.port().unwrap_or(if tls == SmtpTls::Implicit { 465 } else { 587 });
    let user = Some(decoded(url.username())).filter(|user| !user.is_empty());
    let in_url = url.password().map(|password| Secret::Text(decoded(password).into()));
    let beside = secret(section, "password", named);
    if in_url.is_some() && beside.is_some() {
        return item
            .problem("holds a password, and `password` or `password_file` stands beside it; keep one");
    }
    let password = in_url.or(beside);
    if password.is_some() && user.is_none() {
        return item.problem("names no user for the password: write smtp://user@host");
    }
    Some(Smtp {
        host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
        port,
        tls,
        user,
        password,
        ca_file: section.get("ca_file", |item| path(item, named)),
        timeout: section.get("timeout", value::duration).unwrap_or(TIMEOUT),
    })
}

fn tls(item: &Item<'_>, url: &Url) -> Option<SmtpTls> {
    let mut tls = if url.scheme() == "smtps" { SmtpTls::Implicit } else { SmtpTls::StartTls };
    for (key, value) in url.query_pairs() {
        tls = match (key.as_ref(), value.as_ref(), url.scheme()) {
            ("tls", "required" | "starttls", "smtp") => SmtpTls::StartTls,
            ("tls", "none", "smtp") if is_loopback(url) => SmtpTls::None,
            ("tls", "none", _) => {
                return item.problem("`tls=none` is only for a server on this machine: passwords and reports would go over the wire in the clear");
            }
            ("tls", ..) => {
                return item.problem("knows no such `tls`: smtp:// takes required (the default) or none, smtps:// is TLS from the first byte");
            }
            // Not repeated: it may hold a secret.
            _ => return item.problem("has a parameter that is not `tls`"),
        };
    }
    Some(tls)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        None => false,
    }
}

/// Percent signs undone.
fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
