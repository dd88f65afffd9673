//! The Merkle sum tree of liabilities to members: its digests, and the verification of a leaf against the root.

use chassis::id::MemberId;
use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::domain::holding::SharedAddress;

/// SHA-256 of a leaf or a node of the tree.
pub type Hash = [u8; 32];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Liabilities {
    /// The moment whose balances are counted.
    pub at: OffsetDateTime,
    /// The digest of the root; of nothing if there are no leaves.
    pub root: Hash,
    /// The sum of all leaves.
    pub total: Cents,
    /// How many leaves there are.
    pub leaves: i64,
    /// The part of the total that is gains of open trades.
    #[serde(default)]
    pub gains: Cents,
}

/// What was held for members when they were counted. It is stored with the publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldForMembers {
    pub total_cents: Cents,
    /// What plans own.
    pub assets_cents: Cents,
    /// What documents state.
    pub stated_cents: Cents,
    /// Whether what chains show is part of it.
    pub is_observed: bool,
    pub chains: Vec<HeldAsset>,
    pub addresses: Vec<SharedAddress>,
    pub documents: Vec<HeldDocument>,
}

/// What was held of an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldAsset {
    pub chain: String,
    pub asset: String,
    pub decimals: u8,
    /// In the smallest unit; `None` if it was not known.
    pub units: Option<String>,
    /// Millionths of a dollar for a whole unit.
    pub rate_micros: Option<i64>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub rate_at: Option<OffsetDateTime>,
    pub value_cents: Option<i64>,
}

/// What proves something that is held or owned where no chain shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldDocument {
    pub name: String,
    /// The plan that owns it; `None` for what is held for all.
    pub plan: Option<String>,
    pub proof: String,
    pub issuer: String,
    #[serde(with = "time::serde::rfc3339")]
    pub proven_at: OffsetDateTime,
    pub value_cents: Cents,
}

/// A publication among those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPublication {
    pub at: OffsetDateTime,
    pub root: Hash,
    pub total: Cents,
    pub gains: Cents,
    /// `None` from before it was noted.
    pub held: Option<Cents>,
}

/// A part of what a member is owed, with its path to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Random, known to the member alone.
    pub salt: Hash,
    pub amount: Cents,
    /// The nodes beside those on the way up.
    pub path: Vec<Sibling>,
}

/// The node beside one on the way up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// Whether it stands on the left.
    pub is_left: bool,
    pub digest: Hash,
    /// The sum of the leaves below it.
    pub sum: Cents,
}

impl Leaf {
    /// The root and total that this leaf of a member leads to; `None` if the sums overflow or are negative.
    #[must_use]
    pub fn root(&self, user_id: MemberId) -> Option<(Hash, Cents)> {
        let bytes = [&[0][..], &self.salt, user_id.get().as_bytes(), &self.amount.get().to_be_bytes()].concat();
        let leaf: Hash = Sha256::digest(bytes).into();
        self.path.iter().try_fold((leaf, self.amount), |(digest, sum), sibling| {
            let own = (&digest, sum);
            let other = (&sibling.digest, sibling.sum);
            let (left, right) = if sibling.is_left { (other, own) } else { (own, other) };
            (sibling.sum.get() >= 0).then_some(())?;
            let (left_sum, right_sum) = (left.1.get().to_be_bytes(), right.1.get().to_be_bytes());
            let node = [&[1][..], left.0, &left_sum, right.0, &right_sum].concat();
            Some((Sha256::digest(node).into(), sum.plus(sibling.sum).ok()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use chassis::id::MemberId;
    use chassis::money::Cents;
    use uuid::Uuid;

    use super::{Leaf, Sibling};

    /// [D-B6] [D-R16] The digests are those of the specification, computed here by another program.
    #[test]
    fn digests_follow_the_specification() {
        let user_id = MemberId::new(Uuid::from_bytes([0x22; 16]));
        let alone = Leaf { salt: [0x11; 32], amount: Cents::new(12_345), path: vec![] };
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (leaf, _) = alone.root(user_id).unwrap();
        assert_eq!(hex(leaf), "d5e914bce7992eabc5c10038c4cdc69e8718daec79c47dc6ef8adc24c90f4bf1");
        let sibling = Sibling { is_left: true, digest: [0x33; 32], sum: Cents::new(55) };
        let (root, total) = Leaf { path: vec![sibling], ..alone.clone() }.root(user_id).unwrap();
        assert_eq!(
            (hex(root).as_str(), total),
            ("65fbcd1b7fa396cc24f3f3d7fb8ddcac9a1287bec83dc7008815691a14d93136", Cents::new(12_400))
        );
        let negative = Sibling { is_left: true, digest: [0x33; 32], sum: Cents::new(-1) };
        assert_eq!(Leaf { path: vec![negative], ..alone }.root(user_id), None);
    }
}
