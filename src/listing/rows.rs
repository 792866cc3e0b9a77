//! A JSON document around one long list, a row to a line.

use serde::Serialize;
use std::io::{self, Write};

/// Writes such a document as its rows come.
pub struct Rows<W: Write> {
    out: W,
    any: bool,
}

impl<W: Write> Rows<W> {
    /// The document up to the list: some keys, then the list's.
    pub fn begin(mut out: W, head: &impl Serialize, list: &str) -> io::Result<Self> {
        out.write_all(b"{\n")?;
        for line in keys(head)? {
            writeln!(out, "  {line},")?;
        }
        write!(out, "  {}: [", serde_json::to_string(list)?)?;
        Ok(Self { out, any: false })
    }

    /// One row.
    pub fn row(&mut self, row: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.any { b",\n    " } else { b"\n    " })?;
        self.any = true;
        serde_json::to_writer(&mut self.out, row)?;
        Ok(())
    }

    /// The end of the list, and some keys behind it.
    pub fn end(mut self, tail: &impl Serialize) -> io::Result<W> {
        self.out.write_all(if self.any { b"\n  ]" } else { b"]" })?;
        for line in keys(tail)? {
            write!(self.out, ",\n  {line}")?;
        }
        self.out.write_all(b"\n}\n")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// `"key": value` of each field, in their order.
fn keys(fields: &impl Serialize) -> io::Result<Vec<String>> {
    let text = serde_json::to_string_pretty(fields)?;
    let inner = text.trim_start_matches('{').trim_end_matches('}');
    // Every value is on a line of its own: these keys hold numbers, words and times.
    let lines = inner.lines().map(|line| line.trim().trim_end_matches(',').to_owned());
    Ok(lines.filter(|line| !line.is_empty()).collect())
}
