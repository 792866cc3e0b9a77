//! The templates: our own, or files of the user that take their place.

use super::page::{Extra, Room, page};
use crate::language::Language;
use crate::model::Run;
use crate::notify::NotDelivered;
use crate::notify::brief::Brief;
use crate::report::text::{fill, fill_parts, visible};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior};
use std::path::Path;

/// Gmail shows about 102 KB of a mail and hides the rest.
pub(super) const HTML_MAX: usize = 80_000;
/// Lists are halved so many times before a template is said to be too long.
const STEPS: u32 = 8;
/// Columns of the text.
const WIDTH: usize = 78;

/// `.html.j2` makes the engine escape everything.
const HTML: (&str, &str) = ("mail.html.j2", include_str!("mail.html.j2"));
const TEXT: (&str, &str) = ("mail.txt.j2", include_str!("mail.txt.j2"));

/// A mail's two bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bodies {
    /// For readers that show no HTML.
    pub text: String,
    /// At most [`HTML_MAX`] bytes.
    pub html: String,
}

/// Renders both bodies. Templates in `folder` go before our own; one that cannot be used is left aside, and the mail and
/// the log say so.
pub(super) fn bodies(
    brief: &Brief,
    run: &Run,
    extra: &Extra,
    top: usize,
    folder: Option<&Path>,
) -> Result<Bodies, NotDelivered> {
    let mut extra = extra.clone();
    let theirs = [HTML.0, TEXT.0].map(|name| folder.and_then(|folder| theirs(folder, name)));
    let mut rendered = [None, None];
    for ((own, theirs), out) in [HTML, TEXT].into_iter().zip(theirs).zip(&mut rendered) {
        let tried =
            theirs.map(|theirs| theirs.and_then(|text| fitting(brief, run, &extra, top, (own.0, &text))));
        match tried {
            Some(Ok(text)) => *out = Some(text),
            Some(Err(wrong)) => extra.note = Some(told(own.0, &wrong, brief.language)),
            None => {}
        }
    }
    let ours = |one: Option<String>, own| one.map_or_else(|| fitting(brief, run, &extra, top, own), Ok);
    let fault =
        |wrong| NotDelivered::for_good(format!("the mail cannot be rendered: {wrong}; please report this"));
    let [html, text] = rendered;
    Ok(Bodies { html: ours(html, HTML).map_err(fault)?, text: ours(text, TEXT).map_err(fault)? })
}

/// A template of the user's; `None` where there is none.
fn theirs(folder: &Path, name: &str) -> Option<Result<String, String>> {
    match std::fs::read_to_string(folder.join(name)) {
        Ok(text) => Some(Ok(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(format!("cannot be read: {error}"))),
    }
}

fn told(name: &str, wrong: &str, language: Language) -> String {
    let wrong = visible(wrong);
    tracing::warn!("mail template {name} is not used: {wrong}");
    language.fill("The template {0} is not used: {1}", &[name, &wrong])
}

/// Renders with ever less in it until it fits.
fn fitting(
    brief: &Brief,
    run: &Run,
    extra: &Extra,
    top: usize,
    template: (&str, &str),
) -> Result<String, String> {
    let environment = environment(brief.language, template).map_err(|error| first_line(&error))?;
    for step in 0..STEPS {
        let page = page(brief, run, extra, Room::step(top, step));
        let rendered = environment.get_template(template.0).and_then(|one| one.render(page));
        let text = rendered.map_err(|error| first_line(&error))?;
        if text.len() <= HTML_MAX {
            return Ok(text);
        }
    }
    Err(format!("it gives more than {HTML_MAX} bytes"))
}

/// What is wrong and where, without the excerpt that follows.
fn first_line(error: &minijinja::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn environment<'a>(
    language: Language,
    (name, text): (&'a str, &'a str),
) -> Result<Environment<'a>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?,
    );
    environment.add_function("t", move |text: String| language.text(&text).to_owned());
    environment.add_function("tf", move |text: String, value: String| language.fill(&text, &[&value]));
    environment.add_filter("wrap", |text: String, indent: usize| fill(&text, indent, WIDTH));
    environment.add_filter("parts", |parts: Vec<String>, indent: usize| fill_parts(&parts, indent, WIDTH));
    environment.add_filter("heading", |text: String| underlined(&text));
    environment.add_template(name, text)?;
    Ok(environment)
}

/// A heading of the text, with a line below it that is as wide.
fn underlined(text: &str) -> Value {
    let width: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    Value::from(format!("{text}\n{}", "-".repeat(width)))
}
