//! Several to be told: what fails at one is neither lost nor told twice to another.

use super::super::peer::{Peer, say};
use super::{DAY, FIRST, FOLDER, ONE_MISSING, SECOND, Shop, THIRD};

fn webhook(name: &str, peer: &Peer) -> String {
    format!("[[channels]]\nkind = 'webhook'\nname = '{name}'\nurl = '{}'\n", peer.url("/in"))
}

fn ids(peer: &Peer) -> Vec<String> {
    peer.sent().iter().map(|sent| sent.headers["webhook-id"].clone()).collect()
}

#[test]
fn one_is_told_once_and_the_other_when_it_is_well_again() {
    // Three attempts within the first run, then it is well.
    let no = || say(500, "");
    let (well, ill) = (Peer::new(&[say(200, "")]), Peer::new(&[no(), no(), no(), say(200, "")]));
    let shop = Shop::telling(&(webhook("well", &well) + &webhook("ill", &ill)));
    shop.tell(ONE_MISSING);
    shop.due(FIRST).ended(4).says("channel:ill").says("the next run tries again");
    shop.assert_reported();
    assert_eq!(shop.deliveries(), ["channel:ill|waiting", "channel:well|sent"]);
    shop.due(SECOND).ended(1);
    assert_eq!(shop.deliveries(), ["channel:ill|sent", "channel:well|sent"]);
    shop.due(THIRD).ended(1);
    assert_eq!((well.sent().len(), ill.sent().len()), (1, 4));
    let told = ids(&ill);
    assert!(told.iter().all(|id| *id == told[0]), "attempts have one id: {told:?}");
    assert_eq!(ill.sent()[3].json()["data"]["run"]["as_of"], "2026-03-03T00:30:00Z", "the run that found it");
}

#[test]
fn a_target_that_is_gone_from_the_configuration_blocks_nobody() {
    let (gone, left) = (Peer::new(&[say(500, "")]), Peer::new(&[say(500, "")]));
    let mut shop = Shop::telling(&(webhook("gone", &gone) + &webhook("left", &left)));
    shop.tell(ONE_MISSING);
    shop.due(FIRST).ended(4);
    let left = Peer::new(&[say(200, "")]);
    shop.top = webhook("left", &left);
    shop.due(SECOND).ended(4).says("channel:gone").says("not in the configuration any more").says("given up");
    assert_eq!(shop.deliveries(), ["channel:gone|dropped", "channel:left|sent"]);
    shop.due(THIRD).ended(1);
    assert_eq!(left.sent().len(), 1);
}

#[test]
fn nobody_is_told_where_nobody_is_to_be_told() {
    let peer = Peer::new(&[say(200, "")]);
    let shop = Shop::telling(&format!("{FOLDER}{}", webhook("w", &peer)));
    shop.tell(ONE_MISSING);
    for arguments in
        [format!("run --no-notify --as-of {FIRST}"), format!("run --no-notify --no-record {DAY}")]
    {
        shop.call(&arguments).ended(1);
    }
    assert!(peer.sent().is_empty() && shop.mails().is_empty() && shop.deliveries().is_empty());
    shop.due(SECOND).ended(1);
    assert_eq!((peer.sent().len(), shop.mails().len()), (1, 1));
}

#[test]
fn a_range_by_hand_is_told_though_no_ledger_can_be_opened() {
    let (peer, no) = (Peer::new(&[say(200, "")]), Peer::new(&[say(500, "")]));
    let mut shop = Shop::telling(&format!("{FOLDER}{}", webhook("w", &peer)));
    shop.tell(ONE_MISSING);
    shop.ledger = "sqlite:///proc/no/such/folder/ledger.db".to_owned();
    shop.call(&format!("run {DAY} --output out")).ended(4).says("not recorded");
    shop.assert_reported();
    assert_eq!((peer.sent().len(), shop.mails().len()), (1, 1));
    shop.top += &webhook("no", &no);
    let told = shop.call(&format!("run {DAY}")).ended(4);
    assert!(told.err().contains("channel:no") && told.err().contains("no ledger keeps it"), "{}", told.err());
    assert_eq!((peer.sent().len(), shop.mails().len()), (2, 1));
    shop.due(FIRST).ended(3);
    assert_eq!(peer.sent().len(), 2, "nothing says what is due");
}
