use super::*;
use crate::model::{Kind, Occasion};
use crate::notify::fixture;
use crate::report::fixture as runs;

fn told(run: &Run, digest: &Digest) -> Brief {
    brief(run, digest, &fixture::around(run), Language::En)
}

#[test]
fn a_subject_tells_status_and_numbers_first() {
    let run = runs::rich();
    let rich = told(&run, &Digest { flows: vec!["order-paid".to_owned()], ..fixture::rich(&run) });
    assert_eq!(
        rich.subject,
        "[FAIL] order-paid: 6 missing, 1 dead_lettered, 1 publish_failed, 2 duplicate, \
         1 orphan, 1 ack_lost, 1 unattributable, 1 late, \
         oldest_pending 22h, 3 acknowledged / 493 acked \
         (2026-11-01 00:00 -04:00 until 24:00 -05:00)"
    );
    let run = runs::balanced();
    assert_eq!(
        told(&run, &fixture::resolved(&run)).subject,
        "[RESOLVED] order-paid: 2 cleared, 0 differences / 43 acked (2026-11-01 00:00 -04:00 until 24:00 -05:00)"
    );
    let quiet = Digest { occasion: Occasion::AllQuiet, ..fixture::plain(&run) };
    assert!(told(&run, &quiet).subject.starts_with("[OK] all quiet: order-paid: 0 differences / 43 acked ("));
    let nothing = runs::nothing_due();
    let subject = told(&nothing, &fixture::plain(&nothing)).subject;
    assert!(subject.ends_with("(nothing was due at 2026-11-02 02:00 -05:00)"), "{subject}");
}

#[test]
fn nothing_that_could_not_be_read_is_0() {
    let mut run = runs::balanced();
    run.flows[0].events = None;
    run.flows[0].consumers.iter_mut().for_each(|one| one.counts = None);
    let digest = Digest { complete: false, ..fixture::plain(&run) };
    let brief = told(&run, &digest);
    assert_eq!(brief.headline, "nothing could be read");
    assert!(brief.subject.starts_with("[INCOMPLETE] "), "{}", brief.subject);
    assert_eq!(brief.coverage.unread, ["order-paid", "order-paid → points", "order-paid → sms"]);
}

#[test]
fn nothing_is_told_of_flows_that_are_not_the_digests() {
    let run = runs::rich();
    let digest = Digest { flows: vec![run.flows[1].name.clone()], ..fixture::plain(&run) };
    let brief = told(&run, &digest);
    let everything = format!("{brief:?}");
    for secret in ["order-paid", "points\"", "stuck-1", "sms", "wiki.example.test", "9007199254740993"] {
        assert!(!everything.contains(secret), "{secret} in {everything}");
    }
    assert_eq!((brief.top.total, brief.acked), (0, None));
    assert_eq!(
        brief.rerun.as_deref(),
        Some(
            "msgrecon -c /etc/msgrecon/shop.toml run --from 2026-11-01T04:00:00Z --until 2026-11-02T05:00:00Z \
             --flow $'orders\\015\\012Bcc: x@example.test'"
        )
    );
}

#[test]
fn an_alert_is_a_line_and_says_what_to_do() {
    let run = runs::rich();
    let brief = told(&run, &fixture::rich(&run));
    assert_eq!(
        brief.lines[0].text,
        "New alert: order-paid → points: missing 8 (1.62 %) · bound 0.1 % (failure) · 8 came since the last message · \
         since 2026-11-01 20:00 -05:00"
    );
    assert_eq!(brief.lines[0].remedy.as_deref(), Some(Kind::Missing.info().remedy));
    assert_eq!(brief.lines[0].runbook.as_deref(), Some("https://wiki.example.test/order-paid?a=1&b=2"));
    assert_eq!(brief.lines[3].remedy, None, "what is well needs nothing");
    assert_eq!(brief.silenced, 1);
    assert!(brief.firing[3].silenced.as_deref().unwrap().ends_with(": migration <b>of</b> the relay"));
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let run = runs::many(1_234);
    let cut = told(&run, &fixture::plain(&run)).top.cut(20);
    assert_eq!(cut.shown(), "20 of 1,234");
    assert_eq!(cut.groups.iter().map(|group| group.listed.len()).sum::<usize>(), 20);
}

#[test]
fn no_text_has_a_control_character() {
    let run = runs::rich();
    let brief = told(&run, &fixture::rich(&run));
    // What `visible` wrote out has a backslash, which `Debug` doubles.
    let texts = format!("{brief:?}").replace("\\\\", "");
    assert!(!["\\n", "\\r", "\\t", "\\u{"].iter().any(|one| texts.contains(one)), "{texts}");
    assert!(!brief.subject.chars().any(char::is_control));
}
