//! Lines of text in which some characters take two columns of a terminal and may be parted without a blank.

/// No line begins with one of these.
const CLOSING: &str = "，。；：、！？）》」』”’,.;:!?)";
/// No line ends in one of these.
const OPENING: &str = "（《「『“‘(";

/// How many columns of a terminal the text takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(is_wide(c))).sum()
}

/// Chinese characters and their punctuation.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}')
}

/// A last line that is no longer than this looks lost.
const LOST: usize = 6;

/// `text` in lines of at most `width` columns, each behind `indent` blanks: broken at blanks and beside Chinese characters,
/// and never where a line would begin with a comma. Lines may be a little shorter, so that none has one character alone.
pub fn fill(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(2);
    let good = |lines: &Vec<String>| lines.len() < 2 || lines.last().is_some_and(|last| columns(last) > LOST);
    let tried = (0..=LOST).map(|less| broken(text, room.saturating_sub(less).max(2)));
    let lines = tried.into_iter().find(good).unwrap_or_else(|| broken(text, room));
    let blanks = " ".repeat(indent);
    lines.iter().map(|line| format!("{blanks}{line}")).collect::<Vec<_>>().join("\n")
}

fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in pieces(text) {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() || columns(line) + columns(piece.trim_end()) <= room {
            line.push_str(piece);
        } else {
            lines.push(piece.to_owned());
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// What is never parted: a word with the blanks behind it, a Chinese character with the punctuation around it.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let parted = chars.peek().is_some_and(|(_, next)| may_part(c, *next));
        if parted {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn may_part(before: char, after: char) -> bool {
    let beside = is_wide(before) || is_wide(after) || before == ' ';
    beside && after != ' ' && !CLOSING.contains(after) && !OPENING.contains(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_chinese_allows_it() {
        assert_eq!(columns("重复 two，"), 10);
        assert_eq!(fill("重复的消息，在 grace 内。", 2, 12), "  重复的消\n  息，在\n  grace 内。");
        assert_eq!(fill("（甲）乙", 0, 6), "（甲）\n乙");
        assert_eq!(fill("ab cd", 0, 3), "ab\ncd");
        assert_eq!(fill("", 2, 10), "  ");
        assert_eq!(fill("消费端没有提交事务。", 0, 18), "消费端没有提\n交事务。");
    }

    #[test]
    fn no_line_begins_with_a_closing_mark_or_is_too_wide() {
        let text = "消息中间件确认这条消息的时间早于 `grace`（宽限期），而消费端既没有消费记录，也没有死信。";
        for width in 12..60 {
            for line in fill(text, 0, width).lines() {
                assert!(columns(line) <= width, "{line}");
                assert!(!line.starts_with(|c| CLOSING.contains(c)), "{line}");
            }
        }
    }
}
