//! What keeps a run from burdening production: the throttle, the guard, the pause and the refusal of full scans.

mod guard;
mod pause;
mod scan;
mod throttle;

use crate::child;
use crate::world::{Flow, Place};
use msgrecon::story::{Half, Story};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Output, Stdio};

const DAY: &str = "2026-03-02";
const AS_OF: &str = "2026-03-03T06:00:00Z";
const ARGUMENTS: &str = "run -v --date 2026-03-02 --as-of 2026-03-03T06:00:00Z --format json";

/// As many messages, a second apart, all of them consumed.
async fn tell(place: &Place, messages: usize) {
    let mut text = format!("day {DAY}\n");
    for number in 0..messages {
        let at = format!("10:{:02}:{:02}", number / 60, number % 60);
        let _ = write!(text, "event m{number} acked {at} {at}\nreceipt m{number} billing {at}.5\n");
    }
    let story = Story::parse(&text).unwrap();
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&story, half, false).await;
    }
}

/// Producer and consumer in one place; what `c` says of itself comes at the end of its table.
fn config(place: &Place, of_c: &str) -> String {
    let flow = Flow { dead_letters: false, ..Flow::default() };
    place.toml("p") + place.toml("c").trim_end() + "\n" + of_c + "\n\n" + &flow.toml()
}

/// The program under way.
struct Under {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    said: String,
}

impl Under {
    fn way(folder: &Path, config: &str, arguments: &str) -> Self {
        let mut command = child::command(folder, config);
        command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, said: String::new() }
    }

    /// Waits until it has said this in its log.
    fn says(&mut self, words: &str) {
        loop {
            let mut line = String::new();
            let length = self.stderr.read_line(&mut line).unwrap();
            self.said += &line;
            assert!(length > 0, "it never said {words:?}: {}", self.said);
            if line.contains(words) {
                return;
            }
        }
    }

    fn is_at_work(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// What it said in all, at its end.
    fn ends(mut self) -> Output {
        self.stderr.read_to_string(&mut self.said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        Output { stderr: self.said.into_bytes(), ..output }
    }
}

/// It ended well, and found everything.
fn assert_balanced(output: &Output, messages: usize) {
    assert_eq!(child::code(output), 0, "{}", child::said(output));
    let report = child::json(output);
    assert_eq!(report["run"]["outcome"], "balanced", "{report}");
    assert_eq!(report["flows"][0]["consumers"][0]["totals"]["ok"], messages, "{report}");
}

/// It ended incomplete, judged nothing at the consumer, and said why.
fn assert_incomplete(output: &Output, code: i32, words: &[&str]) {
    assert_eq!(child::code(output), code, "{}", child::said(output));
    let report = child::json(output);
    let run = &report["run"];
    assert_eq!((&run["outcome"], &run["complete"]), (&"incomplete".into(), &false.into()), "{report}");
    assert!(report["flows"][0]["consumers"][0]["totals"].is_null(), "{report}");
    let message = report["problems"][0]["message"].as_str().unwrap();
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}
