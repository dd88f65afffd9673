//! What files are for, which formats are accepted, and how large a file may be.

use crate::error::ApiError;

/// Bytes of a file, decoded.
pub(crate) const MOST_BYTES: usize = 5 * 1024 * 1024;

/// What a file is for; the first part of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A proof of payment: private.
    Receipt,
    /// A member's photo.
    Photo,
    /// The picture of a payment method.
    Method,
}

impl Purpose {
    pub const ALL: [Self; 3] = [Self::Receipt, Self::Photo, Self::Method];

    /// Its folder in the store.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Receipt => "receipts",
            Self::Photo => "photos",
            Self::Method => "methods",
        }
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
        Self::ALL.into_iter().find(|(_, _, name)| *name == text).map(|(kind, ..)| kind)
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

/// The refusal of a file of another kind than the purpose takes.
pub(crate) fn unsupported(purpose: Purpose) -> ApiError {
    ApiError::unsupported(match purpose {
        Purpose::Receipt => "Please upload a PNG, JPEG, WebP, GIF or PDF file.",
        Purpose::Photo | Purpose::Method => "Please upload a PNG, JPEG or WebP image.",
    })
}
