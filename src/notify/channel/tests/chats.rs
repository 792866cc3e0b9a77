use super::*;
use crate::notify::channel::size::units;
use crate::notify::signature;

fn sections(body: &Value) -> Vec<&str> {
    body["blocks"].as_array().unwrap()[1..]
        .iter()
        .map(|block| block["text"]["text"].as_str().unwrap())
        .collect()
}

/// Everything that a person reads of it.
fn shown(kind: ChannelKind, body: &Value) -> String {
    match kind {
        ChannelKind::Slack => sections(body).join("\n"),
        ChannelKind::Feishu => {
            let elements = body["card"]["elements"].as_array().unwrap();
            elements.iter().filter_map(|one| one["text"]["content"].as_str()).collect::<Vec<_>>().join("\n")
        }
        ChannelKind::Dingtalk => body["markdown"]["text"].as_str().unwrap().to_owned(),
        _ => body["markdown"]["content"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn a_slack_message_is_blocks_and_a_text() {
    let run = runs::rich();
    let body = &sent(&channel(ChannelKind::Slack), &run, &fixture::rich(&run))[0];
    assert!(body["text"].as_str().unwrap().starts_with("[FAIL] order-paid"));
    assert_eq!(body["blocks"][0]["type"], "header");
    let text = sections(body).join("\n");
    assert!(text.contains("*What happened to alerts*"), "{text}");
    assert!(text.contains("&gt;&lt;script&gt;") || text.contains("&lt;i&gt;event&lt;/i&gt;"), "{text}");
    assert!(text.contains("<https://wiki.example.test/order-paid?a=1&amp;b=2|What to do"), "{text}");
    assert!(text.contains("Firing: 3, silenced: 1"), "{text}");
}

#[test]
fn every_chat_says_the_same_in_both_languages() {
    let run = runs::rich();
    for kind in CHATS {
        let english = sent(&channel(kind), &run, &fixture::rich(&run));
        let text = shown(kind, &english[0]);
        for words in ["missing 8 (1.62 %)", "New alert", "The full report:", &run.id] {
            assert!(text.contains(words), "{}: no {words} in {text}", kind.name());
        }
        let chinese = Channel { language: Language::ZhCn, ..channel(kind) };
        let mut digest = fixture::rich(&run);
        digest.notices.drain(..2);
        digest.firing = vec![digest.firing[2].clone()];
        let text = shown(kind, &sent(&chinese, &run, &digest)[0]);
        for words in ["仍在告警", "告警变化", "差异", "告警中：1，已静默：0"] {
            assert!(text.contains(words), "{}: no {words} in {text}", kind.name());
        }
    }
}

#[test]
fn no_chat_is_told_more_than_it_takes() {
    let (run, digest) = huge();
    let of = |kind| sent(&channel(kind), &run, &digest).remove(0);
    let slack = of(ChannelKind::Slack);
    let lengths: Vec<_> = sections(&slack).into_iter().map(units).collect();
    assert!(
        lengths.iter().all(|length| *length <= 3_000) && lengths.iter().sum::<usize>() <= 13_000,
        "{lengths:?}"
    );
    assert!(units(slack["blocks"][0]["text"]["text"].as_str().unwrap()) <= 150);
    assert!(slack["blocks"].as_array().unwrap().len() <= 50);
    assert!(of(ChannelKind::Feishu).to_string().len() <= 20_000);
    assert!(of(ChannelKind::Dingtalk).to_string().len() <= 20_000);
    assert!(of(ChannelKind::Wecom)["markdown"]["content"].as_str().unwrap().len() <= 4_096);
    for kind in CHATS {
        let text = shown(kind, &of(kind));
        assert!(text.contains(" of 10,000"), "{}: {text}", kind.name());
        assert!(text.contains('…') && !text.contains('\u{fffd}'), "{}: {text}", kind.name());
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let run = runs::many(1_234);
    for kind in CHATS {
        let text = shown(kind, &sent(&channel(kind), &run, &fixture::rich(&run))[0]);
        assert!(text.contains("of 1,234"), "{}: {text}", kind.name());
    }
    let text = shown(ChannelKind::Slack, &sent(&channel(ChannelKind::Slack), &run, &fixture::rich(&run))[0]);
    assert!(text.contains("Differences: 20 of 1,234"), "{text}");
}

/// What is between backticks is shown as it is.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect()
}

#[test]
fn no_name_and_no_id_is_markup() {
    let hostile_texts = [
        "<script>alert(1)</script>",
        "*bold* _it_ ~gone~",
        "`code`",
        "[x](https://evil.example)",
        "<!channel>",
        "<at id=all></at>",
        "<@U1>",
        "a\r\nb\u{1b}[31m",
        "<font color=\"info\">fine</font>",
    ];
    for text in hostile_texts {
        let (run, digest) = hostile(text);
        for kind in CHATS {
            let shown = without_code(&shown(kind, &sent(&channel(kind), &run, &digest)[0]));
            for markup in [
                "<script>",
                "*bold*",
                "`code`",
                "](https://evil",
                "<!channel>",
                "<at ",
                "<@U1>",
                "\r",
                "\u{1b}",
                "\"info\">fine",
            ] {
                assert!(!shown.contains(markup), "{} {markup}: {shown}", kind.name());
            }
        }
    }
}

#[test]
fn somebody_is_called_as_each_service_calls() {
    let run = runs::rich();
    let mention = ["all", "u-17", "13800000000", "<!here>"].map(str::to_owned).to_vec();
    let of =
        |kind, digest: &Digest| sent(&Channel { mention: mention.clone(), ..channel(kind) }, &run, digest);
    let digest = fixture::rich(&run);
    let slack = of(ChannelKind::Slack, &digest).remove(0);
    assert_eq!(sections(&slack)[0], "<!channel> <@u-17> <@13800000000> <@here>");
    let feishu = of(ChannelKind::Feishu, &digest).remove(0);
    assert!(shown(ChannelKind::Feishu, &feishu).starts_with("<at id=all></at> <at id=u-17></at>"));
    let dingtalk = of(ChannelKind::Dingtalk, &digest).remove(0);
    assert_eq!(dingtalk["at"]["isAtAll"], true);
    assert_eq!(dingtalk["at"]["atMobiles"][1], "13800000000");
    assert!(shown(ChannelKind::Dingtalk, &dingtalk).ends_with("@u-17 @13800000000 @here"));
    let wecom = of(ChannelKind::Wecom, &digest);
    assert!(shown(ChannelKind::Wecom, &wecom[0]).contains("<@u-17>"));
    assert_eq!(wecom[1]["text"]["mentioned_mobile_list"].to_string(), r#"["@all","13800000000"]"#);
    for kind in CHATS {
        let quiet = of(kind, &fixture::resolved(&run));
        let text = Value::Array(quiet).to_string();
        assert!(!text.contains("u-17") && !text.contains("@all"), "{}: {text}", kind.name());
    }
}

#[test]
fn dingtalk_is_told_its_word_once() {
    let (run, digest) = huge();
    let with = |word: &str| Channel { keyword: Some(word.to_owned()), ..channel(ChannelKind::Dingtalk) };
    let text = shown(ChannelKind::Dingtalk, &sent(&with("对账"), &run, &digest)[0]);
    assert!(text.ends_with("\n\n对账"), "{text}");
    let text = shown(ChannelKind::Dingtalk, &sent(&with("FAIL"), &run, &digest)[0]);
    assert_eq!(text.matches("FAIL").count(), 1, "{text}");
}

#[test]
fn feishu_is_signed_in_the_body() {
    let run = runs::rich();
    let keys = || Keys { secret: Some("demo".into()), token: None };
    let body = &sent_with(&channel(ChannelKind::Feishu), &run, &fixture::rich(&run), keys)[0];
    assert_eq!(body["timestamp"], "1700000000");
    assert_eq!(body["sign"], signature::feishu("demo", 1_700_000_000));
    let card = &body["card"];
    assert_eq!(
        (body["msg_type"].as_str(), card["header"]["template"].as_str()),
        (Some("interactive"), Some("red"))
    );
}

#[test]
fn a_test_says_that_it_is_one() {
    let run = runs::balanced();
    let digest = Digest { occasion: crate::model::Occasion::Test, ..fixture::plain(&run) };
    for kind in CHATS {
        let text = Value::Array(sent(&channel(kind), &run, &digest)).to_string();
        assert!(text.contains("test message") && text.contains("only shows that messages arrive"), "{text}");
    }
}
