//! Transaction hashes of blockchains.

use chassis::error::Refusal;

/// A transaction hash as it was given, the form in which equal ones are equal, and which output of it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Txid {
    /// As entered, without surrounding blanks.
    pub text: String,
    /// Hexadecimal hashes in lower case without `0x`; others (base58) as given, since case matters there.
    pub key: String,
    /// The index of the output; unset, the whole blockchain transaction is meant.
    pub vout: Option<u32>,
}

impl Txid {
    /// Reads a hash: 4-128 visible ASCII characters.
    ///
    /// # Errors
    /// Invalid on the field `txid`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if !(4..=128).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Refusal::field("txid", "Please enter a valid transaction hash."));
        }
        let lower = text.to_ascii_lowercase();
        let hex = lower.strip_prefix("0x").unwrap_or(&lower);
        let is_hash = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let key = if is_hash { hex.to_owned() } else { text.to_owned() };
        Ok(Self { text: text.to_owned(), key, vout: None })
    }

    /// The same with an output.
    #[must_use]
    pub fn at(self, vout: Option<u32>) -> Self {
        Self { vout, ..self }
    }

    /// Whether both name the same output, whatever their spelling.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (&self.key, self.vout) == (&other.key, other.vout)
    }

    /// Reads an optional hash, empty for none.
    ///
    /// # Errors
    /// The same as those of [`Self::parse`].
    pub fn parse_optional(text: &str) -> Result<Option<Self>, Refusal> {
        if text.trim().is_empty() { Ok(None) } else { Self::parse(text).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use super::Txid;

    /// [D-D4] The same payment has one form, whatever its spelling; different ones stay different.
    #[test]
    fn equal_hashes_are_equal() {
        let hash = "Ab".repeat(32);
        let key = |text: &str| Txid::parse(text).map(|txid| txid.key).ok();
        assert_eq!(key(&hash), key(&format!(" 0x{} ", hash.to_lowercase())));
        assert_eq!(key(&hash), key(&format!("0X{}", hash.to_uppercase())));
        assert_ne!(key("5VERv8NMvzbJMEkV8xnrLkEaWRtSz9Cos"), key("5verv8NMvzbJMEkV8xnrLkEaWRtSz9Cos"));
        for bad in ["", "abc", "a b c d", "tx\n1234", &"a".repeat(129), "txid-é"] {
            assert_eq!(key(bad), None, "{bad:?}");
        }
    }
}
