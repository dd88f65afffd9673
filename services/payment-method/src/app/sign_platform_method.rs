//! Attaches a signature of the treasury key to the current version of a platform method, also in place of another one.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MethodId;
use chassis::idempotency::{self, Answer};
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::method::{Scope, SignedMethod};
use crate::error::Error;
use crate::store::{methods, signatures};
use crate::treasury::PublicKeys;

#[derive(Debug, Clone)]
pub struct SignPlatformMethod {
    pub call: StaffCall,
    pub id: MethodId,
    /// The version that was signed.
    pub version: i32,
    pub signature: String,
}

/// The signed method, once a key.
///
/// # Errors
/// `NotFound` if there is no active platform method with this id; `Stale` if it has another version; `Refused` if the
/// signature does not verify.
pub async fn sign_platform_method(
    db: &Db,
    keys: &PublicKeys,
    command: &SignPlatformMethod,
) -> Result<Answer<SignedMethod>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| attach(conn, keys, command).await).await
}

async fn attach(
    conn: &mut PgConnection,
    keys: &PublicKeys,
    command: &SignPlatformMethod,
) -> Result<SignedMethod, Error> {
    let now = clock::now(conn).await?;
    let found = methods::lock(conn, command.id).await?.map(|(method, _)| method);
    let method = found.filter(|method| method.scope == Scope::Platform).ok_or(Error::NotFound)?;
    if method.version != command.version {
        return Err(Error::Stale);
    }
    keys.verify((&method.fields, method.version), &command.signature, now)?;
    signatures::insert(conn, &method, &command.signature, now).await?;
    let act = Act {
        staff: &command.call.staff,
        action: "payment_method.sign",
        subject_id: method.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({
            "version": method.version,
            "address": method.fields.address,
            "signature": command.signature,
        })),
        address: &command.call.address,
    };
    audit::append(conn, act).await?;
    Ok(SignedMethod { method, signature: Some(command.signature.clone()), proof: None })
}
