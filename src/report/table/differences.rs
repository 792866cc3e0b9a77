//! The part that repeats for each kind of difference.

use super::super::Options;
use super::super::facts::{Group, life};
use super::super::text::{self, exact, fill, local};
use super::{TEXT_MAX, name, tinted};
use crate::model::{Difference, Outcome, Run, Status, Verdict};

/// The differences of one kind: what it means, what to do, and the first of them.
pub(super) fn group_lines(group: &Group<'_>, run: &Run, options: Options) -> Vec<String> {
    let (info, width) = (group.kind.info(), usize::from(options.width));
    let mut lines = vec![
        format!("{}: {}, showing {} of {}", info.name, group.total, group.shown.len(), group.total),
        fill(info.meaning, 2, width),
        fill(&format!("What to do: {}", info.remedy), 2, width),
    ];
    let kept = life::is_kept(run);
    let line = |one: &&Difference| {
        let margin = if kept { margin(one.status, options) } else { String::new() };
        format!("    {margin}{}", difference_parts(one, run).join(" · "))
    };
    lines.extend(group.shown.iter().map(line));
    lines
}

/// Before the ids, where no id can stand: new ones catch the eye.
fn margin(status: Status, options: Options) -> String {
    match status {
        Status::New => {
            format!("{} ", tinted(life::mark(status), Verdict::Warn, Outcome::Differences, options))
        }
        _ => "    ".to_owned(),
    }
}

fn difference_parts(difference: &Difference, run: &Run) -> Vec<String> {
    let id = difference
        .id
        .as_ref()
        .map_or_else(|| "(no usable id)".to_owned(), |id| exact(&id.to_string(), TEXT_MAX));
    let flow = name(&difference.flow);
    let consumer = difference.consumer.as_deref().map(|consumer| format!("{flow} at {}", name(consumer)));
    let mut parts = vec![id, consumer.unwrap_or_else(|| format!("producer of {flow}"))];
    parts.extend(difference.window_from.map(|from| format!("window {}", local(from, run.time_zone))));
    parts.extend(difference.age.map(|age| format!("age {}", text::age(age))));
    if !difference.detail.is_empty() {
        parts.push(exact(&difference.detail, 2 * TEXT_MAX));
    }
    parts.extend(known(difference, run));
    parts
}

/// What the ledger knows of a difference that is not simply new.
fn known(difference: &Difference, run: &Run) -> Vec<String> {
    let since = local(difference.first_seen, run.time_zone);
    let status = match difference.status {
        Status::New => None,
        Status::Open => Some(format!("{} since {since}", life::mark(Status::Open))),
        status => Some(life::mark(status).to_owned()),
    };
    let found = difference.after_first_check.then(|| life::FOUND_LATER.to_owned());
    let told = status.into_iter().chain(found).collect();
    if life::is_kept(run) { told } else { Vec::new() }
}

/// Said where the list does not hold them all.
pub(super) fn cut_list(run: &Run) -> Vec<String> {
    let (listed, total) = (run.differences.len() as u64, run.differences_total);
    let line =
        format!("The list of differences was cut: the files hold {listed} of {total}. The counts are whole.");
    if listed < total { vec![line] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    #[test]
    fn only_a_ledger_tells_new_from_old() {
        let mut run = fixture::rich();
        let told = |run: &Run| run.differences.iter().map(|one| known(one, run).len()).sum::<usize>();
        assert_eq!(told(&run), 5, "two open, one acknowledged, one settled, one found late");
        let options = Options { colour: true, ..Options::default() };
        assert_eq!(margin(Status::New, options), "\u{1b}[1;33mnew\u{1b}[0m ");
        run.flows.iter_mut().for_each(|flow| flow.life = None);
        assert_eq!(told(&run), 0);
        let groups = super::super::facts::groups(&run, 10);
        let lines = group_lines(&groups[0], &run, Options::default());
        assert!(
            lines[3..].iter().all(|line| line.starts_with("    ") && !line.starts_with("    new ")),
            "{lines:?}"
        );
    }
}
