//! The proof of liabilities. Its root and total are public; each member can read their own path.

use proto::wallet::v1 as wallet;
use route_macros::{get, post, response};

use crate::extract::{StaffMember, VerifiedMember, Visitor};
use crate::http::convert::{FromProto, from_proto};
use crate::http::error::ApiError;
use crate::http::idempotency::Key;
use crate::http::json::{Answer, Created, Dollars, reply};
use crate::peers::clients::{ask, keyed};

/// A publication: the total owed to members at a moment, and the root of the tree that proves it.
#[response(from = wallet::Liabilities)]
pub struct PublishedLiabilities {
    #[from(skip)]
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
#[response(from = wallet::GetLiabilityProofResponse)]
pub struct LiabilityProof {
    at: String,
    /// The member's leaves. Their amounts sum to what the member was owed; empty if that was zero.
    leaves: Vec<ProofLeaf>,
}

/// A leaf: SHA-256 of a zero byte, the salt, the bytes of the member's id, and the amount in cents as a big-endian
/// integer of 64 bits.
#[response(from = wallet::LiabilityLeaf)]
pub struct ProofLeaf {
    /// 32 random bytes in hexadecimal.
    salt: String,
    /// The amount of the leaf in dollars.
    amount: Dollars,
    /// The siblings from the leaf up to the root.
    path: Vec<ProofSibling>,
}

/// The side of a sibling.
#[response]
pub enum Side {
    Left,
    Right,
}

impl FromProto<bool> for Side {
    fn from_proto(is_left: bool) -> Result<Self, ApiError> {
        Ok(if is_left { Self::Left } else { Self::Right })
    }
}

/// A sibling on the path. The digest of the parent is SHA-256 of a one byte, the left digest, the left sum in cents as
/// a big-endian 64-bit integer, the right digest and the right sum.
#[response(from = wallet::LiabilitySibling)]
pub struct ProofSibling {
    #[from(is_left)]
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
    reply(newest.liabilities.unwrap_or_default())
}

/// Read the member's proof
///
/// Each leaf leads to the root of `GET /v1/liabilities` with the same `at`.
#[get("/wallet/proof", "Proof of liabilities")]
pub async fn proof(caller: VerifiedMember) -> Answer<LiabilityProof> {
    let message = wallet::GetLiabilityProofRequest {};
    reply(ask!(caller.liabilities.get_liability_proof(message))?)
}

/// Publish what members are owed now
///
/// A treasurer, auditor or admin; otherwise it happens every night.
#[post("/admin/liabilities", "Back office")]
pub async fn publish(caller: StaffMember, key: Key) -> Created<PublishedLiabilities> {
    let message =
        wallet::PublishLiabilitiesRequest { client_address: caller.client.address, idempotency: key.bodyless() };
    keyed!(caller.liabilities.publish_liabilities(message))?.reply(|answer| {
        let published = from_proto(answer.liabilities.unwrap_or_default())?;
        Ok(PublishedLiabilities { message: Some("The liabilities are published."), ..published })
    })
}
