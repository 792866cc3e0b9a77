//! Lays JSON out for people: indented, but the long lists with one row to a line.

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{Result, Write};

/// The lists that may be long.
const LISTS: [&str; 8] =
    ["differences", "windows", "problems", "breaches", "other_consumers", "acknowledged", "healed", "days"];

/// Indents everything down to the rows of [`LISTS`], which stay on one line each.
#[derive(Default)]
pub struct RowPerLine {
    pretty: PrettyFormatter<'static>,
    /// How many brackets are open.
    depth: usize,
    /// Depth of the list whose rows are being written.
    list: Option<usize>,
    in_key: bool,
    key: String,
}

impl RowPerLine {
    /// Whether what is written now lies inside a row.
    fn in_row(&self) -> bool {
        self.list.is_some_and(|depth| self.depth > depth)
    }

    /// Runs `row` inside a row and `pretty` elsewhere.
    fn either<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        row: impl FnOnce(&mut CompactFormatter, &mut W) -> Result<()>,
        pretty: impl FnOnce(&mut PrettyFormatter<'static>, &mut W) -> Result<()>,
    ) -> Result<()> {
        if self.in_row() { row(&mut CompactFormatter, out) } else { pretty(&mut self.pretty, out) }
    }
}

impl Formatter for RowPerLine {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.depth += 1;
        if self.list.is_none() && LISTS.contains(&self.key.as_str()) {
            self.list = Some(self.depth);
        }
        self.either(out, CompactFormatter::begin_array, PrettyFormatter::begin_array)
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.either(out, CompactFormatter::end_array, PrettyFormatter::end_array)?;
        self.list = self.list.filter(|depth| *depth != self.depth);
        self.depth -= 1;
        Ok(())
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.either(out, |f, out| f.begin_array_value(out, first), |f, out| f.begin_array_value(out, first))
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.either(out, CompactFormatter::end_array_value, PrettyFormatter::end_array_value)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.depth += 1;
        self.either(out, CompactFormatter::begin_object, PrettyFormatter::begin_object)
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.either(out, CompactFormatter::end_object, PrettyFormatter::end_object)?;
        self.depth -= 1;
        Ok(())
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> Result<()> {
        self.in_key = true;
        self.key.clear();
        self.either(out, |f, out| f.begin_object_key(out, first), |f, out| f.begin_object_key(out, first))
    }

    fn end_object_key<W: Write + ?Sized>(&mut self, _: &mut W) -> Result<()> {
        self.in_key = false;
        Ok(())
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.either(out, CompactFormatter::begin_object_value, PrettyFormatter::begin_object_value)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> Result<()> {
        self.either(out, CompactFormatter::end_object_value, PrettyFormatter::end_object_value)
    }

    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> Result<()> {
        if self.in_key {
            self.key.push_str(fragment);
        }
        out.write_all(fragment.as_bytes())
    }
}
