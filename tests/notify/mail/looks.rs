//! What the pictures in `golden/` are made from. `MSGRECON_TEST_LOOKS=DIR` writes the pages there.

use super::sent::Sent;
use super::{default_mail, runs, written};
use msgrecon::config::notify::Mail;
use msgrecon::language::Language;
use msgrecon::model::{Digest, Occasion, Run};

/// The limit of Gmail is about 102 KB.
const HTML_MAX: usize = 80_000;

fn inputs() -> Vec<(&'static str, Run, Digest)> {
    let (rich, many, quiet) =
        (runs::rich(), runs::missing("order-paid", "points", &runs::ids(1_234)), runs::quiet());
    let mut well = runs::quiet();
    well.flows[0].life.as_mut().unwrap().resolved = 13;
    let digests = [
        runs::rich_alarm(&rich),
        runs::alarm(&many),
        runs::report(&quiet, Occasion::AllQuiet),
        runs::resolved(&well),
    ];
    let names = ["rich", "many", "quiet", "resolved"];
    let all = names.into_iter().zip([rich, many, quiet, well]).zip(digests);
    all.map(|((name, run), digest)| (name, run, digest)).collect()
}

#[test]
fn every_page_is_complete_and_short_enough() {
    let folder = std::env::var_os("MSGRECON_TEST_LOOKS");
    for (name, run, digest) in inputs() {
        for language in [Language::En, Language::ZhCn] {
            let raw = written(&Mail { language, ..default_mail() }, &run, &digest);
            let html = Sent::read(&raw).html();
            assert!(html.len() <= HTML_MAX, "{name}: {}", html.len());
            let tag = format!("<html lang=\"{}\">", language.name());
            assert!(html.contains(&tag) && html.trim_end().ends_with("</html>"), "{name}");
            if let Some(folder) = &folder {
                let file = std::path::Path::new(folder).join(format!("{name}-{}.html", language.name()));
                std::fs::write(file, html).unwrap();
            }
        }
    }
}

#[test]
fn status_and_numbers_come_first() {
    let firsts: Vec<_> = inputs()
        .into_iter()
        .map(|(_, run, digest)| {
            let raw = written(&default_mail(), &run, &digest);
            let sent = Sent::read(&raw);
            let html = sent.html();
            let preheader =
                html.split("color:#eef1f4;\">").nth(2).unwrap().split('<').next().unwrap().to_owned();
            (sent.subject().to_owned(), preheader)
        })
        .collect();
    insta::assert_debug_snapshot!(firsts);
}
