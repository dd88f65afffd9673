//! The kind of an uploaded file by its first bytes. They decide which demuxer may read a video, so that no playlist, script or
//! list of addresses is ever opened as one.

/// Bytes at the beginning of a file that tell its kind.
pub const HEAD: usize = 4_096;

/// The containers of videos, by the demuxer that reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    Mp4,
    Matroska,
}

impl Container {
    /// The container that the first bytes of a file belong to, if it is one of videos.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Self> {
        if head.get(4..8).is_some_and(|kind| [b"ftyp", b"moov", b"mdat", b"wide"].iter().any(|known| *known == kind)) {
            return Some(Self::Mp4);
        }
        head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]).then_some(Self::Matroska)
    }

    /// The demuxer, as ffmpeg calls it.
    #[must_use]
    pub const fn demuxer(self) -> &'static str {
        match self {
            Self::Mp4 => "mov",
            Self::Matroska => "matroska",
        }
    }

    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Mp4 => "video/mp4",
            Self::Matroska => "video/x-matroska",
        }
    }
}

/// The media type of a file that may be attached to a lesson, by its content; its name only distinguishes texts.
///
/// # Errors
/// A sentence for people.
pub fn attachment_type(head: &[u8], name: &str) -> Result<&'static str, String> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    if head.starts_with(b"%PDF-") {
        return Ok("application/pdf");
    }
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok("image/png");
    }
    if head.starts_with(&[0xff, 0xd8, 0xff]) {
        return Ok("image/jpeg");
    }
    if head.starts_with(b"PK\x03\x04") {
        return match extension.as_str() {
            "docx" => Ok("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            "xlsx" => Ok("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            "pptx" => Ok("application/vnd.openxmlformats-officedocument.presentationml.presentation"),
            _ => Ok("application/zip"),
        };
    }
    let is_text = std::str::from_utf8(head).map_or_else(|error| error.valid_up_to() + 4 > head.len(), |_| true)
        && !head.iter().any(|byte| *byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t'));
    match extension.as_str() {
        "txt" if is_text => Ok("text/plain"),
        "md" if is_text => Ok("text/markdown"),
        "csv" if is_text => Ok("text/csv"),
        _ => Err("Attach a PDF, a picture (PNG or JPEG), a ZIP archive, an Office document or a text.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Container, attachment_type};

    /// [D-C5] The first bytes decide: a playlist is not a video, regardless of its name.
    #[test]
    fn the_first_bytes_decide() {
        assert_eq!(Container::of(b"\0\0\0\x20ftypisom"), Some(Container::Mp4));
        assert_eq!(Container::of(&[0x1a, 0x45, 0xdf, 0xa3, 1]), Some(Container::Matroska));
        for head in ["#EXTM3U\nfile:///etc/passwd", "ffconcat version 1.0", "RIFF\0\0\0\0AVI ", "<svg", "", "\0"] {
            assert_eq!(Container::of(head.as_bytes()), None);
        }
        assert_eq!(attachment_type(b"%PDF-1.7", "a.exe"), Ok("application/pdf"));
        assert_eq!(attachment_type("a,b\nä,d".as_bytes(), "a.csv"), Ok("text/csv"));
        assert!(attachment_type(b"MZ\x90\0", "a.pdf").is_err() && attachment_type(b"<html>", "a.html").is_err());
    }
}
