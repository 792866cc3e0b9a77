//! Short functions, short files.

use super::{files, relative, root};

const FUNCTION_MAX: usize = 60;
const FUNCTION_USUAL_MAX: usize = 45;
const FILE_MAX: usize = 400;

/// Name and length of each function: from its `fn` to the brace at the same depth, by the indentation that rustfmt gives.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<_> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let begins = [
            "fn ",
            "pub fn ",
            "async fn ",
            "pub async fn ",
            "const fn ",
            "pub const fn ",
            "pub(super) fn ",
            "pub(super) async fn ",
        ];
        let Some(rest) = begins.iter().find_map(|begin| code.strip_prefix(begin)) else { continue };
        let closing = format!("{}}}", " ".repeat(indent));
        let end =
            if line.ends_with('}') { Some(0) } else { lines[at..].iter().position(|line| *line == closing) };
        let name = rest.split(['(', '<']).next().unwrap_or_default().to_owned();
        found.extend(end.map(|length| (name, length + 1)));
    }
    found
}

#[test]
fn functions_are_short() {
    let mut all = Vec::new();
    for path in files(&root().join("src"), "rs").into_iter().chain(files(&root().join("tests"), "rs")) {
        let text = std::fs::read_to_string(&path).unwrap();
        all.extend(
            functions(&text)
                .into_iter()
                .map(|(name, length)| (length, format!("{} {name}", relative(&path)))),
        );
    }
    all.sort();
    assert!(all.len() > 200, "only {} functions were found: the search is broken", all.len());
    let long: Vec<_> = all.iter().filter(|(length, _)| *length > FUNCTION_MAX).collect();
    assert!(long.is_empty(), "longer than {FUNCTION_MAX} lines: {long:?}");
    let (median, p95) = (all[all.len() / 2].0, all[all.len() * 95 / 100].0);
    assert!(median <= 12 && p95 <= FUNCTION_USUAL_MAX, "median {median}, 95 % up to {p95}");
}

#[test]
fn files_are_short() {
    let long: Vec<_> = files(&root().join("src"), "rs")
        .into_iter()
        .map(|path| (std::fs::read_to_string(&path).unwrap().lines().count(), relative(&path)))
        .filter(|(lines, _)| *lines > FILE_MAX)
        .collect();
    assert!(long.is_empty(), "longer than {FILE_MAX} lines: {long:?}");
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["todo!(", "unimplemented!(", concat!("FIX", "ME"), concat!("#[ig", "nore")];
    for path in files(&root().join("src"), "rs").into_iter().chain(files(&root().join("tests"), "rs")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in words {
            let left = text.lines().find(|line| line.contains(word) && !line.contains("let words"));
            assert_eq!(left, None, "{}", relative(&path));
        }
    }
}
