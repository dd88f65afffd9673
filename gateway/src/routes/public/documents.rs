//! The check of a document by its number, for everybody who has it (D-M9).

use axum::extract::{Path, State};
use route_macros::{get, response};

use crate::app::App;
use crate::http::json::{Answer, ok};
use crate::papers::documents::{self, DocumentRecord};

/// The response with what is known of a document.
#[response]
pub struct DocumentReply {
    document: DocumentRecord,
}

/// Check a document
///
/// Says that a statement, receipt or year report with this number was issued, when, and the hash of its file: nothing about
/// the member. Limited per minute like sign-ins.
#[get("/documents/{number}", "Documents", params(("number" = String, Path, example = "SD-0A1B-2C3D-4E5F-6G7H")))]
pub async fn check(State(app): State<App>, Path(number): Path<String>) -> Answer<DocumentReply> {
    Ok(ok(DocumentReply { document: documents::find(&app.files, &number).await? }))
}
