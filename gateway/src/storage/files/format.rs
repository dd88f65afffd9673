//! What files are for, which formats are accepted, and how large a file may be.

use super::pdf;
use crate::http::error::ApiError;

/// Bytes of a file, decoded.
pub(crate) const MOST_BYTES: usize = 5 * 1024 * 1024;

/// What a file is for; the first part of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A proof of payment: private.
    Receipt,
    /// What a member sent with a message: private.
    Case,
    /// A member's photo.
    Photo,
    /// The picture of a payment method.
    Method,
    /// What proves a movement of the treasury: private.
    Document,
}

impl Purpose {
    pub const ALL: [Self; 5] = [Self::Receipt, Self::Case, Self::Photo, Self::Method, Self::Document];

    /// Its folder in the store.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Receipt => "receipts",
            Self::Case => "cases",
            Self::Photo => "photos",
            Self::Method => "methods",
            Self::Document => "documents",
        }
    }

    /// Whether its files are papers, which may be PDFs, and stay as large as they are.
    #[must_use]
    pub const fn is_paper(self) -> bool {
        matches!(self, Self::Receipt | Self::Case | Self::Document)
    }
}

/// The kinds of files that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Jpeg,
    Webp,
    Gif,
    Pdf,
}

impl Kind {
    const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Png, "png", "image/png"),
        (Self::Jpeg, "jpg", "image/jpeg"),
        (Self::Webp, "webp", "image/webp"),
        (Self::Gif, "gif", "image/gif"),
        (Self::Pdf, "pdf", "application/pdf"),
    ];

    pub(crate) fn by_content_type(text: &str) -> Option<Self> {
        let text = match text {
            "image/jpg" | "image/pjpeg" => "image/jpeg",
            "image/x-png" => "image/png",
            "application/x-pdf" => "application/pdf",
            text => text,
        };
        Self::ALL.into_iter().find(|(_, _, name)| *name == text).map(|(kind, ..)| kind)
    }

    /// The kind of a file by its content. Pictures are recognised first, so that no text in one makes it a PDF.
    pub(crate) fn of(file: &[u8]) -> Option<Self> {
        let found = infer::get(file).and_then(|found| Self::by_content_type(found.mime_type()));
        let is_pdf = || pdf::begins_at(file).map(|_| Self::Pdf);
        found.filter(|kind| *kind != Self::Pdf).or_else(is_pdf)
    }

    pub(crate) fn by_extension(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name, _)| *name == text).map(|(kind, ..)| kind)
    }

    pub(crate) fn extension(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| name)
    }

    pub(crate) fn content_type(self) -> &'static str {
        Self::ALL.into_iter().find(|(kind, ..)| *kind == self).map_or("", |(.., name)| name)
    }
}

/// The media types of programs that do not know what they send.
pub(crate) fn is_unnamed(content_type: &str) -> bool {
    matches!(content_type, "" | "application/octet-stream" | "binary/octet-stream")
}

/// The refusal of a file of another kind than the purpose takes.
pub(crate) fn unsupported(purpose: Purpose) -> ApiError {
    ApiError::unsupported(match purpose {
        Purpose::Receipt | Purpose::Case | Purpose::Document => "Please upload a PNG, JPEG, WebP, GIF or PDF file.",
        Purpose::Photo | Purpose::Method => "Please upload a PNG, JPEG or WebP image.",
    })
}

/// The refusal of a file whose content is of another kind than the request says.
pub(crate) fn misnamed() -> ApiError {
    ApiError::unsupported(
        "The file is of another kind than its name says. Open it, save it again, and choose the new file.",
    )
}

/// The refusal of a picture that takes too much memory.
pub(crate) fn too_many_pixels() -> ApiError {
    ApiError::unsupported(
        "The picture has too many pixels. Save it with a lower resolution, or take a screenshot of it.",
    )
}

/// The refusal of a picture that cannot be read to its end.
pub(crate) fn damaged() -> ApiError {
    ApiError::unsupported("The picture is damaged or incomplete. Open it, save it again, and choose the new file.")
}

/// The refusal of a PDF that nobody here could read.
pub(crate) fn locked() -> ApiError {
    ApiError::unsupported(
        "This PDF can only be opened with a password. Save it without one, or take a screenshot of it.",
    )
}

/// The refusal of a file that is too large.
pub(crate) fn too_large() -> ApiError {
    ApiError::too_large("The file is larger than 5 MB.")
}
