//! Notes of members on lessons of the course.

use axum::extract::Path;
use proto::course::v1 as course;
use proto::course::v1::{AddNoteRequest, ChangeNoteRequest, ListNotesRequest, RemoveNoteRequest};
use route_macros::{delete, get, post, put, request, response};

use crate::clients::{ask, send};
use crate::error::ApiError;
use crate::extract::VerifiedMember;
use crate::json::{Answer, Field, Form, Json, known_moment, ok};

/// A note on a lesson.
#[response]
pub struct NoteEntry {
    id: String,
    /// Seconds into the video; 0 for a text.
    position: i32,
    text: String,
    created_at: String,
    updated_at: String,
}

impl TryFrom<course::Note> for NoteEntry {
    type Error = ApiError;

    fn try_from(note: course::Note) -> Result<Self, ApiError> {
        Ok(Self {
            id: note.id,
            position: note.position_seconds,
            text: note.text,
            created_at: known_moment(note.created_at.as_ref())?,
            updated_at: known_moment(note.updated_at.as_ref())?,
        })
    }
}

/// The response with notes.
#[response]
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
        let note = note.ok_or_else(|| ApiError::internal("an answer without a note"))?;
        Ok(ok(Self { message: "The note is saved.", note: note.try_into()? }))
    }
}

/// The response when a note is gone.
#[response]
pub struct NoteRemoved {
    message: &'static str,
}

/// A note as it should be.
#[request]
pub struct NoteBody {
    /// Seconds into the video; 0 for a text.
    position: Field<i32>,
    /// Up to 2,000 characters.
    text: Field<String>,
}

impl NoteBody {
    fn read(&self) -> Result<(i32, String), ApiError> {
        let mut form = Form::new();
        let read = (form.integer("position", &self.position), form.text("text", &self.text));
        form.finish()?;
        Ok(read)
    }
}

/// List the notes on a lesson
///
/// The member's own, in the order of their positions.
#[get("/courses/lessons/{id}/notes", "Course")]
pub async fn list(caller: VerifiedMember, Path(lesson_id): Path<String>) -> Answer<NoteList> {
    let answer = ask!(caller.course.list_notes(ListNotesRequest { lesson_id }))?;
    let notes = answer.notes.into_iter().map(NoteEntry::try_from).collect::<Result<_, _>>()?;
    Ok(ok(NoteList { notes }))
}

/// Write a note on a lesson
#[post("/courses/lessons/{id}/notes", "Course")]
pub async fn add(caller: VerifiedMember, Path(lesson_id): Path<String>, body: Json<NoteBody>) -> Answer<NoteReply> {
    let (position_seconds, text) = body.value.read()?;
    let message = AddNoteRequest { lesson_id, position_seconds, text };
    NoteReply::saved(send!(caller.course.add_note(message))?.note)
}

/// Change a note
#[put("/courses/lessons/{id}/notes/{noteId}", "Course")]
pub async fn change(
    caller: VerifiedMember,
    Path((lesson_id, note_id)): Path<(String, String)>,
    Json { value, .. }: Json<NoteBody>,
) -> Answer<NoteReply> {
    let (position_seconds, text) = value.read()?;
    let message = ChangeNoteRequest { lesson_id, note_id, position_seconds, text };
    NoteReply::saved(ask!(caller.course.change_note(message))?.note)
}

/// Remove a note
#[delete("/courses/lessons/{id}/notes/{noteId}", "Course")]
pub async fn remove(caller: VerifiedMember, Path((lesson_id, note_id)): Path<(String, String)>) -> Answer<NoteRemoved> {
    send!(caller.course.remove_note(RemoveNoteRequest { lesson_id, note_id }))?;
    Ok(ok(NoteRemoved { message: "The note is removed." }))
}
