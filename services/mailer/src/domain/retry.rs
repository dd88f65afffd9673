//! When an email that could not be sent is retried.

use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_secs(5);
/// How long a mail is tried.
const LIFE_SECONDS: i64 = 24 * 60 * 60;

/// Why a try came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// The relay or auth is away, which says nothing of this mail: it follows soon after they are back.
    Unreachable,
    /// The relay asked to come back later with this very mail.
    Deferred,
}

impl Delay {
    /// The longest pause. A code lives for minutes, so that a mail with a secret never waits long.
    const fn longest(self, has_secret: bool) -> Duration {
        match self {
            Self::Deferred if !has_secret => Duration::from_secs(15 * 60),
            Self::Unreachable | Self::Deferred => Duration::from_secs(30),
        }
    }

    /// The pause after this many tries: doubled each time, shortened by up to half as `jitter` (0 to 1000) says, so that
    /// what failed together does not come back together.
    #[must_use]
    pub fn pause(self, tries: i32, has_secret: bool, jitter: u32) -> Duration {
        let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or_default().min(16);
        let pause = FIRST.saturating_mul(1 << doublings).min(self.longest(has_secret));
        pause - pause * jitter.min(1_000) / 2_000
    }
}

/// Whether an undelivered mail of this age is given up.
#[must_use]
pub fn is_given_up(age_seconds: i64) -> bool {
    age_seconds >= LIFE_SECONDS
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Delay, is_given_up};

    /// [E1] Pauses grow from seconds to a quarter of an hour, never below half of their length.
    #[test]
    fn pauses_grow_to_their_limit() {
        let seconds = |delay: Delay, tries, secret| delay.pause(tries, secret, 0).as_secs();
        assert_eq!([1, 2, 3, 4].map(|tries| seconds(Delay::Deferred, tries, false)), [5, 10, 20, 40]);
        assert_eq!(seconds(Delay::Deferred, 9, false), 15 * 60);
        assert_eq!(seconds(Delay::Deferred, i32::MAX, false), 15 * 60);
        assert_eq!(seconds(Delay::Deferred, 9, true), 30);
        assert_eq!(seconds(Delay::Unreachable, 9, false), 30);
        for tries in 1..20 {
            let full = Delay::Deferred.pause(tries, false, 0);
            for jitter in [1, 500, 1_000, u32::MAX] {
                let pause = Delay::Deferred.pause(tries, false, jitter);
                assert!(pause <= full && pause >= full / 2, "{tries} {jitter}");
            }
        }
        assert_eq!(Delay::Unreachable.pause(0, false, 0), Duration::from_secs(5));
    }

    /// [E1] No mail is tried for more than a day.
    #[test]
    fn a_day_is_enough() {
        assert!(!is_given_up(24 * 60 * 60 - 1));
        assert!(is_given_up(24 * 60 * 60));
    }
}
