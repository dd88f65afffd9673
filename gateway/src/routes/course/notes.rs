//! Notes of members on lessons of the course.

use axum::extract::Path;
use proto::course::v1 as course;
use proto::course::v1::{AddNoteRequest, ChangeNoteRequest, ListNotesRequest, RemoveNoteRequest};
use route_macros::{delete, get, post, put, request, response};

use crate::extract::VerifiedMember;
use crate::http::convert::from_proto;
use crate::http::json::{Answer, Field, Json, ToProto, ok, reply};
use crate::peers::clients::{ask, send};

/// A note on a lesson.
#[response(from = course::Note)]
pub struct NoteEntry {
    id: String,
    /// Seconds into the video; 0 for a text.
    #[from(position_seconds)]
    position: i32,
    text: String,
    created_at: String,
    updated_at: String,
}

/// The response with notes.
#[response(from = course::ListNotesResponse)]
pub struct NoteList {
    notes: Vec<NoteEntry>,
}

/// The response with a note.
#[response]
pub struct NoteReply {
    message: &'static str,
    note: NoteEntry,
}

impl NoteReply {
    fn saved(note: Option<course::Note>) -> Answer<Self> {
        Ok(ok(Self { message: "The note is saved.", note: from_proto(note)? }))
    }
}

/// The response when a note is gone.
#[response]
pub struct NoteRemoved {
    message: &'static str,
}

/// A note as it should be.
#[request(to = AddNoteRequest, to = ChangeNoteRequest)]
pub struct NoteBody {
    /// Seconds into the video; 0 for a text.
    #[to(position_seconds)]
    position: Field<i32>,
    /// Up to 2,000 characters.
    text: Field<String>,
}

/// List the notes on a lesson
///
/// The member's own, in the order of their positions.
#[get("/courses/lessons/{id}/notes", "Course")]
pub async fn list(caller: VerifiedMember, Path(lesson_id): Path<String>) -> Answer<NoteList> {
    reply(ask!(caller.course.list_notes(ListNotesRequest { lesson_id }))?)
}

/// Write a note on a lesson
#[post("/courses/lessons/{id}/notes", "Course")]
pub async fn add(caller: VerifiedMember, Path(lesson_id): Path<String>, body: Json<NoteBody>) -> Answer<NoteReply> {
    let message = AddNoteRequest { lesson_id, ..body.value.to_proto()? };
    NoteReply::saved(send!(caller.course.add_note(message))?.note)
}

/// Change a note
#[put("/courses/lessons/{id}/notes/{noteId}", "Course")]
pub async fn change(
    caller: VerifiedMember,
    Path((lesson_id, note_id)): Path<(String, String)>,
    Json { value, .. }: Json<NoteBody>,
) -> Answer<NoteReply> {
    let message = ChangeNoteRequest { lesson_id, note_id, ..value.to_proto()? };
    NoteReply::saved(ask!(caller.course.change_note(message))?.note)
}

/// Remove a note
#[delete("/courses/lessons/{id}/notes/{noteId}", "Course")]
pub async fn remove(caller: VerifiedMember, Path((lesson_id, note_id)): Path<(String, String)>) -> Answer<NoteRemoved> {
    send!(caller.course.remove_note(RemoveNoteRequest { lesson_id, note_id }))?;
    Ok(ok(NoteRemoved { message: "The note is removed." }))
}
