use super::page::Extra;
use super::render::{Bodies, HTML_MAX, bodies};
use crate::language::Language;
use crate::model::life::TrendPoint;
use crate::model::{Digest, Run};
use crate::notify::brief::{brief, part};
use crate::notify::fixture;
use crate::report::fixture as runs;
use std::path::Path;

fn rendered(run: &Run, digest: &Digest, language: Language, templates: Option<&Path>) -> Bodies {
    let brief = brief(run, digest, &fixture::around(run), language);
    let extra = Extra { attachment: None, note: None };
    bodies(&brief, &part(run, digest), &extra, 20, templates).unwrap()
}

fn quiet() -> (Run, Digest) {
    let mut run = runs::balanced();
    run.flows[0].life = runs::rich().flows[0].life.clone().map(|mut life| {
        (life.new, life.still_open, life.acknowledged, life.expired, life.due) = (0, 0, 0, 0, 0);
        life.days.iter_mut().for_each(|day| *day = TrendPoint { complete: true, lost: 0, other: 0, ..*day });
        life
    });
    let digest = fixture::plain(&run);
    (run, digest)
}

#[test]
fn a_rich_mail_reads_like_this() {
    let run = runs::rich();
    insta::assert_snapshot!(rendered(&run, &fixture::rich(&run), Language::En, None).text);
}

#[test]
fn a_rich_mail_reads_like_this_in_chinese() {
    let run = runs::rich();
    insta::assert_snapshot!(rendered(&run, &fixture::rich(&run), Language::ZhCn, None).text);
}

#[test]
fn a_mail_of_a_quiet_day_reads_like_this() {
    let (run, digest) = quiet();
    insta::assert_snapshot!(rendered(&run, &digest, Language::En, None).text);
}

/// What stands between `<` and `>`: the names of elements, in order of the alphabet.
fn elements(html: &str) -> Vec<String> {
    let mut names: Vec<_> = html
        .split('<')
        .skip(1)
        .map(|rest| {
            rest.trim_start_matches('/').split([' ', '>', '\n']).next().unwrap_or_default().to_owned()
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn nothing_of_the_data_is_markup() {
    let run = runs::rich();
    for language in [Language::En, Language::ZhCn] {
        let html = rendered(&run, &fixture::rich(&run), language, None).html;
        let known = [
            "!DOCTYPE", "a", "b", "body", "div", "head", "html", "meta", "span", "style", "table", "td",
            "title", "tr",
        ];
        assert_eq!(elements(&html), known);
        assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"));
        assert!(!html.contains('\u{1b}') && !html.contains("url(") && !html.contains("flex"), "{html}");
        assert!(html.is_char_boundary(HTML_MAX.min(html.len())));
    }
}

#[test]
fn no_mail_is_too_long_and_every_cut_list_is_counted() {
    let mut run = runs::many(20_000);
    run.flows = (0..400)
        .map(|number| {
            let mut flow = run.flows[0].clone();
            flow.name = format!("flow {number} {}", "<长名字&>".repeat(30));
            flow
        })
        .collect();
    run.differences.iter_mut().for_each(|one| one.detail = "<&\u{1b}>".repeat(60));
    let mut digest = fixture::rich(&run);
    digest.notices = (0..500).map(|place| digest.notices[place % 4].clone()).collect();
    digest.firing = (0..500).map(|place| digest.firing[place % 4].clone()).collect();
    for language in [Language::En, Language::ZhCn] {
        let bodies = rendered(&run, &digest, language, None);
        assert!(bodies.html.len() <= HTML_MAX, "{}", bodies.html.len());
        assert!(bodies.text.len() <= HTML_MAX, "{}", bodies.text.len());
        assert!(bodies.html.ends_with("</html>\n"));
        let more = if language == Language::En { "… and 1," } else { "……另有 1," };
        assert!(bodies.text.contains(more), "{}", bodies.text);
    }
}

#[test]
fn templates_of_the_user_take_the_place_of_our_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("mail.html.j2"),
        "<p>{{ head.status }} {{ top.groups[0].listed[0].id }}",
    )
    .unwrap();
    let run = runs::rich();
    let bodies = rendered(&run, &fixture::rich(&run), Language::En, Some(folder.path()));
    assert_eq!(bodies.html, "<p>FAIL 9007199254740993");
    assert!(bodies.text.starts_with("FAIL · Failed\n"));
    let mut hostile = run.clone();
    hostile.differences.retain(|one| one.id.as_ref().is_some_and(|id| id.to_string().starts_with("<img")));
    let bodies = rendered(&hostile, &fixture::rich(&hostile), Language::En, Some(folder.path()));
    assert_eq!(bodies.html, "<p>FAIL &lt;img src=x onerror=alert(1)&gt;");
}

#[test]
fn a_template_that_is_broken_is_left_aside_and_the_mail_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = runs::rich();
    let broken =
        ["{{ head.nothing }}", "{% for %}", "{% for one in range(9000) %}{{ head.subject }}{% endfor %}"];
    for text in broken {
        std::fs::write(folder.path().join("mail.txt.j2"), text).unwrap();
        let bodies = rendered(&run, &fixture::rich(&run), Language::En, Some(folder.path()));
        assert!(bodies.text.contains("The template mail.txt.j2 is not used: "), "{}", bodies.text);
        assert!(bodies.html.contains("<!DOCTYPE html>"));
    }
}
