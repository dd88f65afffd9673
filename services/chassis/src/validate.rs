//! Validation of the fields of a request.

use std::str::FromStr;

use precis_profiles::OpaqueString;
use precis_profiles::precis_core::profile::PrecisFastInvocation;
use proto::common::v1::ErrorReason;

use crate::error::{Kind, Refusal};

/// A field that is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field as named on the wire.
    pub field: &'static str,
    /// What is wrong, as a sentence.
    pub sentence: &'static str,
}

impl From<Vec<FieldError>> for Refusal {
    fn from(errors: Vec<FieldError>) -> Self {
        let message = errors.first().map_or("Some fields are not valid.", |error| error.sentence);
        let mut refusal = Self::new(Kind::Invalid, ErrorReason::ValidationFailed, message);
        refusal.fields = errors.into_iter().map(|error| (error.field.to_owned(), error.sentence.to_owned())).collect();
        refusal
    }
}

/// Collects the errors of several fields.
#[derive(Debug, Default)]
pub struct Checks(Vec<FieldError>);

impl Checks {
    /// Records the sentence unless the field is valid.
    pub fn that(&mut self, valid: bool, field: &'static str, sentence: &'static str) {
        if !valid {
            self.0.push(FieldError { field, sentence });
        }
    }

    /// Returns the value if all fields are valid.
    ///
    /// # Errors
    /// All invalid fields.
    pub fn passed<T>(self, value: T) -> Result<T, Vec<FieldError>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// An id of another service, or one that staff give.
///
/// # Errors
/// Invalid, on this field, if the text is not a UUID.
pub fn id<T: FromStr>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::field(field, "This is not a valid id."))
}

/// Whether the text has `min` to `max` characters and none of [`is_control`].
#[must_use]
pub fn is_text(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count()) && !text.chars().any(is_control)
}

/// Control characters, and the marks that turn the direction of text around.
#[must_use]
pub fn is_control(char: char) -> bool {
    char.is_control() || matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text in NFC, if people see all of its characters: those of PRECIS' `FreeformClass` (RFC 8264) but the blank of Braille,
/// with at least one letter or digit.
#[must_use]
pub fn visible(text: &str) -> Option<String> {
    let text = OpaqueString::enforce(text).ok()?;
    let is_seen = text.chars().any(char::is_alphanumeric) && !text.contains('\u{2800}');
    is_seen.then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::{is_text, visible};

    /// [D-S7] Names have no invisible characters, and their letters are stored composed.
    #[test]
    fn only_what_people_see_is_accepted() {
        assert_eq!(visible("Zoe\u{308} Müller").as_deref(), Some("Zoë Müller"));
        for text in ["山田 太郎", "Олена", "محمد", "אבי", "O'Neil-Smith Jr.", "नरेन्द्र", "क्‍ष"]
        {
            assert!(visible(text).is_some(), "{text}");
        }
        let hidden =
            ['\u{200b}', '\u{3164}', '\u{2800}', '\u{ad}', '\u{feff}', '\u{e0041}', '\u{202e}', '\n', '\u{115f}'];
        for mark in hidden {
            assert_eq!(visible(&format!("Ann{mark}Lee")), None, "{mark:?}");
        }
        for text in ["", " ", "...", "\u{301}"] {
            assert_eq!(visible(text), None, "{text:?}");
        }
    }

    #[test]
    fn texts_do_not_turn_around() {
        assert!(is_text("أحمد 👩‍👧", 1, 20));
        for text in ["a\u{202e}b", "a\u{2066}b", "a\nb", "", "abcd"] {
            assert!(!is_text(text, 1, 3), "{text:?}");
        }
    }
}
