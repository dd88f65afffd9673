//! Validation of input fields.

/// One field that is wrong, and the sentence that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The field as named on the wire.
    pub field: &'static str,
    pub sentence: &'static str,
}

#[derive(Debug, Default)]
pub struct Checks(Vec<FieldError>);

impl Checks {
    /// Notes the sentence unless the field is valid.
    pub fn that(&mut self, valid: bool, field: &'static str, sentence: &'static str) {
        if !valid {
            self.0.push(FieldError { field, sentence });
        }
    }

    /// The value, if nothing was wrong.
    ///
    /// # Errors
    /// Every field that is wrong.
    pub fn passed<T>(self, value: T) -> Result<T, Vec<FieldError>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// Whether it has that many characters, and no control characters.
#[must_use]
pub fn is_text(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}
