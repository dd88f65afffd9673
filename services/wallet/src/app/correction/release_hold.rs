//! A second staff member releases a hold.

use chassis::audit::{self, Act};
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer};
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use serde_json::json;

use crate::domain::account::AccountRef;
use crate::domain::hold::{Hold, HoldId};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::error::Error;
use crate::posting::{self, Posting};
use crate::store::{accounts, holds};

#[derive(Debug, Clone)]
pub struct ReleaseHold {
    pub call: StaffCall,
    pub user_id: MemberId,
    pub id: HoldId,
}

/// Moves what is on hold back to the free balance, once.
///
/// # Errors
/// `HoldNotFound`, `HoldReleased`, `OwnHold`.
pub async fn release_hold(db: &Db, command: &ReleaseHold) -> Result<Answer<Hold>, Error> {
    let decided =
        Decided::new("hold.release", command.id, Permission::ReleaseHold, json!({ "userId": command.user_id }));
    let signed = command.call.staff.sign(decided, None).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| release(conn, command, &signed).await).await
}

async fn release(conn: &mut PgConnection, command: &ReleaseHold, signed: &Signed) -> Result<Hold, Error> {
    let (user_id, by) = (command.user_id, command.call.staff.id);
    accounts::wallet(conn, user_id).await?.ok_or(Error::HoldNotFound)?;
    posting::lock_member(conn, user_id).await?;
    let hold = holds::lock(conn, command.id, user_id).await?.ok_or(Error::HoldNotFound)?;
    if hold.released_by.is_some() {
        return Err(Error::HoldReleased);
    }
    if hold.placed_by == by {
        return Err(Error::OwnHold);
    }
    holds::release(conn, hold.id, by).await?;
    let way = (AccountRef::on_hold(user_id), AccountRef::available(user_id));
    let posting = Posting::transfer(PostingKind::HoldRelease, Cause::Hold(hold.id), user_id, way, hold.amount)?;
    posting::post(conn, &[posting]).await?;
    let act = Act {
        staff: &command.call.staff,
        action: "hold.release",
        subject_id: hold.id.to_string(),
        member_id: Some(user_id),
        before: Some(json!({ "amountCents": hold.amount, "placedBy": hold.placed_by })),
        after: Some(json!({ "status": "released" })),
        address: &command.call.address,
    };
    audit::append_signed(conn, act, signed).await?;
    Ok(Hold { released_by: Some(by), ..hold })
}
