//! Saves a personal method.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::MemberId;
use chassis::idempotency::{self, Answer, Claim};

use crate::domain::method::{Fields, Method, PERSONAL_LIMIT};
use crate::error::Error;
use crate::store::methods;

/// The new method, once a key.
///
/// # Errors
/// `TooManyMethods`; `PlatformAddress` if deposits are received there.
pub async fn create_payment_method(
    db: &Db,
    user_id: MemberId,
    fields: Fields,
    claim: Option<Claim>,
) -> Result<Answer<Method>, Error> {
    idempotency::once(db, claim, async |conn| create(conn, user_id, fields).await).await
}

async fn create(conn: &mut PgConnection, user_id: MemberId, fields: Fields) -> Result<Method, Error> {
    let now = clock::now(conn).await?;
    methods::lock_member(conn, user_id).await?;
    if methods::count_personal(conn, user_id).await? >= PERSONAL_LIMIT {
        return Err(Error::TooManyMethods);
    }
    if methods::is_platform_address(conn, &fields.address).await? {
        return Err(Error::PlatformAddress);
    }
    methods::insert(conn, Some(user_id), fields, now).await
}
