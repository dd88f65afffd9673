//! Active platform methods and the caller's own.

use chassis::db::Db;
use chassis::id::MemberId;

use crate::app::list_payments::{Arrival, arrivals};
use crate::app::own_address;
use crate::domain::method::{Scope, ShownMethod};
use crate::error::Error;
use crate::store::{chain_payments, methods};

/// The methods, the platform's first, with the member's own addresses, and the payments to them that no transaction rests on yet.
/// An address that the member does not have yet is derived.
pub async fn list_payment_methods(db: &Db, user_id: MemberId) -> Result<(Vec<ShownMethod>, Vec<Arrival>), Error> {
    let found = methods::visible_to(&mut *db.conn().await?, user_id).await?;
    let mut shown = Vec::new();
    for mut signed in found {
        let method = &mut signed.method;
        let key = method.fields.deposit_key().filter(|_| method.scope == Scope::Platform);
        let mut derivation = None;
        if let Some(key) = key {
            let (address, from) = own_address::ensure(db, (&method.fields, &key), user_id).await?;
            (method.fields.address, derivation) = (address, Some(from));
        }
        shown.push(ShownMethod { signed, derivation });
    }
    let mut conn = db.conn().await?;
    let arrived = chain_payments::arrived(&mut conn, user_id).await?;
    Ok((shown, arrivals(&mut conn, arrived).await?))
}
