//! The Dockerfile, as far as it can be judged without a daemon.

use crate::{root, shipped};
use std::collections::BTreeSet;

/// Its instructions, without comments and with their continued lines joined.
fn instructions() -> Vec<(String, String)> {
    let text = shipped("Dockerfile")
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    let text = text.replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            line.trim().split_once(' ').map(|(word, rest)| (word.to_owned(), rest.trim().to_owned())).unwrap()
        })
        .collect()
}

/// What the build gets from the repository.
fn copied() -> Vec<String> {
    let copies =
        instructions().into_iter().filter(|(word, rest)| word == "COPY" && !rest.contains("--from="));
    let sources = copies.flat_map(|(_, rest)| {
        let words: Vec<_> = rest.split_whitespace().map(ToOwned::to_owned).collect();
        words[..words.len() - 1].to_vec()
    });
    sources.collect()
}

#[test]
fn the_image_holds_one_program_that_is_not_root() {
    let all = instructions();
    let stages: Vec<_> = all.iter().filter(|(word, _)| word == "FROM").collect();
    assert_eq!(stages.len(), 2, "one to build, one to run");
    let last = all.iter().rposition(|(word, _)| word == "FROM").unwrap();
    let of = |name: &str| {
        all[last..].iter().filter(|(word, _)| word == name).map(|(_, rest)| rest.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of("RUN"), Vec::<&str>::new(), "there is no shell to run anything");
    assert_eq!(of("COPY"), ["--from=build /msgrecon /usr/local/bin/msgrecon"]);
    let user = of("USER")[0];
    assert!(
        user.split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)),
        "{user}: a number, and not root's"
    );
    assert!(of("ENTRYPOINT")[0].starts_with('['), "no shell between the program and the scheduler");
    assert!(of("LABEL")[0].contains("org.opencontainers.image.version"));
    let build = all.iter().find(|(word, _)| word == "RUN").unwrap();
    assert!(build.1.contains("--locked") && build.1.contains("--release"), "{}", build.1);
    assert!(shipped("Dockerfile").contains(&format!("ARG VERSION={}", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_build_gets_all_that_the_program_is_made_of_and_no_tests() {
    let ignore = std::fs::read_to_string(root().join(".dockerignore")).unwrap();
    let sent: BTreeSet<_> =
        ignore.lines().filter_map(|line| line.strip_prefix('!')).map(ToOwned::to_owned).collect();
    assert!(ignore.lines().any(|line| line == "*"), "nothing else is sent");
    let copied: BTreeSet<_> = copied().into_iter().collect();
    assert_eq!(copied, sent);
    for name in &copied {
        assert!(root().join(name).exists(), "{name}");
    }
    // Whatever the sources take in from outside of their folder.
    for path in crate::files(&root().join("src")) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for part in text.split("include_str!(\"").skip(1) {
            let inside = part.split('"').next().unwrap();
            let target = path.parent().unwrap().join(inside).canonicalize().unwrap();
            let top =
                target.strip_prefix(root().canonicalize().unwrap()).unwrap().components().next().unwrap();
            assert!(
                copied.contains(top.as_os_str().to_str().unwrap()),
                "{} takes in {inside}",
                path.display()
            );
        }
    }
}
