//! Staff list, take, answer and close cases.

use chassis::identity::Role;
use chassis::testing::with_token;
use proto::cases::v1::staff_service_server::StaffService;
use proto::cases::v1::{
    AssignCaseRequest, CaseFilter, CaseState, ClaimCaseRequest, GetStaffCaseRequest, ListColleaguesRequest, Party,
    ReleaseCaseRequest,
};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::fixture::{Person, World, code};

/// [D-M8] An answer is the member's turn, and what the member adds is staff's again; each is an event and an audit row.
#[sqlx::test(migrations = false)]
async fn staff_answer_in_turn(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, staff) = (world.member(), world.staff(Role::Reviewer));
    let case = world.open(&member, "a").await.unwrap();
    let more = world.write(&member, &case, "b").await.unwrap();
    assert_eq!(more.answer_due_at, case.answer_due_at, "what is added does not move the time");
    assert_eq!(code(world.answer(&staff, &case, 1).await), "STALE_REVISION");
    assert_eq!(code(world.close_as_staff(&staff, &case).await), "CASE_NOT_ANSWERED");
    let answered = world.answer(&staff, &case, 2).await.unwrap();
    assert_eq!((answered.state(), answered.answer_due_at), (CaseState::Waiting, None));
    assert_eq!(answered.owner_id, staff.id.to_string());
    let (seen, messages) = world.read(&member, &case).await.unwrap();
    assert_eq!((seen.owner_id.as_str(), messages[2].author(), messages[2].author_id.as_str()), ("", Party::Staff, ""));
    let asked = world.write(&member, &case, "c").await.unwrap();
    assert_eq!((asked.state(), asked.first_answered_at), (CaseState::Open, answered.first_answered_at));
    world.answer(&staff, &case, 4).await.unwrap();
    let closed = world.close_as_staff(&staff, &case).await.unwrap();
    assert_eq!((closed.state(), closed.closed_by()), (CaseState::Closed, Party::Staff));
    assert_eq!(code(world.close_as_staff(&staff, &case).await), "CASE_CLOSED");
    assert_eq!(world.audited().await, ["case.answer", "case.answer", "case.close"]);
    let events = ["cases.v1.opened", "cases.v1.answered", "cases.v1.answered", "cases.v1.closed"];
    assert_eq!(world.events().await, events);
}

/// [D-M8] A case has one owner, who can give it back, and whom a colleague can relieve.
#[sqlx::test(migrations = false)]
async fn staff_take_and_give_back(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, one, two) = (world.member(), world.staff(Role::Reviewer), world.staff(Role::Treasurer));
    let case = world.open(&member, "a").await.unwrap();
    let claim = async |staff: &Person| {
        let message = ClaimCaseRequest { id: case.id.clone(), client_address: "::1".to_owned() };
        world.grpc.claim_case(with_token(message, &staff.token)).await.unwrap().into_inner().case.unwrap().owner_id
    };
    let release = async |staff: &Person| {
        let message = ReleaseCaseRequest { id: case.id.clone(), client_address: "::1".to_owned() };
        world.grpc.release_case(with_token(message, &staff.token)).await.unwrap().into_inner().case.unwrap().owner_id
    };
    assert_eq!(claim(&one).await, one.id.to_string());
    assert_eq!(claim(&one).await, one.id.to_string());
    assert_eq!(release(&two).await, one.id.to_string(), "only the owner gives it back");
    assert_eq!(claim(&two).await, two.id.to_string());
    assert_eq!(release(&two).await, "");
    assert_eq!(world.audited().await, ["case.claim", "case.claim", "case.release"]);
}

