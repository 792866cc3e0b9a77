use super::*;
use proptest::prelude::*;

const DIALECTS: [(Dialect, &str); 3] =
    [(Dialect::Sqlite, "sqlite"), (Dialect::Postgres, "postgres"), (Dialect::Mysql, "mysql")];

fn slots_of(query: Query, dialect: Dialect) -> Vec<&'static str> {
    let mut slots: Vec<&str> = query
        .template(dialect)
        .split(SLOT)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(SLOT_END)?.0))
        .collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[test]
fn every_query_is_there_in_every_dialect_and_no_other() {
    for (_, folder) in DIALECTS {
        let folder = format!("{}/queries/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut names: Vec<String> = Query::ALL.iter().map(|query| format!("{}.sql", query.name())).collect();
        names.sort();
        assert_eq!(files, names);
    }
}

#[test]
fn every_query_says_what_it_answers_and_needs_the_slots_it_is_given() {
    for query in Query::ALL {
        for (dialect, _) in DIALECTS {
            let name = format!("{dialect:?} {}", query.name());
            assert!(query.template(dialect).starts_with("-- "), "{name}");
            let slots: Vec<(&str, Fragment)> =
                slots_of(*query, dialect).into_iter().map(|slot| (slot, Fragment::text("x"))).collect();
            let text = render(*query, dialect, &slots).unwrap().sql().0;
            assert!(!text.contains(SLOT) && !text.contains("--"), "{name}: {text}");
            if let Some((first, _)) = slots.first() {
                let unfilled = RenderError::Unfilled(query.name(), (*first).to_owned());
                assert_eq!(render(*query, dialect, &slots[1..]).unwrap_err(), unfilled, "{name}");
            }
            let more = [&slots[..], &[("more", Fragment::text("x"))]].concat();
            let unused = RenderError::Unused(query.name(), "more".to_owned());
            assert_eq!(render(*query, dialect, &more).unwrap_err(), unused, "{name}");
        }
    }
}

#[test]
fn values_are_bound_in_the_order_of_their_places() {
    let name = Fragment::value(Value::Text("o'clock".to_owned()));
    let slots = [("place", "1".into()), ("name", name), ("schema", "DATABASE()".into())];
    let statement = render(Query::Columns, Dialect::Mysql, &slots).unwrap();
    assert_eq!(statement.values().count(), 1);
    assert!(statement.sql().0.contains("TABLE_NAME = ?"));
    assert!(statement.shown().contains("TABLE_NAME = 'o''clock'"));
    let limit = Fragment::value(Value::Int(1));
    let slots = [("expressions", Fragment::value(Value::Int(7))), ("table", "t".into()), ("limit", limit)];
    let statement = render(Query::Probe, Dialect::Postgres, &slots).unwrap();
    assert_eq!(statement.values().collect::<Vec<_>>(), [&Value::Int(7), &Value::Int(1)]);
    assert!(statement.sql().0.contains("$1") && statement.sql().0.ends_with("LIMIT $2"));
}

#[test]
fn a_comment_at_the_end_of_a_condition_ends_with_it() {
    let condition = Fragment::condition("status = 1 -- sent");
    let statement = Statement {
        name: "test",
        dialect: Dialect::Sqlite,
        body: condition.and_text(" AND 1 = 1"),
        long: false,
    };
    assert_eq!(statement.sql().0, "(\nstatus = 1 -- sent\n) AND 1 = 1");
}

#[test]
fn values_are_shown_as_literals_of_their_dialect() {
    let cases = [
        (Dialect::Sqlite, Value::Bytes(vec![0, 255]), "X'00ff'"),
        (Dialect::Postgres, Value::Bytes(vec![0, 255]), "'\\x00ff'::bytea"),
        (Dialect::Postgres, Value::Instant(1_772_445_600_500_000), "'2026-03-02 10:00:00.5+00'"),
        (Dialect::Mysql, Value::Instant(1_772_445_600_000_000), "'2026-03-02 10:00:00'"),
        (Dialect::Postgres, Value::Texts(vec!["a".to_owned(), "b'".to_owned()]), "ARRAY['a', 'b''']"),
        (Dialect::Mysql, Value::Uint(u64::MAX), "18446744073709551615"),
    ];
    for (dialect, value, shown) in cases {
        assert_eq!(literal(dialect, &value), shown);
    }
}

proptest! {
    #[test]
    fn quoted_names_end_where_they_end(name in ".{0,20}") {
        for (dialect, _) in DIALECTS {
            let quoted = quote(dialect, &name);
            let mark = quoted.chars().next().unwrap();
            let inner = &quoted[1..quoted.len() - 1];
            prop_assert_eq!(inner.replace(&format!("{mark}{mark}"), ""), name.replace(mark, ""));
            prop_assert_eq!(inner.replace(&format!("{mark}{mark}"), &mark.to_string()), name.as_str());
        }
    }
}
