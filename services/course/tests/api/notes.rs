//! Notes of members on lessons.

use chassis::testing::with_token;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::{AddNoteRequest, ChangeNoteRequest, ListNotesRequest, Note, RemoveNoteRequest};
use sqlx::PgPool;
use tonic::Status;

use crate::fixture::{Member, PREVIEW, SOLD, World, code};

impl World {
    async fn notes(&self, member: &Member, lesson: &str) -> Result<Vec<Note>, Status> {
        let message = with_token(ListNotesRequest { lesson_id: lesson.to_owned() }, &member.token);
        Ok(self.grpc.list_notes(message).await?.into_inner().notes)
    }

    async fn add_note(&self, member: &Member, lesson: &str, position: i32, text: &str) -> Result<Note, Status> {
        let (lesson_id, text) = (lesson.to_owned(), text.to_owned());
        let message = AddNoteRequest { lesson_id, position_seconds: position, text };
        Ok(self.grpc.add_note(with_token(message, &member.token)).await?.into_inner().note.unwrap())
    }

    async fn change_note(&self, member: &Member, id: &str, text: &str) -> Result<Note, Status> {
        let (lesson_id, note_id, text) = (SOLD.to_owned(), id.to_owned(), text.to_owned());
        let message = ChangeNoteRequest { lesson_id, note_id, position_seconds: 5, text };
        Ok(self.grpc.change_note(with_token(message, &member.token)).await?.into_inner().note.unwrap())
    }

    async fn remove_note(&self, member: &Member, id: &str) -> Result<(), Status> {
        let message = RemoveNoteRequest { lesson_id: SOLD.to_owned(), note_id: id.to_owned() };
        self.grpc.remove_note(with_token(message, &member.token)).await.map(drop)
    }
}

/// [D-C5] Notes are kept by position, and are the member's own.
#[sqlx::test(migrations = false)]
async fn notes_are_the_members_own(pool: PgPool) {
    let world = World::new(pool).await;
    let (one, two) = (world.buyer(), world.buyer());
    let later = world.add_note(&one, SOLD, 90, "Second").await.unwrap();
    let earlier = world.add_note(&one, SOLD, 30, "First\nline").await.unwrap();
    assert_eq!(world.notes(&one, SOLD).await.unwrap(), [earlier.clone(), later.clone()]);
    assert!(world.notes(&two, SOLD).await.unwrap().is_empty());
    assert_eq!(code(world.change_note(&two, &later.id, "Mine").await), "NOT_FOUND");
    assert_eq!(code(world.remove_note(&two, &later.id).await), "NOT_FOUND");
    assert_eq!(code(world.remove_note(&one, "x").await), "NOT_FOUND");
    let changed = world.change_note(&one, &later.id, "Changed").await.unwrap();
    assert_eq!((changed.position_seconds, changed.text.as_str()), (5, "Changed"));
    assert_eq!(changed.created_at, later.created_at);
    world.remove_note(&one, &earlier.id).await.unwrap();
    assert_eq!(world.notes(&one, SOLD).await.unwrap(), [changed]);
}

/// [D-C5] Notes need access to the lesson, are bounded in length and number, and what is wrong is named.
#[sqlx::test(migrations = false)]
async fn notes_are_bounded(pool: PgPool) {
    let world = World::new(pool).await;
    let (member, buyer) = (world.member(), world.buyer());
    assert_eq!(code(world.add_note(&member, SOLD, 0, "a").await), "PERMISSION_DENIED");
    assert_eq!(code(world.notes(&member, SOLD).await), "PERMISSION_DENIED");
    assert_eq!(code(world.notes(&member, "nothing").await), "NOT_FOUND");
    assert!(world.add_note(&member, PREVIEW, 0, "a").await.is_ok());
    for (position, text) in [(-1, "a"), (86_401, "a"), (0, " "), (0, &"a".repeat(2_001))] {
        assert_eq!(code(world.add_note(&buyer, SOLD, position, text).await), "VALIDATION_FAILED");
    }
    for position in 0..100 {
        world.add_note(&buyer, SOLD, position, "a").await.unwrap();
    }
    assert_eq!(code(world.add_note(&buyer, SOLD, 0, "a").await), "TOO_MANY_NOTES");
    assert!(world.add_note(&buyer, PREVIEW, 0, "a").await.is_ok());
}
