//! A program that takes JSON on its standard input: whatever no other channel speaks to.

use super::letter::Letter;
use super::size::Size;
use super::{Delivered, Surroundings, document};
use crate::notify::hook;
use secrecy::ExposeSecret as _;
use serde_json::json;

/// A program has room for more than a chat.
const SIZE: Size = Size { lines: 10_000, differences: 1_000, chars: 20_000 };

pub(super) async fn send(letter: &Letter<'_>, around: &Surroundings) -> Delivered {
    let environment = environment(letter, around)?;
    let input = format!("{}\n", document::document(letter, SIZE));
    hook::call(&letter.channel.command, &environment, input.as_bytes(), letter.channel.timeout).await
}

/// What a short script needs without reading JSON.
fn environment(
    letter: &Letter<'_>,
    around: &Surroundings,
) -> Result<Vec<(String, String)>, super::NotDelivered> {
    let (brief, digest, channel) = (&letter.brief, letter.digest, letter.channel);
    let url = channel.urls.first().map(|url| url.read("its url")).transpose()?;
    let secrets = [("URL", &url), ("TOKEN", &letter.keys.token), ("SECRET", &letter.keys.secret)];
    let known = [
        ("CHANNEL", channel.name.clone()),
        ("KEY", digest.key.clone()),
        ("STATUS", brief.status.to_owned()),
        ("OCCASION", json!(digest.occasion).as_str().unwrap_or_default().to_owned()),
        ("SUBJECT", brief.subject.clone()),
        ("RUN", brief.run.clone()),
        ("EXIT_CODE", digest.exit_code.to_string()),
        ("OWNER", digest.owner.clone().unwrap_or_default()),
        ("REPORT", around.folder.clone().unwrap_or_default()),
    ];
    let secrets = secrets
        .into_iter()
        .filter_map(|(name, secret)| Some((name, secret.as_ref()?.expose_secret().to_owned())));
    // The system takes no value that holds a zero byte.
    let clean = |(name, value): (&str, String)| (format!("MSGRECON_{name}"), value.replace('\0', ""));
    Ok(known.into_iter().chain(secrets).map(clean).collect())
}
