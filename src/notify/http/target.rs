//! Where a request goes.

use super::Post;
use crate::notify::NotDelivered;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret as _, SecretString};
use ureq::http::{self, header};
use url::{Host, Url};

/// A URL that may be asked. It has no `Debug`: its path is a secret.
pub(in crate::notify) struct Target {
    url: Url,
    host: String,
    /// `Authorization` of the URL's own login.
    login: Option<String>,
}

impl Target {
    /// Of a URL; `plain` allows http to hosts that are not the loopback.
    ///
    /// # Errors
    /// A text that is no URL, or one whose scheme would carry secrets in the clear. Nothing of it is in the message but
    /// its host.
    pub fn of(what: &str, url: &SecretString, plain: bool) -> Result<Self, NotDelivered> {
        let wrong = |why: &str| NotDelivered::for_good(format!("{what}: {why}"));
        let mut url = Url::parse(url.expose_secret().trim())
            .map_err(|_| wrong("its URL is none; it begins with https:// and a host"))?;
        let host = url.host_str().unwrap_or_default().to_owned();
        match url.scheme() {
            _ if host.is_empty() => return Err(wrong("its URL names no host")),
            "https" => {}
            "http" if plain || is_loopback(&url) => {}
            "http" => {
                let why =
                    "http:// would show its secrets on the way; use https://, or set `allow_http = true`";
                return Err(wrong(&format!("{host}: {why}")));
            }
            _ => return Err(wrong("its URL begins with neither https:// nor http://")),
        }
        let login = login(&url);
        // Neither is refused by a URL of http or https with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_fragment(None);
        Ok(Self { url, host, login })
    }

    /// The same with further segments behind its path; they are encoded here.
    pub fn below<'a>(mut self, segments: impl IntoIterator<Item = &'a str>) -> Self {
        if let Ok(mut path) = self.url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        self
    }

    /// Whether its path ends so.
    pub fn ends_with(&self, path: &str) -> bool {
        self.url.path().trim_end_matches('/').ends_with(path)
    }

    /// The host's name, with a port that is not the usual one.
    pub fn host(&self) -> String {
        self.url.port().map_or_else(|| self.host.clone(), |port| format!("{}:{port}", self.host))
    }

    /// Whether it never leaves this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// The whole request.
    pub(super) fn request(&self, post: &Post) -> Result<http::Request<Vec<u8>>, http::Error> {
        let mut url = self.url.clone();
        if !post.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&post.query);
        }
        let mut request = http::Request::builder()
            .method(post.method.clone())
            .uri(url.as_str())
            .header(header::CONTENT_TYPE, post.content_type);
        let authorised = post.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if let Some(login) = self.login.as_ref().filter(|_| !authorised) {
            request = request.header(header::AUTHORIZATION, login);
        }
        for (name, value) in &post.headers {
            request = request.header(*name, value);
        }
        request.body(post.body.clone())
    }
}

fn login(url: &Url) -> Option<String> {
    let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (user, password) = (decoded(url.username()), decoded(url.password().unwrap_or_default()));
    let given = !user.is_empty() || !password.is_empty();
    given.then(|| format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, plain: bool) -> Result<Target, String> {
        Target::of("channel ops", &url.into(), plain).map_err(|error| error.message)
    }

    #[test]
    fn plain_http_stays_on_this_machine_unless_allowed() {
        for url in ["http://127.0.0.1:1/x", "http://localhost/x", "http://[::1]/x", "https://h/x"] {
            assert!(target(url, false).is_ok(), "{url}");
        }
        let error = target("http://am.example.com/s3cret?k=s3cret", false).err().unwrap();
        assert!(error.contains("am.example.com") && error.contains("allow_http"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
        assert!(target("http://am.example.com/s3cret", true).is_ok());
    }

    #[test]
    fn what_is_no_url_is_not_repeated() {
        for url in ["s3cret", "https://", "ftp://h/s3cret", "https://h:s3cret/", "file:///s3cret", ""] {
            let error = target(url, true).err().unwrap();
            assert!(error.starts_with("channel ops: its URL") && !error.contains("s3cret"), "{url}: {error}");
        }
    }

    #[test]
    fn logins_become_headers_and_segments_are_encoded() {
        let target = target("https://us%40er:p%2Fw@h:9091/base/#x", false).ok().unwrap();
        let post = Post { query: vec![("sign", "a+b/c=".to_owned())], ..Post::json(Vec::new()) };
        let request = target.below(["metrics", "a b/c"]).request(&post).unwrap();
        assert_eq!(request.uri().to_string(), "https://h:9091/base/metrics/a%20b%2Fc?sign=a%2Bb%2Fc%3D");
        assert_eq!(request.headers()["authorization"], format!("Basic {}", STANDARD.encode("us@er:p/w")));
    }
}
