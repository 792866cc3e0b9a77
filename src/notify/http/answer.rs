//! What services answer, and what it means.

use crate::model::Micros;
use serde_json::Value;
use std::time::Duration;
use ureq::http::StatusCode;

/// What a service said.
pub(in crate::notify) struct Answer {
    /// The status.
    pub status: u16,
    /// So long the service wants to be left alone.
    pub retry_after: Option<Duration>,
    /// Its beginning; `None` where the answer broke off.
    pub body: Option<Vec<u8>>,
}

/// What an answer means. The texts follow the host's name.
pub(in crate::notify) enum Answered {
    /// It has the message.
    Taken,
    /// It may take it in a moment, or after so long.
    Busy(String, Option<Duration>),
    /// It may take it from the next run.
    Later(String),
    /// It will not take it until somebody mends something.
    Refused(String),
}

impl Answer {
    /// What the status means, to a service that says everything by it.
    pub fn by_status(&self) -> Answered {
        let what = match self.status {
            300..=399 => "; redirects are not followed: set the URL that it leads to",
            401 | 403 => "; look at its token, login or secret",
            404 | 405 => "; look at its URL",
            410 => "; it wants no more messages: take it out of the configuration",
            _ => "",
        };
        // Their words come last: they may be long, and are cut.
        let said = format!("answered {}{what}{}", self.status_words(), self.said());
        match self.status {
            200..=299 => Answered::Taken,
            408 | 425 | 429 | 500..=599 => Answered::Busy(said, self.retry_after),
            _ => Answered::Refused(said),
        }
    }

    /// What the status means, and then the number `key` in a JSON body, which is 0 where the message was taken; `busy`
    /// are the numbers of a service that is told too much at once.
    pub fn by_code(&self, key: &str, words: &str, busy: &[i64]) -> Answered {
        match self.by_status() {
            Answered::Taken => {}
            other => return other,
        }
        let Some(body) = &self.body else {
            return Answered::Busy("broke off its answer".to_owned(), None);
        };
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let said = body.get(words).and_then(Value::as_str).unwrap_or_default();
        match body.get(key).and_then(Value::as_i64) {
            Some(0) => Answered::Taken,
            Some(code) if busy.contains(&code) => {
                Answered::Later(format!("refused for now: {key} {code}, {said}"))
            }
            Some(code) => Answered::Refused(format!("refused: {key} {code}, {said}")),
            None => Answered::Refused(format!(
                "answered without the `{key}` that it always gives; look at its URL"
            )),
        }
    }

    fn status_words(&self) -> String {
        let reason = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        reason.map_or_else(|| self.status.to_string(), |reason| format!("{} {reason}", self.status))
    }

    /// The service's own words, if it gives some and no page.
    fn said(&self) -> String {
        let text =
            self.body.as_deref().and_then(|body| std::str::from_utf8(body).ok()).unwrap_or_default().trim();
        if text.is_empty() || text.starts_with('<') { String::new() } else { format!(": {text}") }
    }
}

/// `Retry-After`: seconds, or a date.
pub(super) fn patience(value: &str, now: Micros) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at: Micros = chrono::DateTime::parse_from_rfc2822(value).ok()?.to_utc().into();
    Some(super::duration(at.since(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: Option<&str>) -> Answer {
        Answer { status, retry_after: None, body: body.map(|body| body.as_bytes().to_vec()) }
    }

    fn words(answered: Answered) -> String {
        match answered {
            Answered::Taken => "taken".to_owned(),
            Answered::Busy(why, _) => format!("busy: {why}"),
            Answered::Later(why) => format!("later: {why}"),
            Answered::Refused(why) => format!("refused: {why}"),
        }
    }

    #[test]
    fn a_status_says_whether_to_come_back() {
        let cases = [
            (200, "", "taken"),
            (204, "", "taken"),
            (302, "", "refused: answered 302 Found; redirects"),
            (400, "invalid_blocks", "refused: answered 400 Bad Request: invalid_blocks"),
            (401, "<html>", "refused: answered 401 Unauthorized; look at its token"),
            (410, "", "refused: answered 410 Gone; it wants no more"),
            (429, "", "busy: answered 429 Too Many Requests"),
            (503, "", "busy: answered 503 Service Unavailable"),
            (599, "", "busy: answered 599"),
        ];
        for (status, body, wanted) in cases {
            let found = words(answer(status, Some(body)).by_status());
            assert!(found.starts_with(wanted), "{status}: {found}");
        }
    }

    #[test]
    fn a_code_in_the_body_outweighs_the_status() {
        let cases = [
            (Some(r#"{"errcode":0,"errmsg":"ok"}"#), "taken"),
            (
                Some(r#"{"errcode":310000,"errmsg":"sign not match"}"#),
                "refused: refused: errcode 310000, sign not match",
            ),
            (
                Some(r#"{"errcode":130101,"errmsg":"send too fast"}"#),
                "later: refused for now: errcode 130101",
            ),
            (Some("<html>"), "refused: answered without the `errcode`"),
            (Some(r#"{"errcode":"0"}"#), "refused: answered without"),
            (None, "busy: broke off"),
        ];
        for (body, wanted) in cases {
            let found = words(answer(200, body).by_code("errcode", "errmsg", &[130_101]));
            assert!(found.starts_with(wanted), "{body:?}: {found}");
        }
        let found = words(answer(500, None).by_code("errcode", "errmsg", &[]));
        assert_eq!(found, "busy: answered 500 Internal Server Error");
    }

    #[test]
    fn patience_is_asked_for_in_seconds_or_until_a_date() {
        let now = Micros(1_445_412_480_000_000);
        assert_eq!(patience("7", now), Some(Duration::from_secs(7)));
        assert_eq!(patience("Wed, 21 Oct 2015 07:28:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(patience("Wed, 21 Oct 2015 07:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!((patience("-1", now), patience("soon", now)), (None, None));
    }
}
