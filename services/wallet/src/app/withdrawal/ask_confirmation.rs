//! Requests the confirmation of a payout destination from a member (D-A4).

use chassis::db::Db;
use chassis::error::Kind;
use chassis::id::{MemberId, MethodId, TransactionId};
use chassis::identity::Session;

use crate::clients::{Codes, Methods};
use crate::domain::destination::{Cause, PayoutAddress};
use crate::domain::transaction::{Destination, Status};
use crate::error::Error;
use crate::store::{destinations, transactions};

/// What the member confirms the destination of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Withdrawal(TransactionId),
    Method(MethodId),
}

/// Whether a destination still has to be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// By the code that was mailed.
    Needed,
    Done,
}

/// The destination of what a member names.
///
/// # Errors
/// `NotFound`, `MethodNotFound`, `AlreadyDecided`, `DestinationMissing`, Unavailable.
pub async fn destination_of(
    db: &Db,
    methods: &Methods,
    user_id: MemberId,
    subject: Subject,
) -> Result<PayoutAddress, Error> {
    match subject {
        Subject::Withdrawal(id) => {
            let found = transactions::find(&mut *db.conn().await?, id).await?;
            let one = found.filter(|one| one.user_id == user_id).ok_or(Error::NotFound)?;
            let withdrawal = one.as_withdrawal().ok_or(Error::NotFound)?;
            if one.status != Status::Pending {
                return Err(Error::AlreadyDecided);
            }
            withdrawal.payout_address().ok_or(Error::DestinationMissing)
        }
        Subject::Method(id) => {
            let saved = Destination { address: String::new(), memo: String::new() };
            match methods.resolve_withdrawal(user_id, &id.to_string(), saved).await {
                Ok((method, Some(destination))) => Ok(method.payout_address(&destination)),
                Err(refusal) if refusal.kind == Kind::Unavailable => Err(refusal.into()),
                Ok((_, None)) | Err(_) => Err(Error::MethodNotFound),
            }
        }
    }
}

/// Has a code mailed, unless the destination is known. For members who gave a proven second factor for this call it is known
/// at once.
///
/// # Errors
/// RateLimited within a minute of the last code, and after six within an hour; Unavailable.
pub async fn ask_confirmation(
    db: &Db,
    codes: &Codes,
    member: &Session,
    to: &PayoutAddress,
) -> Result<Confirmation, Error> {
    let key = {
        let mut conn = db.conn().await?;
        if destinations::find(&mut conn, member.member_id(), to).await?.is_some() {
            return Ok(Confirmation::Done);
        }
        destinations::key(&mut conn, to).await?
    };
    if member.factor_proven {
        let assertion = codes.note(member, key).await?;
        destinations::learn(&mut *db.conn().await?, member.member_id(), to, (Cause::Factor, &assertion)).await?;
        return Ok(Confirmation::Done);
    }
    codes.issue(member.member_id(), key, to).await?;
    Ok(Confirmation::Needed)
}

/// The same after something else was done that stays done: if the code cannot be mailed, the member asks for another.
pub async fn ask_afterwards(
    db: &Db,
    codes: &Codes,
    member: &Session,
    to: &PayoutAddress,
) -> Result<Confirmation, Error> {
    match ask_confirmation(db, codes, member, to).await {
        Err(Error::Refused(refusal)) => {
            if refusal.kind != Kind::RateLimited {
                tracing::warn!(%refusal, "could not send a destination code");
            }
            Ok(Confirmation::Needed)
        }
        answer => answer,
    }
}
