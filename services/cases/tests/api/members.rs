//! Members open, read, write in and close cases of their own.

use chassis::clock;
use chassis::identity::Role;
use proto::cases::v1::{CaseState, OpenCaseRequest, Party, Subject, SubjectKind, Topic};
use sqlx::PgPool;
use time::Duration;

use crate::fixture::{World, code, key, question};

/// [D-M8] A case has the reference, the text, and the time until which staff mean to answer.
#[sqlx::test(migrations = false)]
async fn a_member_opens_a_case_about_something(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let subject = Subject { kind: SubjectKind::Payment.into(), reference: " 0xfeed ".to_owned() };
    let message = OpenCaseRequest { subject: Some(subject), ..question(" Where is it?\r\nI paid. ") };
    let case = world.send(&member, message).await.unwrap();
    assert_eq!((case.topic(), case.state(), case.messages), (Topic::Deposit, CaseState::Open, 1));
    assert_eq!(case.subject.as_ref().unwrap().reference, "0xfeed");
    let at = |at: &Option<clock::Timestamp>| at.as_ref().and_then(clock::from_proto).unwrap();
    assert_eq!(at(&case.answer_due_at) - at(&case.created_at), Duration::hours(24));
    assert_eq!(case.complaint_at, None);
    let (read, messages) = world.read(&member, &case).await.unwrap();
    assert_eq!(read, case);
    assert_eq!((messages.len(), messages[0].author(), &*messages[0].text), (1, Party::Member, "Where is it?\nI paid."));
    assert_eq!(world.events().await, ["cases.v1.opened"]);
    let payload: Vec<u8> = sqlx::query_scalar("SELECT payload FROM outbox").fetch_one(&world.pool).await.unwrap();
    assert!(!String::from_utf8_lossy(&payload).contains("Where"), "an event says nothing of what was written");
}

/// [D-M8] [S3] Nobody reads, writes in or closes the case of another member.
#[sqlx::test(migrations = false)]
async fn cases_are_the_members_own(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two, staff) = (world.member(), world.member(), world.staff(Role::Reviewer));
    let case = world.open(&one, "Mine").await.unwrap();
    assert_eq!(code(world.read(&two, &case).await), "NOT_FOUND");
    assert_eq!(code(world.write(&two, &case, "Hello").await), "NOT_FOUND");
    assert_eq!(code(world.close(&two, &case).await), "NOT_FOUND");
    assert_eq!(code(world.open(&staff, "I am no member").await), "PERMISSION_DENIED");
    assert!(world.own(&two).await.is_empty());
    assert_eq!(world.own(&one).await, [case.number]);
}

/// [D-M8] A frozen member can still object to it.
#[sqlx::test(migrations = false)]
async fn a_frozen_member_opens_a_case(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    world.realm.freeze(member.id);
    let subject = Subject { kind: SubjectKind::Freeze.into(), reference: String::new() };
    let message = OpenCaseRequest { topic: Topic::Account.into(), subject: Some(subject), ..question("Why?") };
    let case = world.send(&member, message).await.unwrap();
    assert!(world.write(&member, &case, "Please tell me.").await.is_ok());
}

/// [D-M8] At most five cases are not closed, twenty messages an hour are written, and what is wrong is named.
#[sqlx::test(migrations = false)]
async fn cases_are_bounded(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let wrong = Subject { kind: SubjectKind::Trade.into(), reference: "x".to_owned() };
    for message in [
        question(" "),
        question(&"a".repeat(4_001)),
        question("a\u{202e}b"),
        OpenCaseRequest { topic: 0, ..question("a") },
        OpenCaseRequest { subject: Some(wrong), ..question("a") },
    ] {
        assert_eq!(code(world.send(&member, message).await), "VALIDATION_FAILED");
    }
    let mut cases = Vec::new();
    for _ in 0..5 {
        cases.push(world.open(&member, "a").await.unwrap());
    }
    assert_eq!(code(world.open(&member, "a").await), "TOO_MANY_CASES");
    assert!(world.open(&other, "a").await.is_ok());
    world.close(&member, &cases[0]).await.unwrap();
    assert!(world.open(&member, "a").await.is_ok());
    for _ in 0..14 {
        world.write(&member, &cases[1], "a").await.unwrap();
    }
    assert_eq!(code(world.write(&member, &cases[1], "a").await), "TOO_MANY_REQUESTS");
    assert!(world.open(&other, "a").await.is_ok());
}

/// [L9] [D-M8] The same key opens one case, and is refused with another text.
#[sqlx::test(migrations = false)]
async fn a_key_opens_one_case(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let message = OpenCaseRequest { idempotency: key("k", "a"), ..question("a") };
    let first = world.send(&member, message.clone()).await.unwrap();
    assert_eq!(world.send(&member, message).await.unwrap(), first);
    let other = OpenCaseRequest { idempotency: key("k", "b"), ..question("b") };
    assert_eq!(code(world.send(&member, other).await), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(world.own(&member).await, [first.number]);
}

/// [D-M8] A closed case stays closed and takes no messages; closing it again changes nothing.
#[sqlx::test(migrations = false)]
async fn a_closed_case_stays_closed(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let case = world.open(&member, "a").await.unwrap();
    let closed = world.close(&member, &case).await.unwrap();
    assert_eq!((closed.state(), closed.closed_by(), closed.answer_due_at), (CaseState::Closed, Party::Member, None));
    assert_eq!(world.close(&member, &case).await.unwrap(), closed);
    assert_eq!(code(world.write(&member, &case, "b").await), "CASE_CLOSED");
    let reopened = sqlx::query("UPDATE cases SET state = 'waiting', closed_at = NULL, closed_by = NULL");
    assert!(reopened.execute(&world.pool).await.unwrap_err().to_string().contains("is closed"));
}

/// [D-M8] What is written stays as it was written.
#[sqlx::test(migrations = false)]
async fn messages_never_change(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    world.open(&member, "a").await.unwrap();
    assert!(sqlx::query("UPDATE case_messages SET text = 'b'").execute(&world.pool).await.is_err());
    assert!(sqlx::query("TRUNCATE case_messages").execute(&world.pool).await.is_err());
}
