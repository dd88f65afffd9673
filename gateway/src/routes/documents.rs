//! The check of a document by its number, for everybody who has it (D-M9).

use axum::extract::{Path, State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::documents::{self, DocumentRecord};
use crate::error::{ApiError, Errors};
use crate::json::{Reply, ok};

/// The response with what is known of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentReply {
    success: bool,
    document: DocumentRecord,
}

/// Check a document
///
/// Says that a statement, receipt or year report with this number was issued, when, and the hash of its file: nothing about
/// the member. Limited per minute like sign-ins.
#[utoipa::path(get, path = "/documents/{number}",
    params(("number" = String, Path, example = "SD-0A1B-2C3D-4E5F-6G7H")),
    responses((status = 200, body = DocumentReply), Errors), security(), tag = "Documents")]
pub async fn check(State(app): State<App>, Path(number): Path<String>) -> Result<Reply<DocumentReply>, ApiError> {
    Ok(ok(DocumentReply { success: true, document: documents::find(&app.files, &number).await? }))
}
