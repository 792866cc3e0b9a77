//! What books write in English of what they find is said again in Chinese.

use crate::drive::{How, drive};
use crate::generate::generate;
use crate::told::pipeline;
use crate::{pipeline::Pipeline, stories};
use msgrecon::language::Language;
use std::collections::BTreeSet;

/// Evidence and hints, without the words of others behind a dead letter's colon.
fn written(pipeline: &Pipeline, seed: u64) -> impl Iterator<Item = String> {
    let finished = drive(pipeline, &How::choose(pipeline, seed)).finished;
    let evidence = finished.differences.into_iter().map(|one| one.detail).map(|detail| {
        let own = ["dead letter: ", "still open: ", "without an event: "];
        let end = own.iter().filter_map(|words| Some(detail.find(words)? + words.len())).min();
        detail[..end.unwrap_or(detail.len())].to_owned() + if end.is_some() { "9" } else { "" }
    });
    evidence.chain(finished.report.hints).filter(|text| !text.is_empty())
}

/// The first English word that another follows, outside of `…`.
fn english(text: &str) -> Option<&str> {
    let outside = text
        .split('`')
        .step_by(2)
        .flat_map(|part| part.split(|c: char| !c.is_ascii_alphabetic() && c != ' '));
    outside.map(str::trim).find(|run| run.split_whitespace().filter(|word| word.len() > 1).count() > 1)
}

#[test]
fn evidence_and_hints_are_said_again_in_chinese() {
    let stories = stories::all().into_iter().map(|(_, text)| pipeline(text).1);
    let pipelines = stories.chain((0..300).map(generate)).zip(0..);
    let texts: BTreeSet<_> = pipelines.flat_map(|(pipeline, seed)| written(&pipeline, seed)).collect();
    assert!(texts.len() > 50, "{texts:#?}");
    for text in texts {
        let said = Language::ZhCn.say_again(&text);
        assert!(said != text && english(&said).is_none(), "{text}: {said}");
    }
}
