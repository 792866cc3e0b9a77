//! What a server's plan says: pure.

use crate::config::Dialect;
use crate::source::cell::Fields;
use serde_json::Value;

/// The rows that the plan of reading a whole table names.
pub fn rows(dialect: Dialect, row: &dyn Fields) -> Option<u64> {
    match dialect {
        Dialect::Postgres => root(row)?.get("Plan Rows")?.as_f64().map(whole),
        Dialect::Mysql => row.named("rows").integer().and_then(|rows| rows.try_into().ok()),
        Dialect::Sqlite => row.cell(0).text()?.split_whitespace().next()?.parse().ok(),
    }
}

/// Where a plan reads several tables one after the other: what a row of it says of their names and rows. PostgreSQL gives the
/// parts of a table that is cut into partitions for the table itself, under names of their own.
pub fn rows_by_name(dialect: Dialect, row: &dyn Fields) -> Option<Vec<(String, u64)>> {
    let part = |part: &Value| {
        let name = part.get("Relation Name")?.as_str()?.to_owned();
        Some((name, part.get("Plan Rows")?.as_f64().map(whole)?))
    };
    match dialect {
        Dialect::Postgres => root(row)?.get("Plans")?.as_array()?.iter().map(part).collect(),
        Dialect::Mysql => Some(vec![(text(row, "table"), rows(dialect, row)?)]),
        Dialect::Sqlite => None,
    }
}

/// Whether a row of a plan says that a table is read from end to end, be it by way of an index that holds `whole` tables:
/// one that holds only what is asked for is there to be read so.
pub fn scans(dialect: Dialect, row: &dyn Fields, whole: &dyn Fn(&str) -> bool) -> bool {
    match dialect {
        Dialect::Postgres => root(row).is_some_and(|plan| postgres(&plan, whole)),
        Dialect::Mysql => mysql(&text(row, "type"), &text(row, "table")),
        Dialect::Sqlite => sqlite(&text(row, "detail"), whole),
    }
}

fn text(row: &dyn Fields, name: &str) -> String {
    row.named(name).text().unwrap_or_default()
}

/// The outermost node.
fn root(row: &dyn Fields) -> Option<Value> {
    let mut plan: Value = serde_json::from_str(&row.cell(0).text()?).ok()?;
    Some(plan.get_mut(0)?.get_mut("Plan")?.take())
}

fn postgres(node: &Value, whole: &dyn Fn(&str) -> bool) -> bool {
    let name = |key| node.get(key).and_then(Value::as_str).unwrap_or_default();
    let scans = match name("Node Type") {
        "Seq Scan" | "Sample Scan" => true,
        "Index Scan" | "Index Only Scan" => node.get("Index Cond").is_none() && whole(name("Index Name")),
        _ => false,
    };
    let below = node.get("Plans").and_then(Value::as_array);
    scans || below.is_some_and(|below| below.iter().any(|node| postgres(node, whole)))
}

/// `<derived2>` and the like are no tables.
fn mysql(access: &str, table: &str) -> bool {
    matches!(access.to_ascii_lowercase().as_str(), "all" | "index") && !table.starts_with('<')
}

