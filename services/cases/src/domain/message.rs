//! What is written in cases.

use chassis::error::Refusal;
use chassis::id::UserId;
use chassis::validate::is_control;
use time::OffsetDateTime;

/// Characters of the longest text.
const LONGEST_TEXT: usize = 4_000;

/// Who writes and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Party {
    Member,
    Staff,
}

#[derive(Debug, Clone)]
pub struct Message {
    /// From 1, in the order of the case.
    pub number: i32,
    pub author: Party,
    pub author_id: UserId,
    pub text: String,
    pub created_at: OffsetDateTime,
}

/// Plain text of 1 to 4,000 characters, on several lines, without what turns its direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(String);

impl Text {
    /// # Errors
    /// Invalid on `text`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.replace("\r\n", "\n");
        let text = text.trim();
        let is_sound = !text.chars().any(|letter| is_control(letter) && !matches!(letter, '\n' | '\t'));
        if (1..=LONGEST_TEXT).contains(&text.chars().count()) && is_sound {
            Ok(Self(text.to_owned()))
        } else {
            Err(Refusal::field("text", "Enter a message of up to 4,000 characters."))
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    /// [D-M8] Texts are bounded and plain.
    #[test]
    fn texts_are_bounded_and_plain() {
        assert_eq!(Text::parse("  a\r\nb\tc ").map(|text| text.as_str().to_owned()), Ok("a\nb\tc".to_owned()));
        assert!(Text::parse(&"ü".repeat(4_000)).is_ok());
        for wrong in ["", " \n ", "a\0", "a\u{202e}b", &"a".repeat(4_001)] {
            assert!(Text::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
