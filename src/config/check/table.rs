//! Names of tables, and the shards behind `event_{00..15}`.

use crate::config::Table;
use crate::config::tree::{Item, Section};
use std::collections::BTreeSet;

/// A source is read shard by shard; more tables than this are a slip in a range.
const TABLES_MAX: usize = 4096;

/// `table` or `tables`, one of which must be set.
pub(super) fn tables(section: &Section<'_>) -> Option<Vec<Table>> {
    if section.item("table").is_none() && section.item("tables").is_none() {
        return section.missing("table", "is missing; give `table` or `tables`");
    }
    section.either("table", "tables")?;
    match section.item("table") {
        Some(item) => Some(vec![table(&item)?]),
        None => section.get("tables", shards),
    }
}

/// The name of one table.
pub(super) fn table(item: &Item<'_>) -> Option<Table> {
    let text = item.text()?;
    if is_range(text) {
        return item.problem(r#"a range of tables is written `tables = ["event_{00..15}"]`"#);
    }
    name(text).map_err(|message| item.problem::<()>(message)).ok()
}

fn shards(item: &Item<'_>) -> Option<Vec<Table>> {
    let (mut tables, mut seen) = (Vec::new(), BTreeSet::new());
    let items = item.items()?;
    if items.is_empty() {
        return item.problem("is empty; at least one table is needed");
    }
    for item in items {
        let names = item.text().and_then(|text| shard_names(&item, text)).unwrap_or_default();
        if tables.len() + names.len() > TABLES_MAX {
            return item.problem(format!("makes more than {TABLES_MAX} tables"));
        }
        if let Some(twice) = names.iter().find(|name| !seen.insert((*name).clone())) {
            return item.problem(format!("names the table {twice} twice"));
        }
        tables.extend(names);
    }
    Some(tables)
}

fn shard_names(item: &Item<'_>, text: &str) -> Option<Vec<Table>> {
    let names = expand(text).and_then(|texts| texts.iter().map(|text| name(text)).collect());
    names.map_err(|message: String| item.problem::<()>(message)).ok()
}

/// `schema.table`; a part in double quotes may hold dots, and quotes where they are doubled.
fn name(text: &str) -> Result<Table, String> {
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        let (part, after) = if rest.starts_with('"') { quoted_part(rest)? } else { plain_part(rest)? };
        if part.trim().is_empty() {
            return Err("a part of the table's name is empty".to_owned());
        }
        parts.push(part);
        match after {
            Some(after) => rest = after,
            None if parts.len() > 2 => {
                return Err(r#"a table's name has at most two parts, `schema.table`; a part that holds a dot is written "in.quotes""#.to_owned());
            }
            None => return Ok(Table(parts)),
        }
    }
}

/// The part and, where a dot follows, what comes after it.
type Part<'a> = Result<(String, Option<&'a str>), String>;

fn plain_part(rest: &str) -> Part<'_> {
    let (part, after) = rest.split_once('.').map_or((rest, None), |(part, after)| (part, Some(after)));
    if part.contains('"') {
        return Err("a quote stands inside a part of the table's name; quote the whole part".to_owned());
    }
    Ok((part.to_owned(), after))
}

fn quoted_part(rest: &str) -> Part<'_> {
    let (mut part, mut rest) = (String::new(), rest.get(1..).unwrap_or_default());
    loop {
        let Some((inside, after)) = rest.split_once('"') else {
            return Err("a quote in the table's name is not closed".to_owned());
        };
        part.push_str(inside);
        match after.chars().next() {
            None => return Ok((part, None)),
            Some('.') => return Ok((part, after.get(1..))),
            Some('"') => {
                part.push('"');
                rest = after.get(1..).unwrap_or_default();
            }
            Some(_) => return Err("a dot must follow a quoted part of the table's name".to_owned()),
        }
    }
}

fn is_range(text: &str) -> bool {
    text.contains('{') && text.contains("..") && text.contains('}')
}

