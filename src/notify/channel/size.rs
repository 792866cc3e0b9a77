//! How much of a message a service takes.

use crate::report::text::grouped;

/// How much is shown. Whatever is left out is counted where it would stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Of alerts, problems and flows.
    pub lines: usize,
    /// Of differences.
    pub differences: usize,
    /// Characters of one text.
    pub chars: usize,
}

/// From much to little.
const SIZES: [Size; 8] = [
    Size { lines: 50, differences: 20, chars: 2_000 },
    Size { lines: 20, differences: 20, chars: 1_000 },
    Size { lines: 20, differences: 10, chars: 600 },
    Size { lines: 10, differences: 5, chars: 400 },
    Size { lines: 5, differences: 3, chars: 300 },
    Size { lines: 3, differences: 1, chars: 200 },
    Size { lines: 1, differences: 0, chars: 120 },
    Size::LEAST,
];

impl Size {
    /// What every service has room for.
    pub const LEAST: Self = Self { lines: 0, differences: 0, chars: 60 };

    /// The most that fits of what `make` makes; the least, where nothing does.
    pub fn fit<T>(make: impl Fn(Self) -> T, fits: impl Fn(&T) -> bool) -> T {
        for size in SIZES {
            let message = make(size);
            if fits(&message) {
                return message;
            }
        }
        make(Self::LEAST)
    }

    /// A text of this size's length.
    pub fn clip(self, text: &str) -> String {
        clip(text, self.chars, |_| 1)
    }
}

/// `text` if `measure` makes it no longer than `max`, or its beginning with the number of characters that were left out:
/// `beginning … (+1,234)`. It is cut between characters, and is a little shorter than `max` then.
pub(super) fn clip(text: &str, max: usize, measure: fn(char) -> usize) -> String {
    if text.chars().map(measure).sum::<usize>() <= max {
        return text.to_owned();
    }
    // Room for the longest number.
    let room = max.saturating_sub(20);
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += measure(*c);
            used <= room
        })
        .collect();
    let left = text.chars().count() - kept.chars().count();
    format!("{} … (+{})", kept.trim_end(), grouped(i64::try_from(left).unwrap_or(i64::MAX)))
}

/// Characters as services that are written in JavaScript or Java count them.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_says_what_it_left_out() {
        assert_eq!(clip("short", 5, |_| 1), "short");
        assert_eq!(clip(&"a".repeat(1_300), 120, |_| 1), format!("{} … (+1,200)", "a".repeat(100)));
        assert_eq!(clip(&"😀".repeat(50), 100, char::len_utf8), format!("{} … (+30)", "😀".repeat(20)));
    }

    #[test]
    fn the_most_that_fits_is_taken() {
        assert_eq!(Size::fit(|size| size, |size| size.lines < 20).differences, 5);
        assert_eq!(Size::fit(|size| size, |_| false), Size::LEAST);
    }

    proptest! {
        #[test]
        fn no_cut_is_longer_than_allowed(text in any::<String>(), max in 30_usize..200) {
            let cut = clip(&text, max, char::len_utf8);
            prop_assert!(cut.len() <= max + 2, "{} {max}", cut.len());
        }
    }
}
