//! Help texts, completions and the manual page. The help texts are golden files: `cargo insta review` renews them.

use crate::child;
use clap::CommandFactory as _;
use msgrecon::cli::Cli;

fn said(arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = child::bare(folder.path()).args(arguments.split_whitespace()).output().unwrap();
    assert_eq!(child::code(&output), 0, "{arguments}: {}", child::said(&output));
    assert_eq!(child::err(&output), "", "{arguments}");
    child::out(&output)
}

/// The names of all commands but clap's own `help`.
fn commands() -> Vec<String> {
    let names: Vec<_> =
        Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    assert!(names.len() >= 6, "{names:?}");
    names
}

/// The commands below commands, as one writes them.
fn nested() -> Vec<String> {
    let root = Cli::command();
    let below = root.get_subcommands().flat_map(|command| {
        command.get_subcommands().map(move |inner| format!("{} {}", command.get_name(), inner.get_name()))
    });
    below.collect()
}

#[test]
fn help_texts_are_what_they_were() {
    insta::assert_snapshot!("help", said("--help"));
    for name in commands().into_iter().chain(nested()) {
        insta::assert_snapshot!(format!("help_{}", name.replace(' ', "_")), said(&format!("{name} --help")));
    }
}

#[test]
fn help_fits_a_terminal_and_names_every_command() {
    let help = said("--help");
    for name in commands() {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&name)), "{name} is not in: {help}");
    }
    for name in commands().into_iter().chain(nested()) {
        let text = said(&format!("{name} --help"));
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&format!("completions {shell}"));
        assert!(script.len() > 1_000 && script.contains("msgrecon"), "{shell}");
        let lacking: Vec<_> = commands().into_iter().filter(|name| !script.contains(name.as_str())).collect();
        assert!(lacking.is_empty(), "{shell}: {lacking:?}");
    }
}

/// The shells themselves read the scripts, where they are installed.
#[test]
fn completions_are_scripts_that_their_shells_read() {
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(shell);
        std::fs::write(&file, said(&format!("completions {shell}"))).unwrap();
        match std::process::Command::new(shell).arg(check).arg(&file).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {}", child::said(&output)),
            Err(error) => assert_ne!(shell, "bash", "{error}"),
        }
    }
}

#[test]
fn the_manual_names_every_command_and_the_exit_codes() {
    // The page writes hyphens so that nothing breaks a line at them.
    let page = said("man").replace("\\-", "-");
    assert!(page.starts_with(".ie") || page.contains(".TH msgrecon"), "{page}");
    let lacking: Vec<_> = commands().into_iter().filter(|name| !page.contains(name.as_str())).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    assert!(page.to_lowercase().contains("exit codes"));
}

#[test]
fn the_version_is_the_packages() {
    assert_eq!(said("--version"), format!("msgrecon {}\n", env!("CARGO_PKG_VERSION")));
}
