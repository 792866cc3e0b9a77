//! How a metric is written.

use crate::model::time::SECOND;
use std::fmt::{Display, Write as _};

/// All samples of one name.
pub(super) struct Family {
    name: &'static str,
    help: &'static str,
    /// Labels as they are written, and values.
    samples: Vec<(String, String)>,
}

impl Family {
    /// One of no samples. `name` is without the prefix; `help` is a line without a backslash.
    pub(super) fn new(name: &'static str, help: &'static str) -> Self {
        Self { name, help, samples: Vec::new() }
    }

    /// One more sample.
    pub(super) fn add(&mut self, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<_> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.samples.push((labels, value.to_string()));
    }

    /// The same with one more sample, if there is a value.
    pub(super) fn with(mut self, labels: &[(&str, &str)], value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            self.add(labels, value);
        }
        self
    }

    /// Help, type and samples; nothing where there are no samples.
    pub(super) fn render(&self) -> String {
        let Self { name, help, samples } = self;
        if samples.is_empty() {
            return String::new();
        }
        let mut text = format!("# HELP msgrecon_{name} {help}\n# TYPE msgrecon_{name} gauge\n");
        for (labels, value) in samples {
            let _ = writeln!(text, "msgrecon_{name}{labels} {value}");
        }
        text
    }
}

/// A label's value. Names come from the configuration and may hold anything.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Microseconds as seconds, exactly: a float of the size of a timestamp would be rounded.
pub(super) fn seconds(micros: i64) -> String {
    let (sign, micros) = (if micros < 0 { "-" } else { "" }, micros.unsigned_abs());
    let (whole, rest) = (micros / SECOND.unsigned_abs(), micros % SECOND.unsigned_abs());
    let text = format!("{sign}{whole}.{rest:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What [`seconds`] has written, as microseconds; `None` for anything else.
pub(super) fn micros(seconds: &str) -> Option<i64> {
    let (whole, rest) = seconds.trim().split_once('.').unwrap_or((seconds.trim(), ""));
    // No time of a job lies before 1970.
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || rest.len() > 6 || !digits(whole) || !digits(rest) {
        return None;
    }
    format!("{whole}{rest:0<6}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_keep_every_digit() {
        let cases = [
            (0, "0"),
            (1, "0.000001"),
            (1_500_000, "1.5"),
            (-2_000_000, "-2"),
            (10_000_000, "10"),
            (1_772_517_600_000_001, "1772517600.000001"),
        ];
        for (micros, text) in cases {
            assert_eq!(seconds(micros), text);
            assert_eq!(super::micros(text), Some(micros).filter(|micros| *micros >= 0));
        }
        for text in ["", "NaN", "1e9", ".5", "1.0000001", "99999999999999999999"] {
            assert_eq!(super::micros(text), None, "{text}");
        }
    }

    #[test]
    fn labels_cannot_end_their_quotes_or_their_line() {
        let mut family = Family::new("x", "X.");
        assert_eq!(family.render(), "");
        family.add(&[("a", "b\"} 1\nc\\"), ("d", "错")], 0);
        let text =
            "# HELP msgrecon_x X.\n# TYPE msgrecon_x gauge\nmsgrecon_x{a=\"b\\\"} 1\\nc\\\\\",d=\"错\"} 0\n";
        assert_eq!(family.render(), text);
    }
}
