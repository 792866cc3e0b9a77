//! Arguments in, exit code out.

use clap::Parser as _;
use msgrecon::cli::Cli;
use msgrecon::command;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    command::start_log(&cli.global);
    match command::run(&cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            command::complain(&cli.global, &error);
            ExitCode::from(command::exit_code(&error))
        }
    }
}
