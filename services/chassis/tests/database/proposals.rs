//! Proposals, which take two people.

use chassis::db::{self, Db, PgConnection};
use chassis::error::{Fault, Kind};
use chassis::id::ProposalId;
use chassis::identity::{Role, Staff};
use chassis::permission::Permission;
use chassis::proposal::{self, Apply, DecideProposal, Decision, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use chassis::testing::{Realm, with_token};
use proto::common::v1::ErrorReason;
use sqlx::{Executor, PgPool};

use crate::audit::broken_at;
use crate::fixture::{Error, database};
use crate::idempotency::claim;

/// Somebody at work whose decisions are signed.
async fn at_work(realm: &Realm) -> Staff {
    let metadata = with_token((), &realm.staff(Role::Manager).1).metadata().clone();
    realm.verifier().staff(&metadata, Permission::ChangePlans).await.unwrap()
}

async fn open(db: &Db, by: &Staff) -> Proposal {
    let mut tx = db.begin().await.unwrap();
    let change = serde_json::json!({"value": 1});
    let new = NewProposal {
        staff: by,
        address: "",
        kind: "plan.value",
        subject_id: None,
        member_id: None,
        change: &change,
        before: None,
        logged: change.clone(),
    };
    let proposal = proposal::open(&mut tx, new).await.unwrap();
    tx.commit().await.unwrap();
    proposal
}

fn command(id: ProposalId, decision: Decision, by: &Staff) -> DecideProposal {
    let call = StaffCall { staff: by.clone(), address: String::new(), claim: None };
    DecideProposal { call, id, decision }
}

/// A service whose proposals change nothing.
struct NoEffect;

impl Apply for NoEffect {
    type Error = Error;

    async fn apply(&self, _: &mut PgConnection, proposal: Proposal) -> Result<Proposal, Error> {
        Ok(proposal)
    }
}

async fn decide(db: &Db, command: &DecideProposal) -> Result<Proposal, Error> {
    proposal::decide_and_apply(db, command, &NoEffect).await.map(|answer| answer.result)
}

/// [D-O4] [D-R2] Nobody confirms their own proposal: the use case refuses, and so does the database.
#[sqlx::test(migrations = false)]
async fn nobody_confirms_their_own_proposal(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let id = open(&db, &one).await.id;
    let own = decide(&db, &command(id, Decision::Confirm, &one)).await.unwrap_err();
    assert_eq!((own.kind(), own.reason()), (Kind::Forbidden, ErrorReason::SelfConfirmation));
    let direct =
        sqlx::query("UPDATE proposals SET status = 'confirmed', decided_by = $1, decided_at = clock_timestamp()")
            .bind(one.id)
            .execute(&pool)
            .await
            .unwrap_err();
    assert_eq!(db::constraint(&direct), Some("proposals_two_people"));
    let confirmed = decide(&db, &command(id, Decision::Confirm, &two)).await.unwrap();
    assert_eq!((confirmed.status.as_str(), confirmed.decided_by), ("confirmed", Some(two.id)));
    let again = decide(&db, &command(id, Decision::Reject, &one)).await.unwrap_err();
    assert_eq!((again.kind(), again.reason()), (Kind::Conflict, ErrorReason::ProposalClosed));
}

/// [D-R2] The proposer may take it back.
#[sqlx::test(migrations = false)]
async fn a_proposal_may_be_taken_back(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let one = at_work(&realm).await;
    let id = open(&db, &one).await.id;
    assert_eq!(decide(&db, &command(id, Decision::Reject, &one)).await.unwrap().status, "rejected");
}

/// [D-O6] C4: a proposal falls when its proposer loses the role, with the refusal as the answer under the key; it may still
/// be rejected by the one who would have confirmed it.
#[sqlx::test(migrations = false)]
async fn a_proposal_falls_with_the_role_of_its_proposer(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let (confirmed, rejected) = (open(&db, &one).await, open(&db, &one).await);
    realm.give_role(one.id, Some(Role::Auditor));
    let ended = decide(&db, &command(rejected.id, Decision::Reject, &two)).await.unwrap();
    assert_eq!((ended.status.as_str(), ended.decided_by), ("rejected", Some(two.id)));
    let mut confirm = command(confirmed.id, Decision::Confirm, &two);
    confirm.call.claim = claim(two.id, "k", "body", "r");
    for _ in 0..2 {
        let no = decide(&db, &confirm).await.unwrap_err();
        assert_eq!((no.kind(), no.reason()), (Kind::Conflict, ErrorReason::ProposerNotPermitted));
    }
    let other = decide(&db, &command(confirmed.id, Decision::Confirm, &two)).await.unwrap_err();
    assert_eq!(other.reason(), ErrorReason::ProposalClosed);
    let rows: Vec<(String, bool)> = sqlx::query_as("SELECT action, assertion IS NOT NULL FROM audit_rows ORDER BY id")
        .fetch_all(&pool)
        .await
        .unwrap();
    let signed = |action: &str, is_signed| (action.to_owned(), is_signed);
    let proposed = signed("plan.value.propose", false);
    assert_eq!(rows, [proposed.clone(), proposed, signed("plan.value.reject", true), signed("plan.value.drop", false)]);
    assert_eq!(broken_at(&db).await, None);
}

/// [D-B3] What changed between the signature and the transaction is refused and stays; a decision without a signature too.
#[sqlx::test(migrations = false)]
async fn what_was_not_signed_is_not_decided(pool: PgPool) {
    let (db, realm) = (database(&pool).await, Realm::new());
    let (one, two) = (at_work(&realm).await, at_work(&realm).await);
    let (proposal, other) = (open(&db, &one).await, open(&db, &one).await);
    let confirm = command(proposal.id, Decision::Confirm, &two);
    let elsewhere = proposal::sign::<Error>(&db, &command(other.id, Decision::Confirm, &two)).await.unwrap();
    let rejection = proposal::sign::<Error>(&db, &command(proposal.id, Decision::Reject, &two)).await.unwrap();
    let before = proposal::sign::<Error>(&db, &confirm).await.unwrap();
    pool.execute("UPDATE proposals SET change = '{\"value\": 2}'").await.unwrap();
    for signed in [before, elsewhere, rejection, None] {
        let mut tx = db.begin().await.unwrap();
        let no = proposal::decide::<Error>(&mut tx, &confirm, signed.as_ref()).await.unwrap_err();
        assert_eq!((no.kind(), no.reason()), (Kind::Conflict, ErrorReason::StaleRevision));
    }
    let nobody = Staff::new(two.id, Role::Manager);
    let no = proposal::sign::<Error>(&db, &command(proposal.id, Decision::Confirm, &nobody)).await.unwrap_err();
    assert_eq!(no.kind(), Kind::Forbidden);
    decide(&db, &confirm).await.unwrap();
}
