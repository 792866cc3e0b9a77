//! A message as paragraphs of lines, for services that show text.

use super::letter::Letter;
use super::markup::{self, Markup};
use super::size::Size;
use crate::language::Language;
use crate::notify::brief::{Group, Line};
use crate::report::text::grouped;

/// A message without its title, most important first; no paragraph is empty.
pub(super) fn paragraphs(letter: &Letter<'_>, markup: &Markup, size: Size) -> Vec<String> {
    let page = Page { letter, markup, size, say: letter.brief.language };
    let all = [page.head(), page.alerts(), page.state(), page.differences(), page.close()];
    let all = all.into_iter().filter(|lines| !lines.is_empty());
    all.map(|lines| lines.join(markup.line_end)).collect()
}

struct Page<'a> {
    letter: &'a Letter<'a>,
    markup: &'a Markup,
    size: Size,
    say: Language,
}

impl Page<'_> {
    fn plain(&self, text: &str) -> String {
        (self.markup.plain)(&self.size.clip(text))
    }

    fn bold(&self, text: &str) -> String {
        (self.markup.bold)(&self.plain(text))
    }

    /// `Alerts: 3 of 7`, or the name alone where all are shown.
    fn title(&self, name: &str, shown: usize, total: usize) -> String {
        let name = self.say.text(name);
        if shown == total {
            return self.bold(name);
        }
        let of = self.say.fill("{0} of {1}", &[&count(shown), &count(total)]);
        self.bold(&self.say.fill("{0}: {1}", &[name, &of]))
    }

    fn head(&self) -> Vec<String> {
        let brief = &self.letter.brief;
        let mut lines = vec![self.bold(&brief.headline), self.plain(&brief.span)];
        if self.letter.is_test() {
            lines.push(self.plain(self.say.text("This message only shows that messages arrive.")));
        }
        lines
    }

    /// What happened to alerts; where nothing did, what fires.
    fn alerts(&self) -> Vec<String> {
        let brief = &self.letter.brief;
        let firing: Vec<_> = brief.firing.iter().filter(|line| line.silenced.is_none()).collect();
        let (name, all) = if brief.lines.is_empty() {
            ("Alerts that fire", firing.clone())
        } else {
            ("What happened to alerts", brief.lines.iter().collect())
        };
        let mut lines = Vec::new();
        if !all.is_empty() {
            lines.push(self.title(name, all.len().min(self.size.lines), all.len()));
            lines.extend(all.iter().take(self.size.lines).flat_map(|line| self.alert(line)));
        }
        let known = [count(firing.len()), grouped(brief.silenced.cast_signed())];
        if !brief.firing.is_empty() {
            lines.push(self.plain(&self.say.fill("Firing: {0}, silenced: {1}", &[&known[0], &known[1]])));
        }
        lines
    }

    fn alert(&self, line: &Line) -> Vec<String> {
        let mut lines = vec![format!("• {}", self.plain(&line.text))];
        lines.extend(line.remedy.as_deref().map(|remedy| self.plain(remedy)));
        let label = self.plain(self.say.text("What to do (runbook)"));
        // A link that was cut leads nowhere.
        let runbook = line.runbook.as_deref().filter(|link| link.chars().count() <= self.size.chars);
        lines.extend(runbook.map(|link| self.markup.linked(&label, link)));
        lines
    }

    /// What changed since the last run, and what could not be judged.
    fn state(&self) -> Vec<String> {
        let brief = &self.letter.brief;
        let changes: Vec<_> = brief.changes.iter().map(|change| change.text.as_str()).collect();
        let mut lines = Vec::new();
        if !changes.is_empty() {
            let changes = changes.join(self.say.text(", "));
            let compared = brief.compared.as_deref().unwrap_or_default();
            lines.push(self.plain(&self.say.fill("{0}, {1}", &[&changes, compared])));
        }
        if !brief.coverage.complete {
            let problems = &brief.coverage.problems;
            lines.push(self.bold(&brief.coverage.text));
            if problems.len() > self.size.lines {
                lines.push(self.title("Problems", self.size.lines, problems.len()));
            }
            lines.extend(problems.iter().take(self.size.lines).map(|one| format!("• {}", self.plain(one))));
        }
        lines
    }

    fn differences(&self) -> Vec<String> {
        let top = self.letter.brief.top.cut(self.size.differences);
        if top.total == 0 {
            return Vec::new();
        }
        let title = self.say.fill("{0}: {1}", &[self.say.text("Differences"), &top.shown()]);
        let mut lines = vec![self.bold(&title)];
        let shown = top.groups.iter().filter(|group| !group.listed.is_empty());
        lines.extend(shown.flat_map(|group| self.group(group)));
        lines
    }

    fn group(&self, group: &Group) -> Vec<String> {
        let title = self.say.fill("{0}: {1}", &[&group.word, &group.shown(self.say)]);
        let mut lines = vec![self.plain(&title)];
        lines.extend(group.listed.iter().map(|one| {
            let id = (!one.id.is_empty()).then(|| (self.markup.code)(&self.size.clip(&one.id)));
            let rest = [&one.place, &one.detail].map(|text| self.plain(text));
            let words = id.into_iter().chain(rest.into_iter().filter(|text| !text.is_empty()));
            format!("• {}", words.collect::<Vec<_>>().join(" · "))
        }));
        lines
    }

    /// How to judge it again, and where everything stands.
    fn close(&self) -> Vec<String> {
        let brief = &self.letter.brief;
        let mut lines = Vec::new();
        // A command that was cut, or in which markup was replaced, does something else.
        let whole = |command: &&str| {
            command.chars().count() <= self.size.chars && markup::plain(command) == **command
        };
        let rerun = brief.rerun.as_deref().filter(whole);
        if let Some(command) = rerun.filter(|_| self.size != Size::LEAST) {
            let name = self.plain(self.say.text("To judge it again"));
            lines.push(self.say.fill("{0}: {1}", &[&name, &(self.markup.code)(command)]));
        }
        lines.push(self.plain(&brief.report));
        lines.push(self.plain(&self.say.fill("run {0}, as of {1}", &[&brief.run, &brief.as_of])));
        lines
    }
}

fn count(number: usize) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}
