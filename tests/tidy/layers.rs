//! Which module may know which: data flow in one direction, and the middle knows no edge.

use super::{files, relative, root};
use std::collections::{BTreeMap, BTreeSet};

/// A module and the modules that it may name.
const ALLOWED: [(&str, &[&str]); 25] = [
    ("model", &[]),
    ("exit", &["model"]),
    ("clock", &["model"]),
    ("language", &[]),
    ("config", &["model", "language"]),
    ("connect", &[]),
    ("plan", &["model", "config"]),
    ("schedule", &["model", "config"]),
    ("jobfile", &["model", "config", "schedule"]),
    ("classify", &["model", "plan"]),
    ("pair", &["model", "classify"]),
    ("judge", &["model", "config"]),
    ("alert", &["model", "config", "judge"]),
    ("book", &["model", "plan", "classify", "pair"]),
    ("story", &["model", "config"]),
    ("sketch", &["model"]),
    ("source", &["model", "clock", "config", "connect", "sketch"]),
    ("ledger", &["model", "clock", "config", "connect"]),
    ("report", &["model", "language"]),
    ("notify", &["model", "clock", "config", "language", "report", "exit"]),
    (
        "reconcile",
        &[
            "model", "clock", "config", "plan", "schedule", "pair", "book", "judge", "exit", "sketch",
            "source", "ledger",
        ],
    ),
    ("listing", &["model", "config", "schedule", "ledger", "report", "reconcile"]),
    ("cli", &["model", "plan", "report", "language", "jobfile"]),
    (
        "command",
        &[
            "model",
            "config",
            "plan",
            "judge",
            "exit",
            "clock",
            "story",
            "report",
            "schedule",
            "ledger",
            "reconcile",
            "listing",
            "cli",
            "alert",
            "language",
            "notify",
            "jobfile",
        ],
    ),
    ("lib", &[]),
];

fn module_of(path: &str) -> String {
    let below = path.strip_prefix("src/").unwrap();
    below.split(['/', '.']).next().unwrap().to_owned()
}

fn named_modules(text: &str, known: &BTreeSet<&str>) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words = code
        .flat_map(|line| line.split("crate::").skip(1).map(|rest| rest.split([':', ';', ',', '}']).next()));
    words.flatten().filter(|word| known.contains(word)).map(ToOwned::to_owned).collect()
}

#[test]
fn modules_know_only_what_lies_before_them() {
    let allowed: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    let known: BTreeSet<&str> = allowed.keys().copied().collect();
    let mut wrong = Vec::new();
    for path in files(&root().join("src"), "rs") {
        let name = relative(&path);
        let module = module_of(&name);
        if module == "main" {
            continue;
        }
        let may = allowed
            .get(module.as_str())
            .unwrap_or_else(|| panic!("{name}: `{module}` is in no layer; add it"));
        for other in named_modules(&std::fs::read_to_string(&path).unwrap(), &known) {
            if other != module && !may.contains(&other.as_str()) {
                wrong.push(format!("{name} names `{other}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "layers: {}", wrong.join("; "));
}

#[test]
fn the_layers_have_no_circle() {
    let allowed: BTreeMap<_, _> = ALLOWED.into_iter().collect();
    for (place, (module, may)) in ALLOWED.into_iter().enumerate() {
        for other in may {
            let before = ALLOWED.iter().position(|(name, _)| name == other);
            assert!(
                before.is_some_and(|before| before < place) && allowed.contains_key(other),
                "{module} and {other}"
            );
        }
    }
}

#[test]
fn only_one_module_wraps_sql() {
    let wraps = files(&root().join("src"), "rs")
        .into_iter()
        .filter(|path| std::fs::read_to_string(path).unwrap().contains("AssertSqlSafe"));
    let names: Vec<_> = wraps.map(|path| relative(&path)).collect();
    // The demo builds databases of its own from a story; nothing else writes SQL.
    assert_eq!(names, ["src/command/demo.rs", "src/ledger/store.rs", "src/source/sql.rs"]);
}
