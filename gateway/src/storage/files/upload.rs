//! Reads an uploaded file from its data URL.

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::format::{Kind, MOST_BYTES, Purpose, is_unnamed, locked, misnamed, too_large, unsupported};
use super::pdf::{begins_at, is_locked};
use crate::http::error::ApiError;

/// A file whose content is of the declared kind, which the purpose takes.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) kind: Kind,
    pub(super) bytes: Vec<u8>,
    /// SHA-256 of the upload.
    pub(super) digest: Vec<u8>,
}

impl Upload {
    pub(super) fn read(field: &str, data_url: &str, purpose: Purpose) -> Result<Self, ApiError> {
        let refuse = || crate::http::json::field(field, "Please choose a file");
        let (head, content) =
            data_url.strip_prefix("data:").and_then(|rest| rest.split_once(',')).ok_or_else(refuse)?;
        let declared = head.strip_suffix(";base64").ok_or_else(refuse)?.split(';').next().unwrap_or_default();
        let declared = declared.trim().to_ascii_lowercase();
        let accepts = |kind: &Kind| purpose.is_paper() || !matches!(kind, Kind::Gif | Kind::Pdf);
        let named = Kind::by_content_type(&declared).filter(accepts);
        if named.is_none() && !is_unnamed(&declared) {
            return Err(unsupported(purpose));
        }
        if content.len() > MOST_BYTES.div_ceil(3) * 4 {
            return Err(too_large());
        }
        let mut bytes = STANDARD.decode(content).map_err(|_| refuse())?;
        if bytes.is_empty() {
            return Err(refuse());
        }
        if bytes.len() > MOST_BYTES {
            return Err(too_large());
        }
        let found = Kind::of(&bytes).filter(accepts).ok_or_else(|| unsupported(purpose))?;
        if named.is_some_and(|named| named != found) {
            return Err(misnamed());
        }
        let digest = sha256(&bytes);
        if found == Kind::Pdf {
            if is_locked(&bytes) {
                return Err(locked());
            }
            // What is served begins as a PDF: what stands before it may be anything.
            drop(bytes.drain(..begins_at(&bytes).unwrap_or_default()));
        }
        Ok(Self { kind: found, bytes, digest })
    }
}

pub(super) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes).as_ref().to_vec()
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::Upload;
    use crate::storage::files::format::Purpose;

    const PDF: &[u8] = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0";

    fn data_url(kind: &str, bytes: &[u8]) -> String {
        format!("data:{kind};base64,{}", STANDARD.encode(bytes))
    }

    fn refused(purpose: Purpose, url: &str) -> StatusCode {
        Upload::read("receipt", url, purpose).unwrap_err().into_response().status()
    }

    /// [D-P2] Kinds, sizes and magic bytes are checked; HTML and SVG never pass.
    #[test]
    fn refuses_what_is_not_what_it_says() {
        for (purpose, kind, bytes, status) in [
            (Purpose::Receipt, "text/html", &b"<script>"[..], StatusCode::UNSUPPORTED_MEDIA_TYPE),
            (Purpose::Receipt, "image/svg+xml", b"<svg/>", StatusCode::UNSUPPORTED_MEDIA_TYPE),
            (Purpose::Receipt, "image/png", b"<script>", StatusCode::UNSUPPORTED_MEDIA_TYPE),
            (Purpose::Receipt, "image/jpeg", PNG, StatusCode::UNSUPPORTED_MEDIA_TYPE),
            (Purpose::Photo, "application/pdf", PDF, StatusCode::UNSUPPORTED_MEDIA_TYPE),
            (Purpose::Receipt, "application/pdf", b"", StatusCode::UNPROCESSABLE_ENTITY),
            (Purpose::Receipt, "application/pdf", &[b'x'; 5 * 1024 * 1024 + 1], StatusCode::PAYLOAD_TOO_LARGE),
        ] {
            assert_eq!(refused(purpose, &data_url(kind, bytes)), status, "{kind}");
        }
        for url in ["", "data:", "data:image/png,abc", "data:image/png;base64,***", "https://example.org/a.png"] {
            assert_eq!(refused(Purpose::Receipt, url), StatusCode::UNPROCESSABLE_ENTITY, "{url}");
        }
    }

    /// [D-P2] [D-L6] A stored PDF begins as one, no matter what stood before it: banks write a mark or lines of their own there.
    #[test]
    fn a_pdf_begins_with_its_header() {
        for begin in ["<html><script>alert(1)</script>", " ", "\u{feff}", "\r\n", &"x".repeat(1_000)] {
            let file = format!("{begin}%PDF-1.7\n%binary\n");
            let url = data_url("application/pdf", file.as_bytes());
            let upload = Upload::read("receipt", &url, Purpose::Receipt).unwrap();
            assert_eq!(upload.bytes, b"%PDF-1.7\n%binary\n", "{begin}");
        }
        let late = format!("{}%PDF-1.7\n", "x".repeat(2_000));
        let status = refused(Purpose::Receipt, &data_url("application/pdf", late.as_bytes()));
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    /// [D-P2] Browsers and programs have several names for the same kinds, and some know none.
    #[test]
    fn kinds_have_several_names() {
        for (kind, bytes) in [
            ("image/jpg", JPEG),
            ("image/pjpeg", JPEG),
            ("IMAGE/JPEG", JPEG),
            ("image/x-png", PNG),
            ("application/x-pdf", PDF),
            ("application/octet-stream", PDF),
            ("", PNG),
        ] {
            let upload = Upload::read("receipt", &data_url(kind, bytes), Purpose::Receipt);
            assert!(upload.is_ok(), "{kind}: {upload:?}");
        }
        let status = refused(Purpose::Photo, &data_url("application/octet-stream", PDF));
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
}