/// [D-M8] [R9] A case is handed to a colleague, who may answer it, too.
#[sqlx::test(migrations = false)]
async fn staff_hand_a_case_to_a_colleague(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, one, two) = (world.member(), world.staff(Role::Reviewer), world.staff(Role::Treasurer));
    let (manager, stranger) = (world.staff(Role::Manager), Uuid::new_v4());
    let case = world.open(&member, "a").await.unwrap();
    let assign = async |staff: &Person, owner: String| {
        let (id, client_address) = (case.id.clone(), "::1".to_owned());
        let message = AssignCaseRequest { id, owner_id: owner, client_address };
        let answer = world.grpc.assign_case(with_token(message, &staff.token)).await?;
        let case = answer.into_inner().case.unwrap();
        Ok::<_, Status>((case.owner_id, case.assigned_by))
    };
    let colleagues = async |staff: &Person| {
        let answer = world.grpc.list_colleagues(with_token(ListColleaguesRequest {}, &staff.token)).await?;
        Ok::<_, Status>(answer.into_inner().user_ids)
    };
    assert_eq!(colleagues(&one).await.unwrap(), [two.id.to_string()]);
    for staff in [&manager, &member] {
        assert_eq!(code(colleagues(staff).await), "PERMISSION_DENIED");
        assert_eq!(code(assign(staff, two.id.to_string()).await), "PERMISSION_DENIED");
    }
    for owner in [manager.id.to_string(), member.id.to_string(), stranger.to_string(), "x".to_owned()] {
        assert_eq!(code(assign(&one, owner).await), "VALIDATION_FAILED");
    }
    let from = |by: &Person, to: &Person| (to.id.to_string(), by.id.to_string());
    for _ in 0..2 {
        assert_eq!(assign(&one, two.id.to_string()).await.unwrap(), from(&one, &two));
    }
    assert_eq!(world.listed(&two, CaseFilter::Mine, "", 10).await, [case.number]);
    assert_eq!(assign(&two, one.id.to_string()).await.unwrap(), from(&two, &one));
    let (seen, _) = world.read(&member, &case).await.unwrap();
    assert_eq!(seen.assigned_by, "", "members see no staff");
    let own = assign(&one, one.id.to_string()).await.unwrap();
    assert_eq!(own, from(&two, &one), "the owner already has it");
    let message = ReleaseCaseRequest { id: case.id.clone(), client_address: "::1".to_owned() };
    let freed = world.grpc.release_case(with_token(message, &one.token)).await.unwrap().into_inner().case.unwrap();
    assert_eq!((freed.owner_id.as_str(), freed.assigned_by.as_str()), ("", ""));
    let taken = assign(&one, one.id.to_string()).await.unwrap();
    assert_eq!(taken, (one.id.to_string(), String::new()), "taken from no colleague");
    world.close(&member, &case).await.unwrap();
    assert_eq!(code(assign(&one, two.id.to_string()).await), "CASE_CLOSED");
    let acts = ["case.assign", "case.assign", "case.release", "case.assign"];
    assert_eq!(world.audited().await, acts);
}

/// [D-M8] The lists of staff, page by page.
#[sqlx::test(migrations = false)]
async fn staff_list_what_waits(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, other, staff) = (world.member(), world.member(), world.staff(Role::Reviewer));
    let first = world.open(&member, "a").await.unwrap();
    let second = world.complain(&member).await;
    let third = world.open(&other, "c").await.unwrap();
    let fourth = world.open(&other, "d").await.unwrap();
    world.answer(&staff, &first, 1).await.unwrap();
    world.close(&other, &fourth).await.unwrap();
    for size in [1, 10] {
        let list = async |filter, member: &str| world.listed(&staff, filter, member, size).await;
        assert_eq!(list(CaseFilter::Unspecified, "").await, [second.number, third.number]);
        assert_eq!(list(CaseFilter::Mine, "").await, [first.number]);
        assert_eq!(list(CaseFilter::Unowned, "").await, [second.number, third.number]);
        assert_eq!(list(CaseFilter::Complaints, "").await, [second.number]);
        assert_eq!(list(CaseFilter::Due, "").await, [] as [i64; 0]);
        assert_eq!(list(CaseFilter::Member, &other.id.to_string()).await, [fourth.number, third.number]);
    }
    let late = "UPDATE cases SET answer_due_at = now() - number * interval '1 minute' WHERE state = 'open'";
    sqlx::query(late).execute(&world.pool).await.unwrap();
    for size in [1, 10] {
        assert_eq!(world.listed(&staff, CaseFilter::Due, "", size).await, [third.number, second.number]);
    }
}

/// [D-O1] [D-M8] All staff read, reviewers and treasurers answer; members do neither.
#[sqlx::test(migrations = false)]
async fn only_some_staff_answer(pool: PgPool) {
    let world = World::new(pool).await;
    let member = world.member();
    let case = world.open(&member, "a").await.unwrap();
    let read = async |token: &str| {
        world.grpc.get_staff_case(with_token(GetStaffCaseRequest { id: case.id.clone() }, token)).await
    };
    assert_eq!(code(read(&member.token).await), "PERMISSION_DENIED");
    assert_eq!(code(world.answer(&member, &case, 1).await), "PERMISSION_DENIED");
    for role in [Role::Manager, Role::Auditor, Role::Admin] {
        let staff = world.staff(role);
        assert!(read(&staff.token).await.is_ok());
        assert_eq!(code(world.answer(&staff, &case, 1).await), "PERMISSION_DENIED");
        assert_eq!(code(world.close_as_staff(&staff, &case).await), "PERMISSION_DENIED");
    }
    assert!(world.answer(&world.staff(Role::Treasurer), &case, 1).await.is_ok());
}
