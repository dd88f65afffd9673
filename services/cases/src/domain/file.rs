//! Files that members send with messages.

use chassis::error::Refusal;

/// Bytes of all files of a member's cases.
pub const MOST_BYTES: i64 = 50 * 1024 * 1024;

/// A file in the object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub key: String,
    pub content_type: String,
    pub bytes: i64,
    /// SHA-256 of the file as sent.
    pub digest: Vec<u8>,
}

impl File {
    /// # Errors
    /// Invalid on `file` for what the gateway does not store.
    pub fn checked(self) -> Result<Self, Refusal> {
        let is_sound = self.key.starts_with("cases/")
            && self.key.len() <= 100
            && (1..=MOST_BYTES).contains(&self.bytes)
            && self.digest.len() == 32;
        if is_sound { Ok(self) } else { Err(Refusal::field("file", "Please choose a file")) }
    }
}
