//! Collects all invalid fields of a request.

use std::fmt;

/// Sentences by field; empty while nothing is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<(&'static str, &'static str)>);

impl FieldErrors {
    /// One field that is wrong.
    #[must_use]
    pub fn one(field: &'static str, sentence: &'static str) -> Self {
        Self(vec![(field, sentence)])
    }

    /// Keeps the value, or notes what is wrong with the field.
    pub fn check<T>(&mut self, field: &'static str, parsed: Result<T, &'static str>) -> Option<T> {
        parsed.map_err(|sentence| self.0.push((field, sentence))).ok()
    }

    /// As (field, sentence).
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().copied()
    }
}

/// The first sentence: what stands above the form.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.first().map_or("please check what you entered", |(_, sentence)| sentence))
    }
}

impl std::error::Error for FieldErrors {}
