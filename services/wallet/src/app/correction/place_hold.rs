//! A reviewer places a hold on a part of a member's available balance.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::decision::{Decided, Signed};
use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer};
use chassis::money::Cents;
use chassis::permission::Permission;
use chassis::staff_call::StaffCall;
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::domain::account::AccountRef;
use crate::domain::hold::{HOLDS_MAX, Hold, HoldId, HoldReason};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::error::Error;
use crate::posting::{self, Posting};
use crate::store::{accounts, holds};

#[derive(Debug, Clone)]
pub struct PlaceHold {
    pub call: StaffCall,
    pub user_id: MemberId,
    pub amount: Cents,
    /// Why; the member reads its sentence.
    pub reason: HoldReason,
}

/// Moves the amount from the free balance to what is on hold.
///
/// # Errors
/// Invalid for an amount that cannot be, `MemberNotFound`, `InsufficientBalance`, `TooManyHolds`.
pub async fn place_hold(db: &Db, command: &PlaceHold) -> Result<Answer<Hold>, Error> {
    if command.amount <= Cents::ZERO {
        return Err(Refusal::field("amount", "Please enter an amount above zero.").into());
    }
    let id = command.hold_id();
    let signed = command.call.staff.sign(command.decided(id), None).await?;
    idempotency::once(db, command.call.claim.clone(), async |conn| place(conn, command, id, &signed).await).await
}

impl PlaceHold {
    /// The id of the hold that it makes: the same under the same key, since a decision that staff have to confirm first is
    /// sent again, and has to be the one that they confirmed.
    fn hold_id(&self) -> HoldId {
        let Some(claim) = &self.call.claim else { return Uuid::now_v7().into() };
        let (user_id, route, key) = claim.key();
        let hash =
            Sha256::digest([user_id.get().as_bytes(), route.as_bytes(), key.as_bytes(), claim.request().0].concat());
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
        Uuid::from_bytes(bytes).into()
    }

    /// What it comes to, with the id of the hold that it makes.
    fn decided(&self, id: HoldId) -> Decided {
        let facts = json!({ "userId": self.user_id, "amountCents": self.amount, "reasonCode": self.reason.into_str() });
        Decided::new("hold.place", id, Permission::PlaceHold, facts)
    }
}

async fn place(conn: &mut PgConnection, command: &PlaceHold, id: HoldId, signed: &Signed) -> Result<Hold, Error> {
    let now = clock::now(conn).await?;
    let &PlaceHold { user_id, amount, reason, .. } = command;
    // Accounts are created at registration: a user id without accounts is no member and must not get any by mistake.
    accounts::wallet(conn, user_id).await?.ok_or(Error::MemberNotFound)?;
    posting::lock_member(conn, user_id).await?;
    let before = accounts::wallet(conn, user_id).await?.ok_or(Error::MemberNotFound)?;
    if holds::of_member(conn, user_id).await?.len() >= HOLDS_MAX {
        return Err(Error::TooManyHolds(HOLDS_MAX));
    }
    let by = command.call.staff.id;
    let hold = Hold { id, user_id, amount, reason, placed_by: by, placed_at: now, released_by: None };
    holds::insert(conn, &hold).await?;
    posting::open_on_hold(conn, user_id).await?;
    let way = (AccountRef::available(user_id), AccountRef::on_hold(user_id));
    posting::post(conn, &[Posting::transfer(PostingKind::Hold, Cause::Hold(hold.id), user_id, way, amount)?]).await?;
    let act = Act {
        staff: &command.call.staff,
        action: "hold.place",
        subject_id: hold.id.to_string(),
        member_id: Some(user_id),
        before: Some(json!({ "availableCents": before.available, "onHoldCents": before.on_hold })),
        after: Some(json!({ "amountCents": amount, "reasonCode": reason.into_str() })),
        address: &command.call.address,
    };
    audit::append_signed(conn, act, signed).await?;
    Ok(hold)
}
