//! Requests that came to no answer.

use super::Answered;
use crate::model::time::human;
use std::io::ErrorKind;
use ureq::{Error, Timeout};

/// What it means. Nothing of the URL is in it.
pub(super) fn of(error: &Error, timeout: i64) -> Answered {
    match error {
        Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            Answered::Busy("was not reached in time".to_owned(), None)
        }
        // It may have the message; whoever waits so long three times keeps the job from its end.
        Error::Timeout(_) => Answered::Later(format!("gave no answer within {}", human(timeout))),
        Error::HostNotFound => Answered::Busy("is no known host".to_owned(), None),
        Error::Io(error) => Answered::Busy(io(error), None),
        Error::Http(_) | Error::BadUri(_) => Answered::Refused(
            "cannot be asked: its URL or token holds characters that HTTP does not know".to_owned(),
        ),
        Error::Protocol(_) | Error::LargeResponseHeader(..) => {
            Answered::Busy("gave an answer that is no HTTP".to_owned(), None)
        }
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            Answered::Busy("was not reached: the proxy of the environment refuses".to_owned(), None)
        }
        Error::Tls(_) | Error::Rustls(_) => {
            Answered::Busy("was not reached: its TLS is not accepted".to_owned(), None)
        }
        _ => Answered::Busy("was not reached".to_owned(), None),
    }
}

fn io(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "refuses the connection".to_owned(),
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::ConnectionAborted => "closed the connection without an answer".to_owned(),
        // Of rustls: a certificate that is not trusted, a name that does not fit.
        _ => format!("was not reached: {error}"),
    }
}
