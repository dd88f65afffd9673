//! Proposes to add, change or retire a platform method (D-M1).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MethodId;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use chassis::staff_call::StaffCall;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::method::{Fields, Method, Scope};
use crate::error::Error;
use crate::store::methods;
use crate::treasury::PublicKeys;

pub const CREATE: &str = "payment_method.create";
pub const UPDATE: &str = "payment_method.update";
pub const ARCHIVE: &str = "payment_method.archive";

#[derive(Debug, Clone)]
pub enum Change {
    Create(Proposed),
    /// Other fields for a method; without a picture it keeps the one it has.
    Update(MethodId, Proposed),
    Archive(MethodId),
}

/// The next version of a method, as stored in the proposal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Proposed {
    #[serde(flatten)]
    pub fields: Fields,
    /// The treasury key's signature over it; empty if it is attached later.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

/// What a change or an end replaces, as stored in the proposal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Before {
    /// The version it was proposed for.
    pub version: i32,
    #[serde(flatten)]
    pub fields: Fields,
}

#[derive(Debug, Clone)]
pub struct ProposePlatformMethod {
    pub call: StaffCall,
    pub change: Change,
}

/// The open proposal, once a key.
///
/// # Errors
/// `NotFound` if there is no active platform method with this id; `Refused` if the signature does not verify.
pub async fn propose_platform_method(
    db: &Db,
    keys: &PublicKeys,
    command: &ProposePlatformMethod,
) -> Result<Answer<Proposal>, Error> {
    idempotency::once(db, command.call.claim.clone(), async |conn| propose(conn, keys, command).await).await
}

async fn propose(
    conn: &mut PgConnection,
    keys: &PublicKeys,
    command: &ProposePlatformMethod,
) -> Result<Proposal, Error> {
    let now = clock::now(conn).await?;
    let verify = |next: &Proposed, version| match next.signature.as_str() {
        "" => Ok(()),
        signature => keys.verify((&next.fields, version), signature, now),
    };
    let ProposePlatformMethod { call, change } = command;
    let (kind, subject, change, before) = match change.clone() {
        Change::Create(next) => {
            verify(&next, 1)?;
            (CREATE, None, serde_json::to_value(next)?, None)
        }
        Change::Update(id, mut next) => {
            let current = platform_method(conn, id).await?;
            verify(&next, current.version + 1)?;
            if next.fields.image_key.is_empty() {
                next.fields.image_key.clone_from(&current.fields.image_key);
            }
            (UPDATE, Some(id), serde_json::to_value(next)?, Some(before(&current)?))
        }
        Change::Archive(id) => {
            let current = platform_method(conn, id).await?;
            (ARCHIVE, Some(id), json!({ "archived": true }), Some(before(&current)?))
        }
    };
    let new = NewProposal {
        subject_id: subject.map(Into::into),
        before,
        logged: json!({ "kind": kind, "methodId": subject, "change": change }),
        ..NewProposal::new(&call.staff, &call.address, kind, &change)
    };
    Ok(proposal::open(conn, new).await?)
}

async fn platform_method(conn: &mut PgConnection, id: MethodId) -> Result<Method, Error> {
    let found = methods::active(conn, id, None).await?;
    found.filter(|method| method.scope == Scope::Platform).ok_or(Error::NotFound)
}

fn before(method: &Method) -> Result<Value, Error> {
    let before = Before { version: method.version, fields: method.fields.clone() };
    Ok(serde_json::to_value(before)?)
}
