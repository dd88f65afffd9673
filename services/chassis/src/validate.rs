//! Validation of the fields of a request.

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

/// Whether the text has `min` to `max` characters and no control characters.
#[must_use]
pub fn is_text(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
