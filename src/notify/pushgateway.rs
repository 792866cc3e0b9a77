//! A Pushgateway, which keeps the last metrics of the job for Prometheus to fetch.

use super::Delivered;
use super::hide::Hidden;
use super::http::{Answer, Call, Post, Target};
use crate::clock;
use crate::config::notify::Pushgateway;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::ExposeSecret as _;
use ureq::http::Method;

/// Pushes metrics in Prometheus' text format. `replace` puts them in the place of everything that the job has pushed,
/// so that what is no longer measured vanishes; otherwise only metrics of the same names are replaced, and the time of
/// the last success survives a failure.
///
/// # Errors
/// What kept the metrics from being pushed, without the gateway's login.
pub async fn push(gateway: &Pushgateway, text: &str, replace: bool) -> Delivered {
    let what = "pushgateway";
    let url = gateway.url.read(what)?;
    let mut hidden = Hidden::default();
    hidden.add_url(url.expose_secret());
    // It usually stands beside Prometheus, where nothing speaks TLS.
    let target = Target::of(what, &url, true)?;
    let job = job(&gateway.job);
    let target = target.below(["metrics", job.0, job.1.as_str()]);
    let call = Call {
        what,
        timeout: gateway.timeout,
        budget: gateway.timeout.saturating_mul(3),
        now: clock::now(),
        hidden: &hidden,
    };
    call.send(&target, |_| Ok(post(text, replace)), Answer::by_status).await
}

/// The job's label as a pair of path segments. A name that holds a `/` would be cut by it, however it is encoded.
fn job(name: &str) -> (&'static str, String) {
    if name.contains('/') || name == "." || name == ".." {
        return ("job@base64", URL_SAFE_NO_PAD.encode(name));
    }
    ("job", name.to_owned())
}

fn post(text: &str, replace: bool) -> Post {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Post {
        method: if replace { Method::PUT } else { Method::POST },
        query: Vec::new(),
        headers: Vec::new(),
        content_type: "text/plain; version=0.0.4; charset=utf-8",
        body: format!("{text}{end}").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_one_segment() {
        assert_eq!(job("msgrecon"), ("job", "msgrecon".to_owned()));
        // The example of the gateway's own README.
        assert_eq!(job("/var/tmp"), ("job@base64", "L3Zhci90bXA".to_owned()));
        assert_eq!(job("..").0, "job@base64");
    }

    #[test]
    fn text_ends_in_a_line_end() {
        assert_eq!(post("a 1", true).body, b"a 1\n");
        assert_eq!(post("a 1\n", false).body, b"a 1\n");
    }
}
