//! Pseudo-random numbers from a seed.

/// A sequence of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    /// The sequence of one part of the run, independent of what the other parts draw.
    pub(super) fn of(seed: u64, part: &str) -> Self {
        let mixed = part.bytes().fold(seed, |mixed, byte| Self(mixed ^ u64::from(byte)).next());
        Self(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// True with a probability of one in `draws`.
    pub(super) fn once_in(&mut self, draws: u64) -> bool {
        self.below(draws) == 0
    }

    pub(super) fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let index = usize::try_from(self.below(all.len() as u64)).unwrap_or_default();
        &all[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_depends_on_the_seed_and_its_name_alone() {
        let draw = |seed, part| {
            let mut numbers = Numbers::of(seed, part);
            [numbers.below(1_000_000), numbers.below(1_000_000)]
        };
        assert_eq!(draw(1, "faults"), draw(1, "faults"));
        assert_ne!(draw(1, "faults"), draw(2, "faults"));
        assert_ne!(draw(1, "faults"), draw(1, "trader"));
    }
}
