//! What a scheduled run would do for a flow, as `plan` tells it.

use crate::config::Flow;
use crate::model::Window;
use crate::model::time::human;
use crate::model::window::label;
use crate::reconcile::Outlook;
use crate::report::text::plural;
use chrono_tz::Tz;
use std::fmt::Write as _;

/// The lines of a flow up to its rules: where it begins, up to where it is judged, what is due, what is looked at again.
#[must_use]
pub fn text(flow: &Flow, outlook: &Outlook, windows_max: usize, zone: Tz) -> String {
    let begun = outlook.begun;
    let new = if outlook.is_new { "  (no scheduled run has judged it yet)" } else { "" };
    let mut text = format!(
        "\nflow     {}\nbegin    {}{new}\njudged   until {}\n",
        flow.name,
        label(begun.begin, zone),
        label(begun.watermark, zone)
    );
    let due = spanned(&outlook.due, zone);
    let _ =
        writeln!(text, "due      {} of {}{due}", plural(count(&outlook.due), "window"), human(flow.window));
    let known = |window: &&Window| !outlook.due.contains(window);
    let again: Vec<_> = outlook.agenda.windows.iter().filter(known).copied().collect();
    let judged = spanned(&again, zone);
    let _ = writeln!(text, "again    {} that were judged before{judged}", plural(count(&again), "window"));
    if outlook.agenda.left > 0 {
        let left = plural(outlook.agenda.left as u64, "window");
        let _ = writeln!(text, "limit    {windows_max} new windows a run: {left} wait for the next runs");
    }
    text
}

fn count(windows: &[Window]) -> u64 {
    windows.len() as u64
}

/// `: first … last`, where there are any.
fn spanned(windows: &[Window], zone: Tz) -> String {
    let (Some(first), Some(last)) = (windows.first(), windows.last()) else { return String::new() };
    format!(": {}  until  {}", label(first.0.from, zone), label(last.0.until, zone))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::flow;
    use super::*;
    use crate::ledger::Begun;
    use crate::model::time::HOUR;
    use crate::model::{Micros, Span};
    use crate::schedule::Agenda;

    fn windows(hours: std::ops::Range<i64>) -> Vec<Window> {
        let at = |hour: i64| Micros(1_772_409_600_000_000 + hour * HOUR);
        hours.map(|hour| Window(Span::new(at(hour), at(hour + 1)))).collect()
    }

    #[test]
    fn what_is_due_and_what_is_looked_at_again_are_told_apart() {
        let all = windows(0..9);
        let begun = Begun { begin: all[0].0.from, watermark: all[6].0.from };
        let agenda = Agenda { windows: all.clone(), new: 3, left: 0 };
        let known = Outlook { begun, is_new: false, agenda, due: all[6..].to_vec() };
        let begun = Begun { watermark: begun.begin, ..begun };
        let agenda = Agenda { windows: all[..2].to_vec(), new: 2, left: 7 };
        let new = Outlook { begun, is_new: true, agenda, due: all[..2].to_vec() };
        let nothing = Outlook { agenda: Agenda::default(), due: Vec::new(), ..known.clone() };
        let told = |one: &Outlook, max| text(&flow(), one, max, chrono_tz::Asia::Shanghai);
        insta::assert_snapshot!([told(&known, 1_000), told(&new, 2), told(&nothing, 1_000)].concat());
    }
}
