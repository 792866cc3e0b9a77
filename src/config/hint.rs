//! "Did you mean": the known word nearest to one that is not known.

/// Longer words are no misspellings of ours, and comparing them takes time.
const WORD_CHARS_MAX: usize = 64;

/// The known word that differs from `word` by a slip of the fingers, if there is one.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.chars().count() > WORD_CHARS_MAX {
        return None;
    }
    let word = word.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&word, &known.to_lowercase());
    let slips = (word.chars().count() / 3).max(1);
    let (distance, nearest) = known.into_iter().map(|known| (distance(known), known)).min()?;
    (distance <= slips).then_some(nearest)
}

/// The zone that was meant: nearly its whole name, or the city alone.
pub(super) fn nearest_zone(word: &str) -> Option<&'static str> {
    let names = || chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    let city =
        |name: &&'static str| name.rsplit('/').next().is_some_and(|city| city.eq_ignore_ascii_case(word));
    names().find(city).or_else(|| nearest(word, names()))
}

/// `unknown encoding "uid", did you mean uuid; known: …`. `shown` is the word as it may be shown.
pub(super) fn unknown(what: &str, shown: &str, word: &str, known: &[&str]) -> String {
    let meant = nearest(word, known.iter().copied());
    let meant = meant.map(|meant| format!(", did you mean {meant}")).unwrap_or_default();
    let listed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("unknown {what} {shown}{meant}; known: {listed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slips_get_a_hint() {
        let known = ["window", "grace", "id"];
        let cases =
            [("widnow", Some("window")), ("Grace", Some("grace")), ("di", Some("id")), ("offset", None)];
        for (word, meant) in cases {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(10_000), known), None);
    }

    #[test]
    fn zones_are_found_by_their_city() {
        assert_eq!(nearest_zone("shanghai"), Some("Asia/Shanghai"));
        assert_eq!(nearest_zone("Asia/Shangai"), Some("Asia/Shanghai"));
        assert_eq!(nearest_zone("Middle/Earth"), None);
    }
}
