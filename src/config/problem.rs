//! What is wrong with a configuration, in the words of the person who has to mend it.

use std::fmt;
use std::path::{Path, PathBuf};

/// All that is wrong with a configuration, in the order of the file, so that one look mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// One thing that is wrong. Nothing in it is secret: neither values from the environment nor passwords in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The configuration file.
    pub file: PathBuf,
    /// Counted from 1; `None` where the file as a whole is the problem.
    pub line: Option<usize>,
    /// In characters, counted from 1.
    pub column: Option<usize>,
    /// The path of the key, such as `flows[0].events.id`; empty where no key is concerned.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// The line of the file with a caret below it; `None` where the line holds a secret.
    pub excerpt: Option<String>,
}

impl Problem {
    /// A problem with the file as a whole.
    pub(super) fn of_file(file: &Path, message: String) -> Self {
        let file = file.to_owned();
        Self { file, line: None, column: None, key: String::new(), message, excerpt: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        write!(f, " {}", self.message)?;
        self.excerpt.as_ref().map_or(Ok(()), |excerpt| write!(f, "\n{excerpt}"))
    }
}
