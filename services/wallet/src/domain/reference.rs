//! References of transactions: `TNX-` and the first six characters of the id.

use uuid::Uuid;

/// The first and last id that a reference can mean; `None` if the text is not a reference. `TNX-` may be missing, and more
/// digits of the id may follow.
#[must_use]
pub fn ids(text: &str) -> Option<(Uuid, Uuid)> {
    let lower = text.trim().to_ascii_lowercase();
    let hex = lower.strip_prefix("tnx-").unwrap_or(&lower).replace('-', "");
    if !(6..=32).contains(&hex.len()) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let padded = |fill| Uuid::try_parse(&format!("{hex}{}", str::repeat(fill, 32 - hex.len()))).ok();
    Some((padded("0")?, padded("f")?))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::ids;

    /// [TXN-05] The reference shown finds the transaction again.
    #[test]
    fn a_reference_covers_its_id() {
        let id = Uuid::new_v4();
        for text in [format!("TNX-{}", &id.to_string()[..6]), id.to_string()[..6].to_owned(), id.to_string()] {
            let (first, last) = ids(&text).expect("a reference");
            assert!((first..=last).contains(&id), "{text}");
        }
        for text in ["", "TNX-", "TNX-12345", "TNX-zzzzzz", "TXyz1234567890"] {
            assert_eq!(ids(text), None, "{text}");
        }
    }
}
