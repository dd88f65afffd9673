//! Drafts, publications, and the way back.

use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::{assert_permitted, with_token};
use proto::common::v1::Idempotency;
use proto::course::v1::staff_service_server::StaffService;
use proto::course::v1::*;
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{World, code};

impl World {
    async fn studio(&self, token: &str) -> GetStudioResponse {
        self.grpc.get_studio(with_token(GetStudioRequest {}, token)).await.unwrap().into_inner()
    }

    async fn save(&self, token: &str, revision: i32, content: Option<Content>) -> Result<i32, Status> {
        let answer = self.grpc.save_draft(with_token(SaveDraftRequest { revision, content }, token)).await?;
        Ok(answer.into_inner().draft.unwrap().revision)
    }

    async fn publish(&self, token: &str, revision: i32, published: i32) -> Result<i32, Status> {
        Ok(self.grpc.publish_draft(with_token(publication(revision, published), token)).await?.into_inner().number)
    }

    async fn restore(&self, token: &str, number: i32, published: i32) -> Result<i32, Status> {
        let message = RestoreVersionRequest { number, published, ..Default::default() };
        Ok(self.grpc.restore_version(with_token(message, token)).await?.into_inner().number)
    }

    async fn title(&self) -> String {
        self.course(None).await.unwrap().title
    }

    async fn actions(&self) -> Vec<(String, String)> {
        sqlx::query_as("SELECT action, subject_id FROM audit_rows ORDER BY id").fetch_all(&self.pool).await.unwrap()
    }
}

fn publication(revision: i32, published: i32) -> PublishDraftRequest {
    PublishDraftRequest { revision, published, client_address: "::1".to_owned(), idempotency: None }
}

/// [D-C4] A draft changes nothing for members until it is published; then it does at once, and an audit row says so. The way
/// back is one as well.
#[sqlx::test(migrations = false)]
async fn a_draft_is_published_and_taken_back(pool: PgPool) {
    let world = World::new(pool).await;
    let manager = world.realm.staff(Role::Manager).1;
    let studio = world.studio(&manager).await;
    let (before, mut content) = (world.title().await, studio.content.clone().unwrap());
    assert_eq!((studio.published, studio.draft.as_ref().unwrap().revision), (1, 0));
    assert!(studio.draft.unwrap().changed_at.is_none());
    assert_eq!(code(world.publish(&manager, 0, 1).await), "NOT_FOUND");
    content.title = "Another title".to_owned();
    content.modules.reverse();
    assert_eq!(world.save(&manager, 0, Some(content.clone())).await.unwrap(), 1);
    assert_eq!(world.title().await, before);
    let studio = world.studio(&manager).await;
    assert_eq!(studio.content.as_ref(), Some(&content));
    assert!(studio.draft.unwrap().changed_at.is_some());
    assert_eq!(world.publish(&manager, 1, 1).await.unwrap(), 2);
    assert_eq!(world.title().await, "Another title");
    let studio = world.studio(&manager).await;
    assert_eq!((studio.published, studio.versions.len()), (2, 2));
    assert_eq!(studio.versions.iter().map(|version| version.lessons).collect::<Vec<_>>(), [7, 7]);
    assert!(studio.draft.unwrap().changed_at.is_none());
    assert_eq!(code(world.restore(&manager, 3, 2).await), "NOT_FOUND");
    assert_eq!(code(world.restore(&manager, 2, 2).await), "STALE_REVISION");
    assert_eq!(code(world.restore(&manager, 1, 1).await), "STALE_REVISION");
    assert_eq!(world.restore(&manager, 1, 2).await.unwrap(), 1);
    assert_eq!(world.title().await, before);
    let row = |action: &str, version: &str| (action.to_owned(), version.to_owned());
    let expected = [row("course.import", "1"), row("course.publish", "2"), row("course.restore", "1")];
    assert_eq!(world.actions().await, expected);
}

