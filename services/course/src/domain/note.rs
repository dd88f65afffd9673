//! Notes of members on lessons.

use time::OffsetDateTime;

use super::progress::LONGEST_SECONDS;

chassis::id! {
    /// A note of a member on a lesson.
    NoteId,
}

/// Notes of one member on one lesson.
pub const MOST_NOTES: i64 = 100;
const LONGEST_TEXT: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    /// Into the video of the lesson; 0 for a text.
    pub position_seconds: i32,
    pub text: String,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

/// What a member writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub position_seconds: i32,
    pub text: String,
}

impl Written {
    /// What is wrong with it, by field.
    #[must_use]
    pub fn findings(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut expect = |is_fit: bool, field: &str, sentence: &str| {
            if !is_fit {
                found.push((field.to_owned(), sentence.to_owned()));
            }
        };
        let is_position = (0..=LONGEST_SECONDS).contains(&self.position_seconds);
        expect(is_position, "position", "The position is the number of seconds, up to a day.");
        let length = self.text.trim().chars().count();
        let is_sound = !self.text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
        expect((1..=LONGEST_TEXT).contains(&length) && is_sound, "text", "Enter a note of up to 2,000 characters.");
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn notes_are_bounded() {
        let fields = |position_seconds, text: &str| {
            let found = Written { position_seconds, text: text.to_owned() }.findings();
            found.into_iter().map(|(field, _)| field).collect::<Vec<_>>()
        };
        assert!(fields(0, "a\nb").is_empty() && fields(86_400, &"a".repeat(2_000)).is_empty());
        assert_eq!(fields(-1, " "), ["position", "text"]);
        assert_eq!(fields(86_401, "a\0"), ["position", "text"]);
        assert_eq!(fields(1, &"a".repeat(2_001)), ["text"]);
    }
}
