//! Proposes to add, change or retire a platform method (D-M1).

use chassis::db::{Db, PgConnection};
use chassis::idempotency::{Answer, Claim, Work};
use chassis::identity::Staff;
use chassis::proposal::{self, NewProposal, Proposal};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::method::{Fields, Method, Scope};
use crate::error::Error;
use crate::store::methods;

pub const CREATE: &str = "payment_method.create";
pub const UPDATE: &str = "payment_method.update";
pub const ARCHIVE: &str = "payment_method.archive";

#[derive(Debug, Clone)]
pub enum Change {
    Create(Fields),
    /// Other fields for a method; without a picture it keeps the one it has.
    Update(Uuid, Fields),
    Archive(Uuid),
}

/// What a change or an end replaces, as stored in the proposal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Before {
    /// The version it was proposed for.
    pub version: i32,
    #[serde(flatten)]
    pub fields: Fields,
}

/// The open proposal, once a key.
///
/// # Errors
/// `NotFound` if there is no active platform method with this id.
pub async fn propose_platform_method(
    db: &Db,
    staff: &Staff,
    change: Change,
    address: &str,
    claim: Option<Claim>,
) -> Result<Answer<Proposal>, Error> {
    let mut work = Work::begin::<Error>(db, claim).await?;
    if let Some(answer) = work.replay::<Proposal, Error>()? {
        return Ok(answer);
    }
    let result = propose(&mut work, staff, change, address).await;
    work.settle(result).await
}

async fn propose(conn: &mut PgConnection, staff: &Staff, change: Change, address: &str) -> Result<Proposal, Error> {
    let (kind, subject, change, before) = match change {
        Change::Create(fields) => (CREATE, None, serde_json::to_value(fields)?, None),
        Change::Update(id, mut fields) => {
            let current = platform_method(conn, id).await?;
            if fields.image_key.is_empty() {
                fields.image_key.clone_from(&current.fields.image_key);
            }
            (UPDATE, Some(id), serde_json::to_value(fields)?, Some(before(&current)?))
        }
        Change::Archive(id) => {
            let current = platform_method(conn, id).await?;
            (ARCHIVE, Some(id), json!({ "archived": true }), Some(before(&current)?))
        }
    };
    let new = NewProposal {
        staff,
        address,
        kind,
        subject_id: subject,
        member_id: None,
        change: &change,
        before,
        logged: json!({ "kind": kind, "methodId": subject, "change": change }),
    };
    Ok(proposal::open(conn, new).await?)
}

async fn platform_method(conn: &mut PgConnection, id: Uuid) -> Result<Method, Error> {
    let found = methods::active(conn, id, None).await?;
    found.filter(|method| method.scope == Scope::Platform).ok_or(Error::NotFound)
}

fn before(method: &Method) -> Result<Value, Error> {
    let before = Before { version: method.version, fields: method.fields.clone() };
    Ok(serde_json::to_value(before)?)
}
