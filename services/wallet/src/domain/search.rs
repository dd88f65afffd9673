//! What a member looks for in their history.

use chassis::error::Refusal;
use chassis::money::Cents;
use time::OffsetDateTime;
use uuid::Uuid;

/// Characters of a search: a hash fits.
const LONGEST: usize = 128;
/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 32;

/// Which lines a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// In lower case; empty for all.
    pub text: String,
    /// The ids that begin with a reference.
    pub ids: Option<(Uuid, Uuid)>,
    pub amount: Option<Cents>,
    /// Inclusive.
    pub from: Option<OffsetDateTime>,
    /// Exclusive.
    pub to: Option<OffsetDateTime>,
}

impl Search {
    /// For a reference, an amount, or a part of a description, hash or address.
    ///
    /// # Errors
    /// Invalid on the field `q`.
    pub fn parse(typed: &str) -> Result<Self, Refusal> {
        let text = typed.trim().to_lowercase();
        if text.chars().count() > LONGEST || text.contains(char::is_control) {
            return Err(Refusal::field("q", format!("Enter at most {LONGEST} characters.")));
        }
        let amount: String = text.chars().filter(|one| !matches!(one, '$' | ',' | '+' | '-' | ' ')).collect();
        let amount = Cents::parse(&amount).ok().filter(|amount| *amount > Cents::ZERO);
        Ok(Self { ids: ids(&text), amount, text, from: None, to: None })
    }

    /// In a period.
    ///
    /// # Errors
    /// Invalid on the field `to` if it ends before it begins.
    pub fn within(self, from: Option<OffsetDateTime>, to: Option<OffsetDateTime>) -> Result<Self, Refusal> {
        if from.zip(to).is_some_and(|(from, to)| to <= from) {
            return Err(Refusal::field("to", "The end must be after the start."));
        }
        Ok(Self { from, to, ..self })
    }

    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}

/// The first and the last id that begins with the digits of a reference.
fn ids(text: &str) -> Option<(Uuid, Uuid)> {
    let digits: String = text.strip_prefix("tnx-").unwrap_or(text).chars().filter(|one| *one != '-').collect();
    let is_prefix = (4..=ID_DIGITS).contains(&digits.len()) && digits.bytes().all(|one| one.is_ascii_hexdigit());
    let filled = |with: &str| Uuid::try_parse(&format!("{digits}{}", with.repeat(ID_DIGITS - digits.len()))).ok();
    if is_prefix { filled("0").zip(filled("f")) } else { None }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use time::{Duration, OffsetDateTime};

    use super::Search;

    /// [D-M9] What is typed is read as a reference, an amount and a text; what cannot be meant is refused.
    #[test]
    fn a_search_is_read_in_every_way_it_can_be_meant() {
        let reference = Search::parse(" TNX-1A2b3c ").unwrap();
        let (first, last) = reference.ids.unwrap();
        assert_eq!(first.to_string(), "1a2b3c00-0000-0000-0000-000000000000");
        assert_eq!(last.to_string(), "1a2b3cff-ffff-ffff-ffff-ffffffffffff");
        let amount = |text| Search::parse(text).unwrap().amount;
        assert_eq!((amount("$1,250.00"), amount("-40.5")), (Some(Cents::new(125_000)), Some(Cents::new(4_050))));
        assert_eq!((amount("abc"), amount("0"), amount("1e9")), (None, None, None));
        assert!(Search::parse("tnx-zz").unwrap().ids.is_none() && Search::parse("12").unwrap().ids.is_none());
        assert!(Search::parse(&"a".repeat(129)).is_err() && Search::parse("a\u{0}b").is_err());
        assert!(Search::parse("  ").unwrap().is_everything());
        let now = OffsetDateTime::UNIX_EPOCH;
        assert!(Search::default().within(Some(now), Some(now)).is_err());
        assert!(Search::default().within(Some(now), Some(now + Duration::SECOND)).is_ok());
    }
}
