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
