//! The register of complaints.

use cases::app::erase_members::MemberCases;
use cases::domain::working_days;
use chassis::clock;
use chassis::erasure::Erase;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::cases::v1::staff_service_server::StaffService;
use proto::cases::v1::{Case, CaseFilter, CaseState, RegisterComplaintRequest};
use sqlx::PgPool;

use crate::fixture::{Person, World, code};

async fn register(world: &World, staff: &Person, case: &Case) -> Result<Case, tonic::Status> {
    let client_address = "::1".to_owned();
    let message = RegisterComplaintRequest { id: case.id.clone(), client_address, idempotency: None };
    Ok(world.grpc.register_complaint(with_token(message, &staff.token)).await?.into_inner().case.unwrap())
}

/// [D-M8] A complaint has a deadline of ten working days, also one that staff recognised; it stays in the register when closed.
#[sqlx::test(migrations = false)]
async fn complaints_have_a_register_and_a_deadline(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, staff) = (world.member(), world.staff(Role::Reviewer));
    let own = world.complain(&member).await;
    let case = world.open(&member, "I am not content.").await.unwrap();
    let registered = register(&world, &staff, &case).await.unwrap();
    let at = |at: &Option<clock::Timestamp>| at.as_ref().and_then(clock::from_proto).unwrap();
    for one in [&own, &registered] {
        assert_eq!(at(&one.complaint_due_at), working_days::after(at(&one.complaint_at), 10));
    }
    assert_eq!(register(&world, &staff, &case).await.unwrap(), registered, "once is enough");
    assert_eq!(world.audited().await, ["case.complaint"]);
    assert_eq!(world.events().await, ["cases.v1.opened", "cases.v1.opened", "cases.v1.complaint_registered"]);
    world.answer(&staff, &case, 1).await.unwrap();
    let closed = world.close_as_staff(&staff, &case).await.unwrap();
    assert_eq!((closed.state(), closed.complaint_due_at), (CaseState::Closed, registered.complaint_due_at));
    assert_eq!(code(register(&world, &staff, &case).await), "CASE_CLOSED");
    assert_eq!(world.listed(&staff, CaseFilter::Complaints, "", 10).await, [case.number, own.number]);
}

/// [D-M8] An answered complaint that is not settled in time is late, a closed one is not.
#[sqlx::test(migrations = false)]
async fn a_complaint_is_late_until_it_is_settled(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, staff) = (world.member(), world.staff(Role::Reviewer));
    let case = world.open(&member, "I am not content.").await.unwrap();
    world.answer(&staff, &case, 1).await.unwrap();
    let late =
        "UPDATE cases SET complaint_at = now() - interval '15 days', complaint_due_at = now() - interval '1 day'";
    sqlx::query(late).execute(&world.pool).await.unwrap();
    assert_eq!(world.listed(&staff, CaseFilter::Due, "", 10).await, [case.number]);
    world.close_as_staff(&staff, &case).await.unwrap();
    assert!(world.listed(&staff, CaseFilter::Due, "", 10).await.is_empty());
}

/// [D-M8] [D-A12] No complaint leaves the register, not even with the personal data of its member; other cases do.
#[sqlx::test(migrations = false)]
async fn complaints_stay(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other) = (world.member(), world.member());
    let complaint = world.complain(&member).await;
    world.open(&member, "A question").await.unwrap();
    let kept = world.open(&other, "Another question").await.unwrap();
    for sql in [
        "UPDATE cases SET complaint_at = NULL, complaint_due_at = NULL WHERE complaint_at IS NOT NULL",
        "UPDATE cases SET complaint_due_at = now() + interval '1 year' WHERE complaint_at IS NOT NULL",
        "DELETE FROM case_messages WHERE case_id IN (SELECT id FROM cases WHERE complaint_at IS NOT NULL)",
        "TRUNCATE cases CASCADE",
    ] {
        assert!(sqlx::query(sql).execute(&world.pool).await.is_err(), "{sql}");
    }
    let mut tx = world.db.begin().await.unwrap();
    MemberCases.erase(&mut tx, &[member.id.into()]).await.unwrap();
    MemberCases.erase(&mut tx, &[member.id.into()]).await.unwrap();
    tx.commit().await.unwrap();
    let left: Vec<i64> =
        sqlx::query_scalar("SELECT number FROM cases ORDER BY number").fetch_all(&world.pool).await.unwrap();
    assert_eq!(left, [complaint.number, kept.number]);
}
