//! Where the configuration comes from, and what is said when it is wrong.

use super::{BALANCED, DAY, Shop};
use crate::child;

#[tokio::test]
async fn a_wrong_configuration_lists_all_its_problems_at_once() {
    let shop = Shop::new(BALANCED).await;
    let wrong = shop
        .config
        .replace("window = \"1h\"", "windw = \"1h\"")
        .replace("grace = \"15m\"", "grace = 15")
        .replace("database = \"c\"", "database = \"see\"")
        .replace("time_zone = \"UTC\"", "time_zone = \"Mars/Phobos\"")
        + "\n[flows.thresholds]\nmising = { fail = 1 }\n";
    let output = child::run(shop.folder.path(), &wrong, &format!("run {DAY}"));
    assert_eq!(child::code(&output), 2, "{}", child::said(&output));
    assert!(output.stdout.is_empty());
    let said = child::err(&output);
    for word in ["windw", "window", "grace", "see", "Mars/Phobos", "mising", "missing"] {
        assert!(said.contains(word), "{word} is not in: {said}");
    }
    let places = said.matches("msgrecon.toml:").count();
    assert!(places >= 5, "each with its line: {said}");
}

#[tokio::test]
async fn a_variable_that_is_not_set_is_named() {
    let shop = Shop::new(BALANCED).await;
    let config = shop.config.replace(&shop.place.url, "${SHOP_DB_URL}");
    let output = child::run(shop.folder.path(), &config, &format!("run {DAY}"));
    assert_eq!(child::code(&output), 2);
    assert!(child::err(&output).contains("SHOP_DB_URL"), "{}", child::err(&output));
    let mut command = child::command(shop.folder.path(), &config);
    let command = command.env("SHOP_DB_URL", &shop.place.url);
    let output = command.args(format!("run {DAY}").split(' ')).output().unwrap();
    assert_eq!(child::code(&output), 0, "{}", child::said(&output));
}

#[tokio::test]
async fn no_configuration_is_2_and_says_where_it_was_looked_for() {
    let empty = tempfile::tempdir().unwrap();
    for arguments in ["run --date 2026-03-02", "plan --date 2026-03-02"] {
        let output = child::bare(empty.path()).args(arguments.split(' ')).output().unwrap();
        assert_eq!(child::code(&output), 2, "{}", child::said(&output));
        let said = child::err(&output);
        assert!(
            said.contains("msgrecon.toml") && said.contains("MSGRECON_CONFIG") && said.contains("-c"),
            "{said}"
        );
        assert!(output.stdout.is_empty());
    }
    for arguments in ["-c nowhere.toml run --date 2026-03-02", "run -c nowhere.toml --date 2026-03-02"] {
        let output = child::bare(empty.path()).args(arguments.split(' ')).output().unwrap();
        assert_eq!(child::code(&output), 2, "{}", child::said(&output));
        assert!(child::err(&output).contains("nowhere.toml"), "{}", child::err(&output));
    }
    assert_eq!(child::files(empty.path()).len(), 0, "nothing was made");
}

/// `-c` before `./msgrecon.toml` before `$MSGRECON_CONFIG`.
#[tokio::test]
async fn the_configuration_is_found_in_the_promised_order() {
    let shop = Shop::new(BALANCED).await;
    let named = |name: &str| shop.config.replace("name = \"orders\"", &format!("name = \"{name}\""));
    let (folder, elsewhere) = (shop.folder.path(), tempfile::tempdir().unwrap());
    std::fs::write(elsewhere.path().join("env.toml"), named("from-env")).unwrap();
    std::fs::write(elsewhere.path().join("option.toml"), named("from-option")).unwrap();
    let run = |options: &[&str]| {
        let mut command = child::bare(folder);
        command.env("MSGRECON_CONFIG", elsewhere.path().join("env.toml"));
        let output =
            command.args(options).args(format!("run {DAY} --format json").split(' ')).output().unwrap();
        child::json(&output)["flows"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(run(&[]), "from-env");
    std::fs::write(folder.join("msgrecon.toml"), named("from-here")).unwrap();
    assert_eq!(run(&[]), "from-here");
    let option = elsewhere.path().join("option.toml");
    assert_eq!(run(&["-c", option.to_str().unwrap()]), "from-option");
}

/// Paths in a configuration are taken from its own folder, wherever the program was started.
#[tokio::test]
async fn relative_paths_start_at_the_configuration() {
    let shop = Shop::new(BALANCED).await;
    let data = shop.place.url.strip_prefix("sqlite://").unwrap();
    let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::copy(data, home.path().join("shop.db")).unwrap();
    let config = shop.config.replace(data, "shop.db");
    std::fs::write(home.path().join("shop.toml"), config).unwrap();
    let mut command = child::bare(elsewhere.path());
    command.arg("-c").arg(home.path().join("shop.toml"));
    let output = command.args(format!("run {DAY}").split(' ')).output().unwrap();
    assert_eq!(child::code(&output), 0, "{}", child::said(&output));
}
