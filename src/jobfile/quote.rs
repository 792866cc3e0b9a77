//! How a word is written so that it stays one word.

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@:=,".contains(c))
}

/// For a line of a crontab: the shell's quotes, and no percent sign that cron would take for the end of the line.
pub(super) fn crontab(word: &str) -> String {
    let quoted = if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    quoted.replace('%', "\\%")
}

/// For a command line in a unit: no `%` or `$` that systemd would fill in.
pub(super) fn systemd(word: &str) -> String {
    let word = word.replace('%', "%%");
    if is_plain(&word.replace('%', "")) {
        return word;
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$"))
}

/// For a command that a person copies.
pub(super) fn shell(word: &str) -> String {
    if is_plain(word) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// For YAML, inside of brackets too.
pub(super) fn yaml(word: &str) -> String {
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if begins && is_plain(word) && !word.contains([',', '=']) && !word.ends_with(':') {
        return word.to_owned();
    }
    serde_json::Value::from(word).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        assert_eq!(crontab("/a b/it's 5%"), "'/a b/it'\\''s 5\\%'");
        assert_eq!(systemd("/opt/a b/5%$x"), "\"/opt/a b/5%%$$x\"");
        assert_eq!(systemd("/opt/5%"), "/opt/5%%");
        assert_eq!(yaml("/run/a: b"), "\"/run/a: b\"");
        assert_eq!(
            (yaml("host:5000/a@sha256:0"), yaml("1.0")),
            ("host:5000/a@sha256:0".into(), "\"1.0\"".into())
        );
        for quote in [crontab, systemd, shell, yaml] {
            assert_eq!(quote("/usr/local/bin/msgrecon"), "/usr/local/bin/msgrecon");
        }
    }
}
