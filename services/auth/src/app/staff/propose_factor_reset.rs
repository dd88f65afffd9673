//! ProposeFactorReset: a reviewer who checked a member's identity proposes to remove their lost second factors (D-A3).

use chassis::db::PgConnection;
use chassis::idempotency::{self, Answer};
use chassis::proposal::{self, NewProposal, Proposal};
use serde_json::json;

use crate::app::App;
use crate::app::factor::second_factor;
use crate::app::staff::freeze_member::Decision;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// The removal of a member's factors.
pub const FACTOR_RESET: &str = "factors.reset";

/// Opens a proposal for a second reviewer to confirm. The note says how the identity was checked.
///
/// # Errors
/// A wrong note, [`Error::NotFound`] if there is no such member or no factor.
pub async fn propose_factor_reset(app: &App, decision: &Decision) -> Result<Answer<Proposal>, Error> {
    decision.note("note")?;
    idempotency::once(&app.db, decision.claim.clone(), async |conn| propose(conn, decision).await).await
}

async fn propose(conn: &mut PgConnection, decision: &Decision) -> Result<Proposal, Error> {
    let note = decision.note("note")?;
    let member = users::find(conn, decision.user_id).await?.filter(User::is_member);
    let member = member.ok_or(Error::NotFound("member"))?;
    if !second_factor::is_set_up(conn, member.id).await? {
        return Err(Error::NotFound("second factor"));
    }
    let change = json!({ "name": member.name, "email": member.email, "note": note });
    let new = NewProposal {
        subject_id: Some(member.id.get()),
        member_id: Some(member.id.assume_member()),
        ..NewProposal::new(&decision.staff, &decision.address, FACTOR_RESET, &change)
    };
    Ok(proposal::open(conn, new).await?)
}
