use super::*;
use clap::CommandFactory as _;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn ranges_are_read_as_they_are_meant() {
    let request = |args: &str| {
        let words = ["msgrecon", "run"].into_iter().chain(args.split_whitespace());
        match Cli::try_parse_from(words).map(|cli| cli.command) {
            Ok(Command::Run(run)) => run.selection.request(),
            _ => panic!("{args}"),
        }
    };
    let day = |text: &str| Edge::Date(text.parse().unwrap());
    let range = Some(Request::Range(day("2026-03-01"), day("2026-03-08")));
    assert_eq!(request("--from 2026-03-01 --until 2026-03-08"), range);
    assert_eq!(request("--from 2026-03-01 --to 2026-03-08"), range);
    assert_eq!(request("--date 2026-03-02"), Some(Request::Date("2026-03-02".parse().unwrap())));
    assert_eq!(request("--last 24h"), Some(Request::Last(crate::model::time::DAY)));
    assert_eq!(request(""), None);
}

#[test]
fn contradictions_are_refused() {
    for args in [
        "--date 2026-03-02 --last 24h",
        "--from 2026-03-01",
        "--until 2026-03-01",
        "--date 02.03.2026",
        "--last 24",
        "--last 0s",
        "--date 2026-03-02 --as-of 2026-03-03",
        "--format xml",
        "--language zh",
    ] {
        let words = ["msgrecon", "run"].into_iter().chain(args.split_whitespace());
        assert_eq!(Cli::try_parse_from(words).unwrap_err().exit_code(), 2, "{args}");
    }
}
