//! Certificates of the course, for everybody who knows the number: as JSON and as a PDF to print.

mod pdf;

use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use pdf::Page;
use proto::course::v1::GetCertificateRequest;
use route_macros::{get, response};

use crate::app::App;
use crate::extract::Visitor;
use crate::http::convert::{from_proto, required};
use crate::http::error::{ApiError, Errors};
use crate::http::json::ok;
use crate::peers::clients::call_retrying;

/// A certificate.
#[response]
pub struct Certificate {
    /// The member's when it was issued.
    name: String,
    /// The title of the course when it was issued.
    course: String,
    issued_at: String,
    /// Whether the purchase was refunded since.
    ended: bool,
}

/// The response with a certificate.
#[response]
pub struct CertificateReply {
    certificate: Certificate,
}

/// Verify a certificate
///
/// With `.pdf` behind the number, the certificate to print.
#[get("/certificates/{certificateNumber}", "Course",
    responses((status = 200, content((CertificateReply = "application/json"), (String = "application/pdf"))), Errors))]
pub async fn get(visitor: Visitor, Path(number): Path<String>) -> Result<Response, ApiError> {
    if let Some(number) = number.strip_suffix(".pdf") {
        return print(&visitor.app, &visitor, number.to_owned()).await;
    }
    let certificate = read(&visitor.app, &visitor, number).await?;
    Ok(ok(CertificateReply { certificate }).into_response())
}

async fn print(app: &App, visitor: &Visitor, number: String) -> Result<Response, ApiError> {
    let Certificate { name, course, issued_at, ended } = read(app, visitor, number.clone()).await?;
    let address = format!("{}/certificates/{number}", app.config.public_url.trim_end_matches('/'));
    let page = Page {
        name: &name,
        course: &course,
        issued_at: &issued_at,
        has_ended: ended,
        operator: &app.config.operator,
        address: &address,
    };
    let content = pdf::write(&page);
    let file = HeaderValue::from_static("attachment; filename=\"solvane-certificate.pdf\"");
    let kind = HeaderValue::from_static("application/pdf");
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, file)], content).into_response())
}

async fn read(app: &App, visitor: &Visitor, number: String) -> Result<Certificate, ApiError> {
    let message = GetCertificateRequest { number };
    let answer = call_retrying!(app.clients.course, get_certificate, visitor.out, message)?.into_inner();
    let certificate = required(answer.certificate, "a certificate")?;
    let name = match certificate.holder_name {
        name if name.is_empty() => app.profiles.get(answer.user_id.parse().map_err(ApiError::internal)?).await?.name,
        name => name,
    };
    Ok(Certificate {
        name,
        course: certificate.course_title,
        issued_at: from_proto(certificate.issued_at)?,
        ended: answer.ended,
    })
}
