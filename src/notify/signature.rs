//! Signatures of webhooks and robots. DingTalk's and Feishu's look alike, and differ in what is the key and what is signed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// Secrets are written with and without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The header `webhook-signature` of Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, spec):
/// `v1,` and the signature of `id.timestamp.body` for each secret; `timestamp` in seconds. Secrets are separated by
/// blanks, so that a receiver that knows only the old or only the new one is content while they change.
///
/// # Errors
/// A secret that is not `whsec_` and base64. It is not in the message.
pub fn standard_webhook(secrets: &str, id: &str, timestamp: i64, body: &[u8]) -> Result<String, String> {
    let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
    let signature = |secret: &str| {
        let key = LENIENT.decode(secret.strip_prefix("whsec_").unwrap_or(secret));
        let key = key.ok().filter(|key| !key.is_empty());
        let key = key.ok_or("its secret is no `whsec_` followed by base64")?;
        Ok(format!("v1,{}", STANDARD.encode(hmac(&key, &signed))))
    };
    let signatures: Vec<_> = secrets.split_whitespace().map(signature).collect::<Result<_, String>>()?;
    Ok(signatures.join(" "))
}

/// DingTalk's `sign`: the secret is the key, and `<milliseconds>\n<secret>` is signed. It goes into the query, encoded
/// once.
#[must_use]
pub fn dingtalk(secret: &str, millis: i64) -> String {
    STANDARD.encode(hmac(secret.as_bytes(), format!("{millis}\n{secret}").as_bytes()))
}

/// Feishu's `sign`: `<seconds>\n<secret>` is the key, and nothing is signed. It goes into the body.
#[must_use]
pub fn feishu(secret: &str, seconds: i64) -> String {
    STANDARD.encode(hmac(format!("{seconds}\n{secret}").as_bytes(), b""))
}

/// SHA-256 in hexadecimal digits: what a service knows an alert by.
#[must_use]
pub fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep `a` + `bc` and `ab` + `c` apart.
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or_default());
    hash.finalize().iter().flat_map(digits).collect()
}

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    // A key of any length is taken.
    Hmac::<Sha256>::new_from_slice(key)
        .map(|mac| mac.chain_update(message).finalize().into_bytes().to_vec())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    #[test]
    fn standard_webhooks_signs_as_its_own_tests_do() {
        assert_eq!(standard_webhook(SECRET, ID, 1_614_265_330, BODY).as_deref(), Ok(SIGNED));
        let bare = SECRET.trim_start_matches("whsec_");
        assert_eq!(standard_webhook(bare, ID, 1_614_265_330, BODY).as_deref(), Ok(SIGNED));
    }

    #[test]
    fn each_of_several_secrets_signs() {
        let other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
        let signed = standard_webhook(&format!("{other}  {SECRET}"), ID, 1_614_265_330, BODY).unwrap();
        let signatures: Vec<_> = signed.split(' ').collect();
        assert_eq!((signatures.len(), signatures[1]), (2, SIGNED));
        assert_ne!(signatures[0], SIGNED);
    }

    #[test]
    fn a_secret_that_is_none_is_not_repeated() {
        for secret in ["whsec_not base64!", "hunter2hunter2!", "whsec_", "whsec_%%%%"] {
            let error = standard_webhook(secret, ID, 1, BODY).unwrap_err();
            assert!(!error.contains("hunter2") && !error.contains('%'), "{error}");
        }
    }

    #[test]
    fn robots_are_signed_as_their_makers_say() {
        assert_eq!(
            dingtalk("this is secret", 1_577_262_236_757),
            "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM="
        );
        assert_eq!(feishu("demo", 1_599_360_473), "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=");
    }

    #[test]
    fn fingerprints_keep_their_parts_apart() {
        assert_ne!(fingerprint(&["a", "bc"]), fingerprint(&["ab", "c"]));
        assert_eq!(fingerprint(&["a"]).len(), 64);
    }
}