/// [D-C4] [D-G4] Nobody overwrites or publishes what they have not seen, and a repetition publishes once.
#[sqlx::test(migrations = false)]
async fn nobody_overwrites_what_they_have_not_seen(pool: PgPool) {
    let world = World::new(pool).await;
    let [one, two] = [world.realm.staff(Role::Manager).1, world.realm.staff(Role::Manager).1];
    let content = world.studio(&one).await.content;
    assert_eq!(world.save(&one, 0, content.clone()).await.unwrap(), 1);
    assert_eq!(code(world.save(&two, 0, content.clone()).await), "STALE_REVISION");
    assert_eq!(code(world.publish(&two, 0, 1).await), "STALE_REVISION");
    assert_eq!(code(world.publish(&two, 1, 2).await), "STALE_REVISION");
    let key = |key: &str| {
        let idempotency = Idempotency { key: key.to_owned(), route: "publish".to_owned(), fingerprint: Vec::new() };
        with_token(PublishDraftRequest { idempotency: Some(idempotency), ..publication(1, 1) }, &one)
    };
    for _ in 0..2 {
        assert_eq!(world.grpc.publish_draft(key("a")).await.unwrap().into_inner().number, 2);
    }
    assert_eq!(world.studio(&one).await.versions.len(), 2);
    // The revision counts on, so that an older page cannot bring its draft back.
    assert_eq!(code(world.save(&two, 1, content.clone()).await), "STALE_REVISION");
    assert_eq!(world.save(&two, 2, content).await.unwrap(), 3);
    assert_eq!(world.save(&two, 3, None).await.unwrap(), 4);
    assert!(world.studio(&one).await.draft.unwrap().changed_at.is_none());
    assert_eq!(code(world.publish(&one, 4, 2).await), "NOT_FOUND");
}

/// [D-C4] A draft may be unfinished, but is not published then; each part that is missing is named.
#[sqlx::test(migrations = false)]
async fn an_unfinished_draft_is_not_published(pool: PgPool) {
    let world = World::new(pool).await;
    let manager = world.realm.staff(Role::Manager).1;
    let mut content = world.studio(&manager).await.content.unwrap();
    content.modules[1].lessons[0].markdown.clear();
    content.modules[2].title.clear();
    world.save(&manager, 0, Some(content.clone())).await.unwrap();
    let refused = from_status(&world.publish(&manager, 1, 1).await.unwrap_err());
    let fields: Vec<_> = refused.fields.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        (refused.code.as_str(), fields),
        ("VALIDATION_FAILED", vec!["modules.1.lessons.0.markdown", "modules.2.title"])
    );
    content.modules[0].lessons[0].markdown = "x".repeat(2_000_001);
    assert_eq!(code(world.save(&manager, 1, Some(content)).await), "VALIDATION_FAILED");
    assert_eq!(world.actions().await.len(), 1);
}

/// [D-O1] Managers write and publish; everybody on the staff reads; members do not.
#[sqlx::test(migrations = false)]
async fn managers_alone_change_the_course(pool: PgPool) {
    let world = World::new(pool).await;
    for role in Role::ALL.iter().copied().map(Some).chain([None]) {
        let token = role.map_or_else(|| world.realm.member().1, |role| world.realm.staff(role).1);
        let (is_staff, is_manager) = (role.is_some(), role == Some(Role::Manager));
        let grpc = &world.grpc;
        let version = with_token(GetVersionRequest { number: 1 }, &token);
        assert_permitted(
            role,
            [
                (is_staff, grpc.get_studio(with_token(GetStudioRequest {}, &token)).await.err()),
                (is_staff, grpc.get_version(version).await.err()),
                (is_manager, world.save(&token, -1, None).await.err()),
                (is_manager, world.publish(&token, -1, 0).await.err()),
                (is_manager, world.restore(&token, 0, 0).await.err()),
            ],
        );
    }
}
