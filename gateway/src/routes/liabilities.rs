//! The proof of liabilities. Its root and total are public; each member can read their own path.

use chassis::roots::to_hex;
use proto::wallet::v1 as wallet;
use route_macros::{get, post, response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::clients::{ask, keyed};
use crate::error::ApiError;
use crate::extract::{StaffMember, VerifiedMember, Visitor};
use crate::idempotency::Key;
use crate::json::{Answer, Created, Dollars, created, known_moment, marked, ok};

/// A publication: the total owed to members at a moment, and the root of the tree that proves it.
#[response]
pub struct PublishedLiabilities {
    message: Option<&'static str>,
    at: String,
    /// SHA-256 of the root node, in hexadecimal.
    root: String,
    /// Sum of all leaves in dollars.
    total: Dollars,
    /// The part of it that is gains of open investments, in dollars.
    gains: Dollars,
    leaves: i64,
}

/// The member's part of the tree.
#[response]
pub struct LiabilityProof {
    at: String,
    /// The member's leaves. Their amounts sum to what the member was owed; empty if that was zero.
    leaves: Vec<ProofLeaf>,
}

/// A leaf: SHA-256 of a zero byte, the salt, the bytes of the member's id, and the amount in cents as a big-endian
/// integer of 64 bits.
#[response]
pub struct ProofLeaf {
    /// 32 random bytes in hexadecimal.
    salt: String,
    /// The amount of the leaf in dollars.
    amount: Dollars,
    /// The siblings from the leaf up to the root.
    path: Vec<ProofSibling>,
}

/// The side of a sibling.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Left,
    Right,
}

/// A sibling on the path. The digest of the parent is SHA-256 of a one byte, the left digest, the left sum in cents as
/// a big-endian 64-bit integer, the right digest and the right sum.
#[response]
pub struct ProofSibling {
    side: Side,
    /// 32 bytes in hexadecimal.
    digest: String,
    /// Sum of the leaves below the node, in dollars.
    sum: Dollars,
}

/// Read what members are owed
///
/// The newest publication of the proof of liabilities; a new one appears every night.
#[get("/liabilities", "Proof of liabilities")]
pub async fn get(caller: Visitor) -> Answer<PublishedLiabilities> {
    let message = wallet::GetLiabilitiesRequest {};
    let newest = ask!(caller.liabilities.get_liabilities(message))?;
    Ok(ok(published(newest.liabilities.unwrap_or_default(), None)?))
}

/// Read the member's proof
///
/// Each leaf leads to the root of `GET /v1/liabilities` with the same `at`.
#[get("/wallet/proof", "Proof of liabilities")]
pub async fn proof(caller: VerifiedMember) -> Answer<LiabilityProof> {
    let message = wallet::GetLiabilityProofRequest {};
    let proof = ask!(caller.liabilities.get_liability_proof(message))?;
    let leaves = proof.leaves.into_iter().map(ProofLeaf::from).collect();
    Ok(ok(LiabilityProof { at: known_moment(proof.at.as_ref())?, leaves }))
}

/// Publish what members are owed now
///
/// A treasurer, auditor or admin; otherwise it happens every night.
#[post("/admin/liabilities", "Back office")]
pub async fn publish(caller: StaffMember, key: Key) -> Created<PublishedLiabilities> {
    let claim = key.bodyless();
    let message =
        wallet::PublishLiabilitiesRequest { client_address: caller.client.address, idempotency: claim.clone() };
    let (answer, replayed) = keyed!(caller.liabilities.publish_liabilities(message), claim)?;
    let body = published(answer.liabilities.unwrap_or_default(), Some("The liabilities are published."))?;
    Ok(marked(replayed, created(body)))
}

fn published(one: wallet::Liabilities, message: Option<&'static str>) -> Result<PublishedLiabilities, ApiError> {
    Ok(PublishedLiabilities {
        message,
        at: known_moment(one.at.as_ref())?,
        root: to_hex(&one.root),
        total: Dollars::from_cents(one.total_cents),
        gains: Dollars::from_cents(one.gains_cents),
        leaves: one.leaves,
    })
}

impl From<wallet::LiabilityLeaf> for ProofLeaf {
    fn from(leaf: wallet::LiabilityLeaf) -> Self {
        let path = leaf.path.into_iter().map(|one| ProofSibling {
            side: if one.is_left { Side::Left } else { Side::Right },
            digest: to_hex(&one.digest),
            sum: Dollars::from_cents(one.sum_cents),
        });
        Self { salt: to_hex(&leaf.salt), amount: Dollars::from_cents(leaf.amount_cents), path: path.collect() }
    }
}
