//! Every mail says what it must, in text and in HTML.

use chassis::bus::Handler;
use sqlx::PgPool;

use crate::accept_event::hire;
use crate::fixture::{SUPPORT, World};
use crate::samples::samples;

/// The text and the HTML part of a mail.
fn parts(mail: &str) -> (String, String) {
    let part = |kind: &str| {
        let (_, rest) = mail.split_once(&format!("Content-Type: {kind}")).unwrap_or_else(|| panic!("{kind}: {mail}"));
        let (head, body) = rest.split_once("\n\n").unwrap();
        assert!(head.contains("7bit"), "{kind} is not plain to read: {head}");
        body.split("\n--").next().unwrap().to_owned()
    };
    (part("text/plain"), part("text/html"))
}

/// A text without its line breaks, so that a sentence is found however it is wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// [D-E2] [D-M8] [D-S6] [D-W2] [D-W4] [K13] [MSG-04] Every mail of every event says its facts in both parts; links begin
/// with the public url; nothing is left unfilled, and what people wrote stands escaped in HTML. Every mail names the address
/// of support, also where it says to contact support.
#[sqlx::test(migrations = false)]
async fn every_mail_says_its_facts(pool: PgPool) {
    let world = World::start(pool).await;
    let staff = hire(&world);
    let secrets = [
        ("code", "123456"),
        ("reset", "Reset-Token_1"),
        ("invitation", "Invite-Token_1"),
        ("undo", "Undo-Or-Not-Me_1"),
        ("not-me-1", "Not-Me-Token_1"),
        ("not-me-2", "Undo-Or-Not-Me_2"),
        ("not-me-3", "Not-Me-Token_3"),
        ("not-me-4", "Not-Me-Token_4"),
        ("not-me-5", "Not-Me-Token_6"),
        ("closing", "Not-Me-Token_7"),
        ("destination-code", "654321"),
    ];
    for (reference, secret) in secrets {
        world.accounts.lock().unwrap().secrets.insert(reference.to_owned(), secret.to_owned());
    }
    let mut before = 0;
    for sample in samples(world.user_id, staff) {
        world.consumer.handle(&sample.event).await.unwrap();
        world.send_due().await;
        let received = world.sink.received();
        assert_eq!(received.len() - before, sample.mails.len(), "{}", sample.event.key);
        for (mail, (_, address)) in received[before..].iter().zip(&sample.mails) {
            check(mail, sample.facts);
            if sample.mails.len() == 1
                && let Some(address) = address
            {
                assert!(mail.contains(&format!("<{address}>")), "{mail}");
            }
        }
        before = received.len();
    }
    assert_eq!(world.count("SELECT count(*) FROM mails WHERE status <> 'sent'").await, 0);
}

/// Both parts of a mail say these facts, and nothing in them is left unfilled.
pub fn check(mail: &str, facts: &[&str]) {
    let (text, html) = parts(mail);
    let (text_line, html_line) = (unwrapped(&text), unwrapped(&html).replace("&#x2f;", "/"));
    for fact in facts {
        assert!(text_line.contains(fact), "no {fact:?} in {text}");
        assert!(html_line.contains(fact), "no {fact:?} in {html}");
    }
    let link = format!("<a href=\"mailto:{SUPPORT}\">{SUPPORT}</a>");
    assert!(html.contains(&format!("Questions? Write to {link}.")), "{html}");
    assert!(text.contains(&format!("Questions? Write to {SUPPORT}.")), "{text}");
    for part in [&text_line, &html_line.replace(&link, SUPPORT)] {
        for (_, address) in part.match_indices("ontact support").map(|(at, said)| part.split_at(at + said.len())) {
            let address = address.trim_start_matches(" at once:").trim_start_matches(" at").trim_start();
            assert!(address.starts_with(SUPPORT), "support without its address: {part}");
        }
    }
    for part in [&text, &html] {
        assert!(!part.contains("{{") && !part.contains("{%") && !part.contains("undefined"), "{part}");
        for link in part.split("http").skip(1) {
            assert!(link.starts_with("s://solvane.test"), "a link leads elsewhere: {link}");
        }
    }
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    assert!(!text.contains("\n\n\n"), "{text}");
    assert!(!html.contains("<Plus>") && !html.contains("read & is"), "{html}");
    assert!(html.contains("prefers-color-scheme: dark") && html.contains("lang=\"en\""));
    assert!(!html.contains("<img") && !html.contains("<script") && !html.contains("<table"));
    let subject = mail.lines().find_map(|line| line.strip_prefix("Subject: ")).unwrap();
    assert!(!subject.is_empty() && html.contains(&format!("<h1>{subject}")), "{subject}");
}

/// [D-A1] [D-A6] The link that undoes a change of email is in the mail to the old address alone; the new one reads how to
/// report that the owner did not ask for it.
#[sqlx::test(migrations = false)]
async fn only_the_old_address_may_undo(pool: PgPool) {
    let world = World::start(pool).await;
    for (reference, secret) in [("undo", "Undo-Token"), ("not-me", "Not-Me-Token")] {
        world.accounts.lock().unwrap().secrets.insert(reference.to_owned(), secret.to_owned());
    }
    let changed = proto::auth::v1::EmailChanged {
        user_id: world.user_id.to_string(),
        old_email: "old@example.com".to_owned(),
        new_email: "new@example.com".to_owned(),
        undo_reference: "undo".to_owned(),
        link_reference: "not-me".to_owned(),
    };
    world.consumer.handle(&crate::fixture::event("auth.v1.email_changed", &changed)).await.unwrap();
    world.send_due().await;
    let received = world.sink.received();
    assert_eq!(received.len(), 2);
    for mail in received {
        let is_old = mail.contains("<old@example.com>");
        assert_eq!(mail.contains("https://solvane.test/undo#token=Undo-Token"), is_old, "{mail}");
        assert_eq!(mail.contains("https://solvane.test/not-me#token=Not-Me-Token"), !is_old, "{mail}");
    }
}
