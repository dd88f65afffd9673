//! Events that no mail could be made of, and their second chance.

use proto::common::v1::audit_service_server::AuditService;
use proto::common::v1::dead_letter_service_server::DeadLetterService;
use proto::common::v1::{ListAuditRowsRequest, ListDeadLettersRequest, ReplayDeadLetterRequest};

use chassis::bus::Handler;
use chassis::error::from_status;
use chassis::grpc::REPLAYED;
use chassis::identity::Role;
use chassis::testing::with_token;
use proto::auth::v1 as auth;
use proto::common::v1::Idempotency;

use sqlx::PgPool;

use crate::fixture::{World, event};

/// [D-O1] [D-O3] [D-G4] [Q4] [A15] An admin replays a dead letter: its mail is queued once, also when the call is repeated
/// under its key, and the act is in the trail.
#[sqlx::test(migrations = false)]
async fn an_admin_replays_a_dead_letter(pool: PgPool) {
    let world = World::start(pool).await;
    let grpc = world.grpc();
    let frozen = event("auth.v1.account_frozen", &auth::AccountFrozen { user_id: world.user_id.to_string() });
    let id = frozen.id.to_string();
    world.consumer.keep_dead_letter(&id, &frozen.key, &frozen.payload, "a template was broken").await.unwrap();
    let (admin, auditor) = (world.realm.staff(Role::Admin).1, world.realm.staff(Role::Auditor).1);
    let list = async || {
        let answer =
            grpc.dead_letters().list_dead_letters(with_token(ListDeadLettersRequest {}, &auditor)).await.unwrap();
        answer.into_inner().dead_letters
    };
    let letters = list().await;
    assert_eq!((letters.len(), letters[0].queue.as_str(), letters[0].id.as_str()), (1, "mailer.events", id.as_str()));
    let replay = async |token: &str| {
        let request = ReplayDeadLetterRequest { id: id.clone(), ..Default::default() };
        let answer = grpc.dead_letters().replay_dead_letter(with_token(request, token)).await;
        answer.map(drop).map_err(|status| from_status(&status).code)
    };
    for role in [Role::Reviewer, Role::Treasurer, Role::Manager, Role::Auditor] {
        assert_eq!(replay(&world.realm.staff(role).1).await.unwrap_err(), "PERMISSION_DENIED");
    }
    world.execute("ALTER TABLE mails RENAME TO away").await;
    assert!(replay(&admin).await.is_err());
    assert_eq!(list().await.len(), 1, "what still fails stays");
    world.execute("ALTER TABLE away RENAME TO mails").await;
    // Its effect and the row of the audit log are one transaction [A15].
    world.execute("ALTER TABLE audit_rows RENAME TO away").await;
    assert!(replay(&admin).await.is_err());
    world.execute("ALTER TABLE away RENAME TO audit_rows").await;
    assert_eq!((list().await.len(), world.count("SELECT count(*) FROM mails").await), (1, 0));
    assert_eq!(world.count("SELECT count(*) FROM inbox").await, 0);
    let key = Idempotency { key: "k".to_owned(), route: "replay".to_owned(), fingerprint: vec![1] };
    for replayed in [false, true] {
        let request = ReplayDeadLetterRequest { id: id.clone(), idempotency: Some(key.clone()), ..Default::default() };
        let answer = grpc.dead_letters().replay_dead_letter(with_token(request, &admin)).await.unwrap();
        assert_eq!(answer.metadata().contains_key(REPLAYED), replayed);
    }
    assert_eq!(replay(&admin).await.unwrap_err(), "NOT_FOUND");
    assert!(list().await.is_empty());
    assert_eq!(world.row().await.template, "account_frozen");
    // Delivered once more by the broker, it is known.
    world.consumer.handle(&frozen).await.unwrap();
    world.row().await;
    let rows = grpc.audit_log().list_audit_rows(with_token(ListAuditRowsRequest::default(), &auditor)).await.unwrap();
    let acts: Vec<_> =
        rows.into_inner().rows.into_iter().map(|row| (row.action, row.actor_role, row.subject_id)).collect();
    assert_eq!(acts, [("event.replay".to_owned(), "admin".to_owned(), id)]);
}
