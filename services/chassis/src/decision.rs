//! Signed decisions of staff (D-B3): a service hashes the content of the decision, auth signs the hash for this person,
//! role, session and second factor, and the audit row stores both. A decision that auth did not sign, or that was
//! changed later, does not verify.

use proto::common::v1::ErrorReason;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::{Kind, Refusal};
use crate::id::{SessionId, StaffId};
use crate::identity::Role;
use crate::keys::{DECISION_SIGNER, TrustedKeys, Use};
use crate::permission::Permission;

/// The audience of assertions.
pub const AUDIENCE: &str = "decisions";
/// An assertion proves something for as long as it is kept.
pub const LIFE_SECONDS: i64 = 100 * 365 * 24 * 3_600;

/// What somebody decides, as the audit row keeps it: texts, whole numbers and nothing, so that it has one form as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// What is done, as in the audit row, e.g. `deposit.approve`.
    pub action: String,
    /// To which thing.
    pub subject_id: String,
    /// The name of the permission that it takes.
    pub permission: String,
    /// What it comes to: revision, amount, destination, or the digest of a proposal's change.
    pub facts: Value,
}

impl Decided {
    /// What is decided.
    #[must_use]
    pub fn new(action: impl Into<String>, subject_id: impl Into<Uuid>, permission: Permission, facts: Value) -> Self {
        let permission = permission.as_str().to_owned();
        Self { action: action.into(), subject_id: subject_id.into().to_string(), permission, facts }
    }

    /// SHA-256 over its canonical form: JSON with sorted names and without blanks.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(json!([self.action, self.subject_id, self.permission, self.facts]).to_string()).into()
    }
}

/// The claims of an assertion, a JWT: that a person decided what has this digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// Always [`DECISION_SIGNER`].
    pub iss: String,
    /// Always [`AUDIENCE`].
    pub aud: String,
    /// Account of the person who decided.
    pub sub: StaffId,
    /// A century after `iat`: an assertion proves the decision for as long as it is kept.
    pub exp: i64,
    /// When it was signed, by the database's clock, in seconds.
    pub iat: i64,
    /// Its own id: no two are alike.
    pub jti: Uuid,
    /// The service that asked for it, by its credential.
    pub service: String,
    /// The person's role.
    pub role: Role,
    /// Session in which they decided.
    pub sid: SessionId,
    /// When they gave the second factor, in seconds; unset only where staff have none.
    pub factor_at: Option<i64>,
    /// Of what was decided, in hexadecimal.
    pub digest: String,
    /// The person's own signature, if their second factor is a passkey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeySignature>,
}

/// A person's signature by a passkey: WebAuthn over a challenge that ends with the digest of what they decided. All in
/// base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PasskeySignature {
    /// `COSE_Key` of the passkey.
    pub public_key: String,
    /// What the authenticator signed, together with the SHA-256 of the client data.
    pub authenticator_data: String,
    /// JSON that names the challenge.
    #[serde(rename = "clientDataJSON")]
    pub client_data: String,
    /// In the form of the key's algorithm.
    pub signature: String,
}

impl Assertion {
    /// The assertion in a JWT, if the key for decisions signed it.
    #[must_use]
    pub fn verify(jwt: &str, keys: &TrustedKeys) -> Option<Self> {
        let (assertion, signer) = keys.verify::<Self>(jwt, Use::Service, AUDIENCE)?;
        (signer == DECISION_SIGNER).then_some(assertion)
    }
}

/// What was decided, with the assertion for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// What was decided.
    pub decided: Decided,
    /// The signed JWT of an [`Assertion`].
    pub assertion: String,
}

impl Signed {
    /// Whether what is decided now, with the thing locked, is what was signed.
    ///
    /// # Errors
    /// Conflict (`STALE_REVISION`) if it changed meanwhile.
    pub fn check(&self, now: &Decided) -> Result<(), Refusal> {
        if self.decided == *now { Ok(()) } else { Err(changed_meanwhile()) }
    }
}

/// What was to be decided is something else by now.
#[must_use]
pub fn changed_meanwhile() -> Refusal {
    let message = "This changed while you decided. Please look at it again.";
    Refusal::new(Kind::Conflict, ErrorReason::StaleRevision, message)
}

/// The person who proposed what is confirmed now, and what it takes to propose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposer {
    /// The person.
    pub id: StaffId,
    /// The permission that they must still have.
    pub permission: Permission,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::Decided;
    use crate::permission::Permission;

    /// [D-B3] The digest depends on every part of what is decided, and not on the order of names.
    #[test]
    fn the_digest_is_of_what_was_decided() {
        let decided = |action: &str, id: u128, facts| {
            Decided::new(action, Uuid::from_u128(id), Permission::Decide, facts).digest()
        };
        let one = decided("deposit.approve", 1, json!({ "amountCents": 5, "revision": 1 }));
        assert_eq!(one, decided("deposit.approve", 1, json!({ "revision": 1, "amountCents": 5 })));
        for other in [
            decided("deposit.reject", 1, json!({ "amountCents": 5, "revision": 1 })),
            decided("deposit.approve", 2, json!({ "amountCents": 5, "revision": 1 })),
            decided("deposit.approve", 1, json!({ "amountCents": 6, "revision": 1 })),
            decided("deposit.approve", 1, json!({ "amountCents": 5 })),
        ] {
            assert_ne!(one, other);
        }
    }
}
