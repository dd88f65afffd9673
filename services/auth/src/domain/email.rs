//! Email addresses: the pragmatic part of the grammar that mail providers accept.

use std::fmt;

/// Marks of a local part besides letters and digits.
const LOCAL_MARKS: &[u8] = b"!#$%&'*+/=?^_`{|}~-.";

/// An address, trimmed, spelled as its owner spells it. Two that differ in case alone are the same account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Reads an address.
    ///
    /// # Errors
    /// The sentence for the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@').ok_or("Invalid email address")?;
        if text.len() <= 254 && is_local(local) && is_domain(domain) {
            Ok(Self(text.to_owned()))
        } else {
            Err("Invalid email address")
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which two spellings of one address are equal.
    #[must_use]
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// Whether both are the same account's address.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_local(part: &str) -> bool {
    (1..=64).contains(&part.len())
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || LOCAL_MARKS.contains(&byte))
        && !part.starts_with('.')
        && !part.ends_with('.')
        && !part.contains("..")
}

fn is_domain(domain: &str) -> bool {
    let label = |part: &str| {
        (1..=63).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    let Some((_, top)) = domain.rsplit_once('.') else { return false };
    domain.split('.').all(label) && top.len() >= 2 && top.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::Email;

    /// [D-S7] Addresses are trimmed and equal without regard to case.
    #[test]
    fn addresses_are_trimmed_and_compared_without_case() {
        let email = Email::parse("  Ada.Lovelace+solvane@Example.co.uk\n").unwrap();
        assert_eq!(email.as_str(), "Ada.Lovelace+solvane@Example.co.uk");
        assert!(email.is("ada.lovelace+SOLVANE@example.CO.UK"));
        assert_eq!(email.folded(), "ada.lovelace+solvane@example.co.uk");
    }

    /// [AUTH-05] A malformed address is refused with the exact sentence.
    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            " ",
            "@",
            "a",
            "a@",
            "@b.co",
            "a@b",
            "a@b.c",
            "a@.co",
            "a@b..co",
            "a@-b.co",
            "a@b-.co",
            ".a@b.co",
            "a.@b.co",
            "a..b@b.co",
            "a b@c.co",
            "a@b c.co",
            "a@b.co\r\nBcc: x@y.co",
            "a@b.11",
            "a@b@c.co",
            "a,b@c.co",
            "<a@b.co>",
            "a\0@b.co",
            "ä@b.co",
            "a@bücher.de",
        ] {
            assert_eq!(Email::parse(text), Err("Invalid email address"), "{text:?}");
        }
        assert!(Email::parse(&format!("{}@b.co", "a".repeat(64))).is_ok());
        assert!(Email::parse(&format!("{}@b.co", "a".repeat(65))).is_err());
        assert!(Email::parse(&format!("a@{}co", "abcdefgh.".repeat(29))).is_err());
    }
}
