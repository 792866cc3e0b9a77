//! Amounts of memory.

/// What a run may take of memory unless somebody says otherwise, in bytes.
pub const DEFAULT: u64 = 256 * 1024 * 1024;
/// Less does not hold the program and its connections.
pub const LEAST: u64 = 64 * 1024 * 1024;

/// An amount of memory: `256MiB`, `1GiB`. `None` for anything else.
#[must_use]
pub fn parse(text: &str) -> Option<u64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "kib" | "k" => 10,
        "mib" | "m" => 20,
        "gib" | "g" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_need_a_unit() {
        assert_eq!(parse("256MiB"), Some(DEFAULT));
        assert_eq!(parse("1 g"), Some(1 << 30));
        for wrong in ["", "256", "MiB", "1TB", "-1MiB", "99999999999999999999k", "18446744073709551615k"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
