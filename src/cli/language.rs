//! The option `--language`.

use crate::language::Language;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// What a person reads.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct LanguageArgs {
    /// The language, where one is asked for.
    #[arg(
        id = "language",
        long = "language",
        value_parser = language_parser(),
        value_name = "LANGUAGE",
        help = "The language of the page and of explanations [default: `[mail] language` of the configuration, else en]"
    )]
    pub asked: Option<Language>,
}

fn language_parser() -> impl TypedValueParser<Value = Language> {
    let find = |name: String| Language::ALL.into_iter().find(|(known, _)| *known == name);
    PossibleValuesParser::new(Language::ALL.map(|(name, _)| name))
        .try_map(move |name| find(name).map(|(_, language)| language).ok_or("no such language"))
}
