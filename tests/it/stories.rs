//! The story suite: each text says what happened and what must be found. It runs through the pure core here, and
//! through real databases elsewhere with the same expectations.
//!
//! Unless its first comment lines say otherwise, a story is judged with [`Settings::default`]: the day 2026-03-02 in
//! UTC in windows of an hour, as of 06:00 on the next morning, grace 15m, late after 60m, stuck after 10m, consumers
//! `billing` and `mailer` that share one dedup table. Events of the sort `foreign` are another flow's.

use msgrecon::model::Micros;

/// The consumers of every story, by place.
pub const CONSUMERS: [&str; 2] = ["billing", "mailer"];

/// Name and text of every story.
pub fn all() -> Vec<(&'static str, &'static str)> {
    macro_rules! stories {
        ($($name:literal),* $(,)?) => {
            vec![$(($name, include_str!(concat!("../stories/", $name, ".story")))),*]
        };
    }
    stories![
        "acked-and-consumed",
        "ages-of-the-unconsumed",
        "case-of-ids",
        "counts-cancel-out",
        "dead-letters",
        "dead-letters-redriven",
        "duplicates",
        "edges-of-the-day",
        "edges-of-a-window",
        "effects-of-retention",
        "empty-range",
        "events-of-two-sorts",
        "events-without-id",
        "events-without-time",
        "everything-missing",
        "ids-taken-for-numbers",
        "ids-with-blanks-and-signs",
        "late-by-a-microsecond",
        "not-acked",
        "not-acked-but-consumed",
        "orphans",
        "receipts-without-id",
        "receipts-without-time",
        "rows-deleted-at-the-ack",
        "several-rows-of-one-id",
        "several-rows-over-days",
        "since-and-until",
        "states-nobody-names",
        "two-consumers",
        "waiting-still",
    ]
}

/// What a story's first comment lines may set: `# name value`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `# as_of 2026-03-02T12:00:00Z`; the range ends there at the latest.
    pub as_of: Option<Micros>,
    /// `# retention 7d`, of both consumers.
    pub retention: Option<i64>,
    /// `# after_ack delete`
    pub rows_vanish: bool,
    /// `# since 2026-03-02T12:00:00Z`, of `mailer`.
    pub since: Option<Micros>,
    /// `# until 2026-03-02T18:00:00Z`, of `mailer`.
    pub until: Option<Micros>,
    /// `# expects paid`: `mailer` sees only events of that sort.
    pub only_paid: bool,
}

impl Settings {
    /// Reads the comment lines that a story begins with.
    pub fn of(text: &str) -> Self {
        let mut settings = Self::default();
        let instant =
            |value: &str| Some(Micros::from(value.parse::<chrono::DateTime<chrono::Utc>>().unwrap()));
        for line in text.lines().map_while(|line| line.strip_prefix("# ")) {
            match line.split_once(' ') {
                Some(("as_of", value)) => settings.as_of = instant(value),
                Some(("retention", value)) => {
                    let kept = humantime::parse_duration(value).unwrap();
                    settings.retention = Some(i64::try_from(kept.as_micros()).unwrap());
                }
                Some(("after_ack", "delete")) => settings.rows_vanish = true,
                Some(("since", value)) => settings.since = instant(value),
                Some(("until", value)) => settings.until = instant(value),
                Some(("expects", "paid")) => settings.only_paid = true,
                _ => {}
            }
        }
        settings
    }
}
