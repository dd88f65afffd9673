//! A member reported that someone else used the account: what happened to their own methods lately is taken back (D-M10).

use chassis::clock;
use chassis::db::Db;
use chassis::id::MemberId;
use time::OffsetDateTime;

use crate::domain::method::Fields;
use crate::error::Error;
use crate::store::methods;

/// Ends the member's methods that were added in this period, and gives changed ones a version with what they were before. A
/// repetition finds nothing left to do.
pub async fn take_back_methods(
    db: &Db,
    user_id: MemberId,
    (since, until): (OffsetDateTime, OffsetDateTime),
) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    methods::lock_member(&mut tx, user_id).await?;
    for young in methods::changed_between(&mut tx, user_id, (since, until)).await? {
        match methods::version_before(&mut tx, young.id, since).await? {
            Some(before) => {
                // The file of a picture that was replaced is gone.
                let kept = before.image_key == young.fields.image_key;
                let image_key = if kept { before.image_key } else { String::new() };
                methods::change(&mut tx, &young, Fields { image_key, ..before }, now).await?;
            }
            None => methods::archive(&mut tx, young.id, now).await?,
        }
    }
    tx.commit().await?;
    Ok(())
}