/// All names behind a pattern with any number of ranges.
fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let (mut names, mut rest) = (vec![String::new()], pattern);
    while let Some((before, after)) = rest.split_once('{') {
        let range = after.split_once('}').and_then(|(inside, after)| Some((numbers(inside)?, after)));
        let Some((numbers, after)) = range else {
            return Err("braces hold a range such as {00..15}".to_owned());
        };
        if numbers.is_empty() {
            return Err("a range begins with its lower end".to_owned());
        }
        if names.len().saturating_mul(numbers.len()) > TABLES_MAX {
            return Err(format!("makes more than {TABLES_MAX} tables"));
        }
        let with = |name: &String| -> Vec<String> {
            numbers.iter().map(|number| format!("{name}{before}{number}")).collect()
        };
        names = names.iter().flat_map(with).collect();
        rest = after;
    }
    for name in &mut names {
        name.push_str(rest);
    }
    Ok(names)
}

/// `00..15` as texts, as wide as the wider end if an end is written with zeros in front. One more than allowed at
/// the most, which is enough to be refused.
fn numbers(range: &str) -> Option<Vec<String>> {
    let (from, until) = range.split_once("..")?;
    let (first, last) = (number(from)?, number(until)?);
    let padded = [from, until].iter().any(|end| end.len() > 1 && end.starts_with('0'));
    let width = if padded { from.len().max(until.len()) } else { 0 };
    Some((first..=last).take(TABLES_MAX + 1).map(|number| format!("{number:0width$}")).collect())
}

fn number(text: &str) -> Option<u32> {
    let digits = text.len() <= 9 && text.chars().all(|c| c.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let cases: [(&str, &[&str]); 6] = [
            ("event", &["event"]),
            ("shop.event", &["shop", "event"]),
            (r#""cap.published""#, &["cap.published"]),
            (r#"shop."cap.published""#, &["shop", "cap.published"]),
            (r#""a""b".订单"#, &["a\"b", "订单"]),
            (r#""a"."b""#, &["a", "b"]),
        ];
        for (text, parts) in cases {
            assert_eq!(name(text).unwrap().0, parts, "{text}");
        }
    }

    #[test]
    fn broken_names_are_refused() {
        let cases = [
            ("", "is empty"),
            ("a.", "is empty"),
            (".a", "is empty"),
            (r#""""#, "is empty"),
            ("a.b.c", "at most two parts"),
            (r#"a"b"#, "quote the whole part"),
            (r#""a"#, "not closed"),
            (r#""a"b"#, "a dot must follow"),
        ];
        for (text, message) in cases {
            let found = name(text).unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
        }
    }

    #[test]
    fn ranges_keep_their_zeros() {
        let names = |pattern| expand(pattern).unwrap().join(" ");
        assert_eq!(names("e_{08..10}"), "e_08 e_09 e_10");
        assert_eq!(names("e_{8..10}"), "e_8 e_9 e_10");
        assert_eq!(names("e_{0..1}"), "e_0 e_1");
        assert_eq!(names("s{0..1}.e_{00..01}"), "s0.e_00 s0.e_01 s1.e_00 s1.e_01");
        assert_eq!(expand("e_{0000..4095}").unwrap().len(), 4096);
    }

    #[test]
    fn ranges_are_bounded() {
        let cases = [
            ("e{0..4096}", "more than 4096"),
            ("e{0..999999999}", "more than 4096"),
            ("e{0..99}{0..99}", "more than 4096"),
            ("e{5..1}", "lower end"),
            ("e{a..b}", "such as"),
            ("e{..}", "such as"),
            ("e{1..9999999999}", "such as"),
            ("e{1", "such as"),
        ];
        for (pattern, message) in cases {
            let found = expand(pattern).unwrap_err();
            assert!(found.contains(message), "{pattern}: {found}");
        }
    }
}
