//! A member confirms a payout destination, with an emailed code or a second factor (D-A4).

use chassis::db::Db;
use chassis::identity::Session;

use crate::app::withdrawal::ask_confirmation::Subject;
use crate::clients::Codes;
use crate::domain::destination::{Cause, PayoutAddress};
use crate::error::Error;
use crate::events::published;
use crate::store::{destinations, transactions};

/// Makes the destination of a subject known; a known one takes no code. Members who gave a proven second factor for this call
/// need no code either; a factor that was set up lately replaces none (D-M10).
///
/// # Errors
/// Invalid (`INVALID_CODE`, field `code`), Unavailable.
pub async fn confirm_destination(
    db: &Db,
    codes: &Codes,
    member: &Session,
    (subject, to): (Subject, &PayoutAddress),
    code: &str,
) -> Result<(), Error> {
    let (known, key) = {
        let mut conn = db.conn().await?;
        (destinations::find(&mut conn, member.member_id(), to).await?, destinations::key(&mut conn, to).await?)
    };
    if known.is_some() {
        return Ok(());
    }
    let (cause, assertion) = if member.factor_proven {
        (Cause::Factor, codes.note(member, key).await?)
    } else {
        let assertion = codes.check(member.member_id(), key, code).await?;
        chassis::crash_point!("wallet.confirm_destination.after_code");
        (Cause::Code, assertion)
    };
    let mut tx = db.begin().await?;
    let learnt = destinations::learn(&mut tx, member.member_id(), to, (cause, &assertion)).await?;
    if let (true, Subject::Withdrawal(id)) = (learnt, subject) {
        let withdrawal = transactions::find(&mut tx, id).await?.ok_or(Error::NotFound)?;
        published::destination_confirmed(&withdrawal).enqueue(&mut tx).await?;
    }
    chassis::crash_point!("wallet.confirm_destination.before_commit");
    tx.commit().await?;
    Ok(())
}
