//! The language of the page and of `explain`: asked for, else configured, else English.

use super::{BALANCED, DAY, Shop};
use crate::child;

const MAIL: &str = "\n[mail]\nfrom = \"a@example.test\"\nto = [\"b@example.test\"]\ntransport = \"file:///nowhere/mails\"\n\
                    language = \"zh-CN\"\n";

/// The languages of what `run` and `report` write with these arguments: on stdout, and in the folder.
fn languages(shop: &Shop, config: &str, language: &str) -> Vec<String> {
    let folder = shop.folder.path();
    let mut found = Vec::new();
    for command in [format!("run {DAY} --no-notify"), "report".to_owned()] {
        let output = child::run(folder, config, &format!("{command} --format html --output out {language}"));
        assert_eq!(child::code(&output), 0, "{}", child::said(&output));
        let file = std::fs::read_to_string(folder.join("out/report.html")).unwrap();
        for page in [child::out(&output), file] {
            let (_, rest) = page.split_once("<html lang=\"").unwrap();
            found.push(rest.split('"').next().unwrap().to_owned());
        }
    }
    found.dedup();
    found
}

#[tokio::test]
async fn an_option_comes_before_the_configuration() {
    let shop = Shop::new(BALANCED).await;
    let chinese = shop.config.clone() + MAIL;
    assert_eq!(languages(&shop, &shop.config, ""), ["en"]);
    assert_eq!(languages(&shop, &shop.config, "--language zh-CN"), ["zh-CN"]);
    assert_eq!(languages(&shop, &chinese, ""), ["zh-CN"]);
    assert_eq!(languages(&shop, &chinese, "--language en"), ["en"]);
}

#[tokio::test]
async fn only_the_page_is_translated() {
    let shop = Shop::new(BALANCED).await;
    let said = |format: &str, language: &str| {
        child::out(&shop.run(&format!("run {DAY} --no-record --format {format} --language {language}")))
    };
    for format in ["table", "csv", "json"] {
        let lines = |text: String| text.lines().filter(|line| !line.contains("run")).count();
        assert_eq!(lines(said(format, "en")), lines(said(format, "zh-CN")), "{format}");
        assert!(said(format, "zh-CN").is_ascii() || format == "table", "{format}");
    }
    assert!(said("table", "zh-CN").contains("Every message is accounted for."));
    let page = said("html", "zh-CN");
    assert!(page.contains("<html lang=\"zh-CN\">") && page.contains("每条消息都已对上。"), "{page}");
}

#[tokio::test]
async fn explain_needs_no_configuration_and_complains_of_none() {
    let shop = Shop::new(BALANCED).await;
    let explained = |config: &str, arguments: &str| {
        let output = child::run(shop.folder.path(), config, &format!("explain missing {arguments}"));
        assert_eq!((child::code(&output), child::err(&output).as_str()), (0, ""), "{}", child::said(&output));
        child::out(&output).lines().next().unwrap().to_owned()
    };
    let chinese = shop.config.clone() + MAIL;
    assert_eq!(explained(&chinese, ""), "missing 丢失");
    assert_eq!(explained(&chinese, "--language en"), "missing");
    assert_eq!(explained(&shop.config, ""), "missing");
    assert_eq!(explained(&shop.config, "--language zh-CN"), "missing 丢失");
    assert_eq!(explained("time_zone = 1", ""), "missing");
    assert_eq!(explained("time_zone = 1", "--language zh-CN"), "missing 丢失");
    std::fs::remove_file(shop.folder.path().join("msgrecon.toml")).unwrap();
    let bare = child::bare(shop.folder.path()).args(["explain", "late"]).output().unwrap();
    assert!(child::out(&bare).starts_with("late\n"), "{}", child::said(&bare));
    let unknown = shop.run("explain missing --language fr");
    assert_eq!(child::code(&unknown), 2);
    assert!(child::err(&unknown).contains("zh-CN"), "{}", child::said(&unknown));
}
