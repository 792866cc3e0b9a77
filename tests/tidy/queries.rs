//! SQL lives in `queries/`: one question a file, the same names for every dialect, a header that says what it answers.

use super::{files, root};
use std::collections::BTreeSet;

const DIALECTS: [&str; 3] = ["sqlite", "postgres", "mysql"];

fn names(dialect: &str) -> BTreeSet<String> {
    let found = files(&root().join("queries").join(dialect), "sql");
    found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_dialect_has_the_same_questions() {
    let first = names(DIALECTS[0]);
    assert!(first.len() > 8, "{first:?}");
    for dialect in DIALECTS {
        assert_eq!(names(dialect), first, "{dialect}");
    }
}

#[test]
fn every_question_says_what_it_answers_and_only_reads() {
    for dialect in DIALECTS {
        for path in files(&root().join("queries").join(dialect), "sql") {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display();
            let header: String = text.lines().take_while(|line| line.starts_with("--")).collect();
            assert!(header.len() > 30, "{name}: a header comment says what it answers");
            let code: String = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("--"))
                .collect::<Vec<_>>()
                .join(" ");
            let words: BTreeSet<_> =
                code.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
            for word in [
                "INSERT",
                "UPDATE",
                "DELETE",
                "REPLACE",
                "MERGE",
                "LOCK",
                "SHARE",
                "CREATE",
                "DROP",
                "ALTER",
                "NOW",
                "CURRENT_TIMESTAMP",
            ] {
                assert!(!words.contains(word), "{name}: {word}");
            }
        }
    }
}

#[test]
fn every_statement_of_the_ledger_says_what_it_is_for_and_is_used() {
    let used = std::fs::read_to_string(root().join("src/ledger/sql.rs")).unwrap();
    let found = files(&root().join("queries/ledger"), "sql");
    assert!(found.len() > 40, "{}", found.len());
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let header: String = text.lines().take_while(|line| line.starts_with("--")).collect();
        assert!(header.len() > 20, "{name}: a header comment says what it is for");
        assert!(used.contains(&format!("= \"{name}\"")), "{name} is used nowhere");
        // Times come in as values; the ledger's clock has statements of its own.
        let clock = name.starts_with("clock.");
        assert!(clock || !text.to_uppercase().contains("NOW("), "{name} reads a clock");
        // Placeholders are numbered by counting question marks, so none may stand in a text.
        let code: Vec<_> = text.lines().filter(|line| !line.starts_with("--")).collect();
        assert!(!code.join(" ").split('\'').skip(1).step_by(2).any(|text| text.contains('?')), "{name}");
    }
}

#[test]
fn migrations_are_the_same_steps_for_every_dialect() {
    let steps = |dialect: &str| -> Vec<(String, Vec<String>)> {
        let found = files(&root().join("migrations").join(dialect), "sql");
        let step = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.starts_with("-- "), "{}: a header comment says what it does", path.display());
            let tables = text.lines().filter_map(|line| line.strip_prefix("CREATE TABLE IF NOT EXISTS "));
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, tables.map(ToOwned::to_owned).collect())
        };
        found.iter().map(step).collect()
    };
    let first = steps(DIALECTS[0]);
    assert!(!first.is_empty() && first[0].1.len() == 8, "{first:?}");
    for dialect in DIALECTS {
        assert_eq!(steps(dialect), first, "{dialect}");
    }
}
