//! The result of checking one invariant.

/// The number of rows shown per violated invariant.
const SHOWN: usize = 20;

/// An invariant that was checked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// The invariants it belongs to, e.g. `L1`.
    pub ids: &'static str,
    /// What must hold, as a sentence.
    pub promise: String,
    /// Descriptions of the violating rows; empty if it holds.
    pub offending: Vec<String>,
}

// === impl Verdict ===

impl Verdict {
    pub(super) fn new(ids: &'static str, promise: impl Into<String>, mut offending: Vec<String>) -> Self {
        if offending.len() > SHOWN {
            let more = offending.len() - SHOWN;
            offending.truncate(SHOWN);
            offending.push(format!("and {more} more"));
        }
        Self { ids, promise: promise.into(), offending }
    }
}
