//! Buckets of members.

use chassis::id::MemberId;
use sha2::{Digest, Sha256};

/// The bucket of a member whose accounts are not made yet, of this many: always the same one.
#[must_use]
pub fn assigned(user_id: MemberId, buckets: u16) -> u16 {
    let hash = Sha256::digest(user_id.get().as_bytes());
    let sum = hash.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    u16::try_from(sum % u64::from(buckets.max(1))).unwrap_or(0)
}

/// The bucket whose account this is: its number begins with it.
#[must_use]
pub fn of_account(id: i64) -> u16 {
    let number = if id > HOUSE { (id - HOUSE) / 100 } else { id / EACH };
    u16::try_from(number).unwrap_or(0)
}

/// The accounts of the house come after this.
const HOUSE: i64 = 4_000_000_000_000_000_000;
/// The accounts of others begin at this for each bucket before.
const EACH: i64 = 100_000_000_000_000;

#[cfg(test)]
mod tests {
    use chassis::id::MemberId;
    use uuid::Uuid;

    use super::{assigned, of_account};

    /// [D-H6] A member's bucket never changes by itself, and members spread evenly.
    #[test]
    fn members_spread_over_buckets() {
        let member = |number: u128| MemberId::new(Uuid::from_u128(number));
        assert_eq!([1, 2, 3, 4].map(|number| assigned(member(number), 8)), [3, 0, 6, 0]);
        assert_eq!(assigned(member(1), 1), 0);
        let mut counts = [0_u32; 8];
        (0..8_000).for_each(|number| counts[usize::from(assigned(member(number), 8))] += 1);
        let accounts = [1, 999, 700_000_000_000_001, 4_000_000_000_000_000_008, 4_000_000_000_000_000_708];
        assert_eq!(accounts.map(of_account), [0, 0, 7, 0, 7]);
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }
}
