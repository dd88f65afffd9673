//! The passwords of known breaches, as a filter: it has every one of them, and takes one in 65,536 others for one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use xorf::{BinaryFuse16, BinaryFuse16Ref, DmaSerializable, Filter, FilterRef};

/// Where the fingerprints, of two bytes each, can be read.
#[repr(align(2))]
struct Aligned<T: ?Sized>(T);

static DATA: &Aligned<[u8]> = &Aligned(*include_bytes!("../../data/breached-passwords.bin"));
static FILTER: LazyLock<BinaryFuse16Ref<'static>> = LazyLock::new(|| {
    let (descriptor, fingerprints) = DATA.0.split_at(BinaryFuse16::DESCRIPTOR_LEN);
    BinaryFuse16Ref::from_dma(descriptor, fingerprints)
});

/// Whether a password is in the filter, in any case.
#[must_use]
pub fn is_breached(password: &str) -> bool {
    FILTER.contains(&key(password))
}

/// The data of a filter of these passwords.
///
/// # Errors
/// If the filter cannot be built, which is as good as impossible.
pub fn build<'p>(passwords: impl Iterator<Item = &'p str>) -> Result<Vec<u8>, &'static str> {
    let keys: BTreeSet<u64> = passwords.map(key).collect();
    let filter = BinaryFuse16::try_from(keys.into_iter().collect::<Vec<_>>())?;
    let mut data = vec![0; BinaryFuse16::DESCRIPTOR_LEN];
    filter.dma_copy_descriptor_to(&mut data);
    data.extend(filter.dma_fingerprints());
    Ok(data)
}

fn key(password: &str) -> u64 {
    let hash = Sha256::digest(password.to_lowercase());
    hash.iter().take(8).fold(0, |key, byte| key << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::{DATA, build, is_breached};

    /// [D-A8] The filter has more than a million passwords: with ten thousand it would take less than 28,000 bytes.
    #[test]
    fn the_filter_has_more_than_a_million_passwords() {
        let few: Vec<_> = (0..10_000).map(|number| number.to_string()).collect();
        let bytes_of_ten_thousand = build(few.iter().map(String::as_str)).unwrap().len();
        assert!(
            bytes_of_ten_thousand < 28_000 && DATA.0.len() > 2_800_000,
            "{bytes_of_ten_thousand}, {}",
            DATA.0.len()
        );
        for text in ["p@ssw0rd", "iloveyou1", "qwertyuiop", "Liverpool1", "michelle1", "zxcvbnm123"] {
            assert!(is_breached(text), "{text}");
        }
    }

    /// [D-A8] [R6] Hardly any other password is refused: of these, 1.5 by chance.
    #[test]
    fn few_other_passwords_are_taken_for_breached_ones() {
        let refused = (0..100_000).filter(|number| is_breached(&format!("a long and new one, {number}"))).count();
        assert!(refused < 10, "{refused} of 100,000");
        for text in ["Zq7!T9n4YdF3E3BBgH", "Zq7!Kcyxbxicg4pcGy", "Zq7!ud4ZIxs98WMq6W"] {
            assert!(!is_breached(text), "{text}");
        }
    }
}
