//! Announcements: two people publish one, one person ends it.

use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::with_token;
use mailer::grpc::GrpcServer;
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::proposal_service_server::ProposalService;
use proto::mailer::v1::announcement_service_server::AnnouncementService;
use proto::mailer::v1::notice_service_server::NoticeService;
use proto::mailer::v1::{
    EndAnnouncementRequest, ListAnnouncementsRequest, ListNoticesRequest, ProposeAnnouncementRequest,
};
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::World;

fn announcement(text: &str, hours: i32) -> ProposeAnnouncementRequest {
    let client_address = "::1".to_owned();
    ProposeAnnouncementRequest { text: text.to_owned(), hours, client_address, idempotency: None }
}

fn code(status: &Status) -> String {
    from_status(status).code
}

async fn confirm(grpc: &GrpcServer, id: &str, token: &str) -> Result<(), String> {
    let message = ConfirmProposalRequest {
        proposal_id: id.to_owned(),
        client_address: "::1".to_owned(),
        ..ConfirmProposalRequest::default()
    };
    grpc.proposals().confirm_proposal(with_token(message, token)).await.map(drop).map_err(|status| code(&status))
}

/// [D-M7] One person writes an announcement and another confirms it; then members see it until it ends, or one of them ends it.
#[sqlx::test(migrations = false)]
async fn two_people_announce(pool: PgPool) {
    let world = World::start(pool).await;
    let grpc = world.grpc();
    let (manager, admin) = (world.realm.staff(Role::Manager).1, world.realm.staff(Role::Admin).1);
    let (_, member) = world.realm.member();
    let shown = async || {
        let request = with_token(ListAnnouncementsRequest {}, &world.realm.service_token("gateway"));
        let everybody = grpc.list_announcements(request).await.unwrap().into_inner().announcements;
        let notices = grpc.list_notices(with_token(ListNoticesRequest::default(), &member)).await.unwrap();
        assert_eq!(notices.into_inner().announcements, everybody);
        everybody
    };

    let asked = with_token(announcement(" We move tonight. ", 24), &manager);
    let proposal = grpc.propose_announcement(asked).await.unwrap().into_inner().proposal.unwrap();
    assert_eq!((proposal.kind.as_str(), proposal.permission.as_str()), ("announcement.publish", "announce"));
    assert!(shown().await.is_empty());
    assert_eq!(confirm(&grpc, &proposal.id, &manager).await.unwrap_err(), "SELF_CONFIRMATION");
    confirm(&grpc, &proposal.id, &admin).await.unwrap();
    let published = shown().await;
    let (one, both) = (&published[0], (published[0].published_at.unwrap(), published[0].ends_at.unwrap()));
    assert_eq!((published.len(), one.text.as_str(), both.1.seconds - both.0.seconds), (1, "We move tonight.", 86_400));

    let end = async || {
        let message =
            EndAnnouncementRequest { id: one.id.clone(), client_address: "::1".to_owned(), idempotency: None };
        grpc.end_announcement(with_token(message, &manager)).await.map(drop).map_err(|status| code(&status))
    };
    end().await.unwrap();
    assert!(shown().await.is_empty());
    assert_eq!(end().await.unwrap_err(), "NOT_FOUND");
    let acts = "SELECT count(*) FROM audit_rows WHERE action IN
        ('announcement.publish.propose', 'announcement.publish.confirm', 'announcement.end')";
    assert_eq!(world.count(acts).await, 3);
}

/// [D-M7] [D-O1] Managers and admins announce, within bounds; nobody else does.
#[sqlx::test(migrations = false)]
async fn announcements_take_the_permission(pool: PgPool) {
    let world = World::start(pool).await;
    let grpc = world.grpc();
    for &role in Role::ALL {
        let token = world.realm.staff(role).1;
        let outcome = grpc.propose_announcement(with_token(announcement("", 721), &token)).await.unwrap_err();
        let refusal = from_status(&outcome);
        let may = matches!(role, Role::Manager | Role::Admin);
        assert_eq!(refusal.code, if may { "VALIDATION_FAILED" } else { "PERMISSION_DENIED" }, "{role:?}");
        assert_eq!(refusal.fields.len(), if may { 2 } else { 0 });
    }
}
