//! Notes of members on lessons of the course.

use axum::extract::{Path, State};
use proto::course::v1 as course;
use proto::course::v1::{AddNoteRequest, ChangeNoteRequest, ListNotesRequest, RemoveNoteRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::clients::{call, call_retrying};
use crate::error::{ApiError, Errors};
use crate::extract::VerifiedMember;
use crate::json::{Field, Form, Json, Reply, known_moment, ok};

/// A note on a lesson.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Serialize, ToSchema)]
pub struct NoteList {
    success: bool,
    notes: Vec<NoteEntry>,
}

/// The response with a note.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoteReply {
    success: bool,
    message: &'static str,
    note: NoteEntry,
}

impl NoteReply {
    fn saved(note: Option<course::Note>) -> Result<Reply<Self>, ApiError> {
        let note = note.ok_or_else(|| ApiError::internal("an answer without a note"))?;
        Ok(ok(Self { success: true, message: "The note is saved.", note: note.try_into()? }))
    }
}

/// The response when a note is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoteRemoved {
    success: bool,
    message: &'static str,
}

/// A note as it should be.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NoteBody {
    /// Seconds into the video; 0 for a text.
    #[schema(value_type = i32)]
    position: Field,
    /// Up to 2,000 characters.
    #[schema(value_type = String)]
    text: Field,
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
#[utoipa::path(get, path = "/courses/lessons/{id}/notes", params(("id" = String, Path)),
    responses((status = 200, body = NoteList), Errors), tag = "Course")]
pub async fn list(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Path(lesson_id): Path<String>,
) -> Result<Reply<NoteList>, ApiError> {
    let answer = call_retrying!(app.clients.course, list_notes, caller.out, ListNotesRequest { lesson_id })?;
    let notes = answer.into_inner().notes.into_iter().map(NoteEntry::try_from).collect::<Result<_, _>>()?;
    Ok(ok(NoteList { success: true, notes }))
}

/// Write a note on a lesson
#[utoipa::path(post, path = "/courses/lessons/{id}/notes", params(("id" = String, Path)), request_body = NoteBody,
    responses((status = 200, body = NoteReply), Errors), tag = "Course")]
pub async fn add(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Path(lesson_id): Path<String>,
    Json { value, .. }: Json<NoteBody>,
) -> Result<Reply<NoteReply>, ApiError> {
    let (position_seconds, text) = value.read()?;
    let message = AddNoteRequest { lesson_id, position_seconds, text };
    NoteReply::saved(call!(app.clients.course, add_note, caller.out, message)?.into_inner().note)
}

/// Change a note
#[utoipa::path(put, path = "/courses/lessons/{id}/notes/{noteId}",
    params(("id" = String, Path), ("noteId" = String, Path)), request_body = NoteBody,
    responses((status = 200, body = NoteReply), Errors), tag = "Course")]
pub async fn change(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Path((lesson_id, note_id)): Path<(String, String)>,
    Json { value, .. }: Json<NoteBody>,
) -> Result<Reply<NoteReply>, ApiError> {
    let (position_seconds, text) = value.read()?;
    let message = ChangeNoteRequest { lesson_id, note_id, position_seconds, text };
    NoteReply::saved(call_retrying!(app.clients.course, change_note, caller.out, message)?.into_inner().note)
}

/// Remove a note
#[utoipa::path(delete, path = "/courses/lessons/{id}/notes/{noteId}",
    params(("id" = String, Path), ("noteId" = String, Path)),
    responses((status = 200, body = NoteRemoved), Errors), tag = "Course")]
pub async fn remove(
    State(app): State<App>,
    VerifiedMember(caller): VerifiedMember,
    Path((lesson_id, note_id)): Path<(String, String)>,
) -> Result<Reply<NoteRemoved>, ApiError> {
    call!(app.clients.course, remove_note, caller.out, RemoveNoteRequest { lesson_id, note_id })?;
    Ok(ok(NoteRemoved { success: true, message: "The note is removed." }))
}
