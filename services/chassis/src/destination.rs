//! Signed confirmations of payout destinations (D-A4): auth signs that a member gave the mailed code or a second factor for a
//! destination, and the wallet keeps the signature with the destination. A destination that auth did not sign, or that was
//! changed or backdated later, is not confirmed.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::decision::LIFE_SECONDS;
use crate::hex::to_hex;
use crate::id::MemberId;
use crate::keys::{DECISION_SIGNER, SigningKey, TrustedKeys, Use};

/// The audience of confirmations.
const AUDIENCE: &str = "destinations";
/// A destination is stored right after it was signed. The clocks of two databases may differ by part of that time.
const SKEW_SECONDS: i64 = 300;

/// The claims of a confirmation, a JWT: that a member confirmed a destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmedDestination {
    iss: String,
    aud: String,
    /// Account of the member.
    sub: MemberId,
    /// A confirmation proves something for as long as it is kept.
    exp: i64,
    iat: i64,
    /// The wallet's identifier of the destination, in hexadecimal.
    destination: String,
    /// `code` or `factor`.
    cause: String,
}

impl ConfirmedDestination {
    /// That a member confirmed the destination with this identifier by this means, at this time.
    #[must_use]
    pub fn new(user_id: MemberId, destination: &[u8], cause: &str, at: OffsetDateTime) -> Self {
        let iat = at.unix_timestamp();
        Self {
            iss: DECISION_SIGNER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: user_id,
            exp: iat + LIFE_SECONDS,
            iat,
            destination: to_hex(destination),
            cause: cause.to_owned(),
        }
    }

    /// The signed JWT.
    ///
    /// # Errors
    /// If the key cannot sign.
    pub fn sign(&self, key: &SigningKey) -> anyhow::Result<String> {
        key.sign(self)
    }

    /// Whether the key for decisions signed exactly this, within a few minutes of its time.
    #[must_use]
    pub fn is_signed_by(&self, jwt: &str, keys: &TrustedKeys) -> bool {
        keys.verify::<Self>(jwt, Use::Service, AUDIENCE).is_some_and(|(signed, signer)| {
            signer == DECISION_SIGNER
                && (signed.sub, &signed.destination, &signed.cause) == (self.sub, &self.destination, &self.cause)
                && (signed.iat - self.iat).abs() <= SKEW_SECONDS
        })
    }
}
