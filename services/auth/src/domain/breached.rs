//! The passwords of known breaches, as a filter: it has every one of them, and takes one in 256 others for one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use xorf::{BinaryFuse8, BinaryFuse8Ref, DmaSerializable, Filter, FilterRef};

static DATA: &[u8] = include_bytes!("../../data/breached-passwords.bin");
static FILTER: LazyLock<BinaryFuse8Ref<'static>> = LazyLock::new(|| {
    let (descriptor, fingerprints) = DATA.split_at(BinaryFuse8::DESCRIPTOR_LEN);
    BinaryFuse8Ref::from_dma(descriptor, fingerprints)
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
    let filter = BinaryFuse8::try_from(keys.into_iter().collect::<Vec<_>>())?;
    let mut data = vec![0; BinaryFuse8::DESCRIPTOR_LEN];
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

    /// [D-A8] The filter has more than a million passwords: with ten thousand it would take less than 14,000 bytes.
    #[test]
    fn the_filter_has_more_than_a_million_passwords() {
        let few: Vec<_> = (0..10_000).map(|number| number.to_string()).collect();
        let bytes_of_ten_thousand = build(few.iter().map(String::as_str)).unwrap().len();
        assert!(bytes_of_ten_thousand < 14_000 && DATA.len() > 1_400_000, "{bytes_of_ten_thousand}, {}", DATA.len());
        for text in ["p@ssw0rd", "iloveyou1", "qwertyuiop", "Liverpool1", "michelle1", "zxcvbnm123"] {
            assert!(is_breached(text), "{text}");
        }
    }

    /// [D-A8] Few other passwords are refused.
    #[test]
    fn few_other_passwords_are_taken_for_breached_ones() {
        let refused = (0..100_000).filter(|number| is_breached(&format!("a long and new one, {number}"))).count();
        assert!(refused < 600, "{refused} of 100,000");
    }
}
