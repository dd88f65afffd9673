//! A bound on the log lines that clients can cause.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines in each second; more would only fill the disk.
const LINES: u32 = 20;
const WINDOW: Duration = Duration::from_secs(1);

/// Bounds how often one line is logged.
#[derive(Debug)]
pub struct LogLimit(Mutex<Option<Window>>);

#[derive(Debug)]
struct Window {
    begun: Instant,
    lines: u32,
    left_out: u64,
}

impl LogLimit {
    /// For a `static` beside the line.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Calls `log` at most 20 times a second, with the number of calls left out in the last busy second, if any.
    pub fn log(&self, log: impl FnOnce(Option<u64>)) {
        if let Some(left_out) = self.admit(Instant::now()) {
            log((left_out > 0).then_some(left_out));
        }
    }

    fn admit(&self, now: Instant) -> Option<u64> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &mut *slot {
            Some(window) if now.saturating_duration_since(window.begun) < WINDOW => {
                if window.lines == LINES {
                    window.left_out += 1;
                    return None;
                }
                window.lines += 1;
                return Some(0);
            }
            before => before.take(),
        };
        *slot = Some(Window { begun: now, lines: 1, left_out: 0 });
        Some(before.map_or(0, |window| window.left_out))
    }
}

impl Default for LogLimit {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_is_cut_and_counted_and_the_next_second_begins_anew() {
        let (limit, begun) = (LogLimit::new(), Instant::now());
        let said = (0..1_000).filter(|_| limit.admit(begun).is_some()).count();
        assert_eq!(said, 20);
        assert_eq!(limit.admit(begun + WINDOW), Some(980));
        assert_eq!(limit.admit(begun + WINDOW), Some(0));
    }
}