fn sqlite(detail: &str, whole: &dyn Fn(&str) -> bool) -> bool {
    let others = ["CONSTANT ROW", "VIRTUAL TABLE", "(subquery"];
    let index = detail.split_once(" INDEX ").map(|(_, index)| index);
    detail.starts_with("SCAN ")
        && !others.iter().any(|other| detail.contains(other))
        && index.is_none_or(whole)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate, cut at its bounds")]
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::cell::Cell;

    struct Row<'r>(&'r [(&'r str, &'r str)]);

    impl Fields for Row<'_> {
        fn cell(&self, index: usize) -> Cell<'_> {
            self.0.get(index).map_or(Cell::Null, |(_, text)| Cell::Text(text.as_bytes()))
        }

        fn named(&self, name: &str) -> Cell<'_> {
            let found = self.0.iter().find(|(known, _)| *known == name);
            found.map_or(Cell::Null, |(_, text)| Cell::Text(text.as_bytes()))
        }
    }

    fn all(index: &str) -> bool {
        index == "all"
    }

    #[test]
    fn rows_are_those_of_the_tables_themselves() {
        let plan = r#"[{"Plan": {"Node Type": "Append", "Plan Rows": 9, "Plans": [
            {"Node Type": "Seq Scan", "Relation Name": "t_1", "Plan Rows": 4},
            {"Node Type": "Index Only Scan", "Relation Name": "t_2", "Plan Rows": 5}]}}]"#;
        let found = rows_by_name(Dialect::Postgres, &Row(&[("QUERY PLAN", plan)]));
        assert_eq!(found, Some(vec![("t_1".to_owned(), 4), ("t_2".to_owned(), 5)]));
        for other in [
            r#"[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "t_1", "Plan Rows": 4}}]"#,
            r#"[{"Plan": {"Node Type": "Append", "Plans": [{"Node Type": "Append", "Plan Rows": 4, "Plans": []}]}}]"#,
        ] {
            assert_eq!(rows_by_name(Dialect::Postgres, &Row(&[("QUERY PLAN", other)])), None);
        }
        let of_mysql = |rows| rows_by_name(Dialect::Mysql, &Row(&[("table", "t_1"), ("rows", rows)]));
        assert_eq!(of_mysql("7"), Some(vec![("t_1".to_owned(), 7)]));
        assert_eq!(of_mysql(""), None);
    }

    #[test]
    fn a_scan_is_found_wherever_it_is_in_a_plan() {
        let cases = [
            (r#"[{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 7}}]"#, true),
            (
                r#"[{"Plan": {"Node Type": "Limit", "Plans": [{"Node Type": "Gather", "Plans": [{"Node Type": "Seq Scan"}]}]}}]"#,
                true,
            ),
            (r#"[{"Plan": {"Node Type": "Index Scan", "Index Cond": "(a = 1)"}}]"#, false),
            (r#"[{"Plan": {"Node Type": "Index Only Scan", "Index Name": "all"}}]"#, true),
            (r#"[{"Plan": {"Node Type": "Index Scan", "Index Name": "waiting"}}]"#, false),
            (
                r#"[{"Plan": {"Node Type": "Bitmap Heap Scan", "Filter": "Seq Scan", "Plans": [{"Node Type": "Bitmap Index Scan"}]}}]"#,
                false,
            ),
            ("no JSON", false),
        ];
        for (json, expected) in cases {
            let row = Row(Box::leak(Box::new([("QUERY PLAN", json)])));
            assert_eq!(scans(Dialect::Postgres, &row, &all), expected, "{json}");
        }
        let counted =
            Row(&[("QUERY PLAN", r#"[{"Plan": {"Node Type": "Seq Scan", "Plan Rows": 1234567}}]"#)]);
        assert_eq!(rows(Dialect::Postgres, &counted), Some(1_234_567));
    }

    #[test]
    fn mysql_names_the_way_of_reading() {
        let step =
            |access, table| Row(Box::leak(Box::new([("type", access), ("table", table), ("rows", "99")])));
        for (access, table, expected) in [
            ("ALL", "event", true),
            ("index", "event", true),
            ("range", "event", false),
            ("index_merge", "event", false),
            ("ALL", "<derived2>", false),
        ] {
            assert_eq!(scans(Dialect::Mysql, &step(access, table), &all), expected, "{access} {table}");
        }
        assert_eq!(rows(Dialect::Mysql, &step("ALL", "event")), Some(99));
    }

    #[test]
    fn sqlite_searches_or_scans() {
        for (detail, expected) in [
            ("SCAN event", true),
            ("SCAN TABLE event", true),
            ("SCAN event USING COVERING INDEX all", true),
            ("SCAN event USING INDEX waiting", false),
            ("SEARCH event USING INDEX at (created_at>? AND created_at<?)", false),
            ("SCAN 2 CONSTANT ROWS", false),
            ("SCAN json_each VIRTUAL TABLE INDEX 1:", false),
        ] {
            assert_eq!(sqlite(detail, &all), expected, "{detail}");
        }
        assert_eq!(rows(Dialect::Sqlite, &Row(&[("stat", "1200 3 1")])), Some(1_200));
    }
}
