//! The platform method that a deposit or fee names (D-D3).

use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, MethodId};

use crate::app::own_address;
use crate::domain::method::{Method, Scope};
use crate::error::Error;
use crate::store::methods;

/// By id, or by a currency code that exactly one active platform method has; in the version that was shown, so that what
/// was paid to an address that has been replaced meanwhile is recorded as it was. A version that is not known counts as
/// the one in force. With the member's own address, if the method has an extended public key and a member is named.
///
/// # Errors
/// `MethodUnavailable` if no active method has this id, or the currency names none or several.
pub async fn resolve_deposit_method(
    db: &Db,
    method: &str,
    shown: i32,
    user_id: Option<MemberId>,
) -> Result<Method, Error> {
    let mut found = find(db, method, shown).await?;
    let key = found.fields.deposit_key().filter(|_| found.scope == Scope::Platform);
    if let Some((key, user_id)) = key.zip(user_id) {
        found.fields.address = own_address::ensure(db, (&found.fields, &key), user_id).await?.0;
    }
    Ok(found)
}

async fn find(db: &Db, method: &str, shown: i32) -> Result<Method, Error> {
    let mut conn = db.conn().await?;
    let current = named_method(&mut conn, method, None).await?;
    if shown == 0 || shown == current.version {
        return Ok(current);
    }
    Ok(methods::platform_version(&mut conn, current.id, shown).await?.unwrap_or(current))
}

/// The active method that this names: by id, which may also be the member's own where one is given; or the platform's by a
/// currency code that exactly one has.
///
/// # Errors
/// `MethodUnavailable` if it names none, or several.
pub(crate) async fn named_method(
    conn: &mut PgConnection,
    name: &str,
    user_id: Option<MemberId>,
) -> Result<Method, Error> {
    let name = name.trim();
    let found = match name.parse::<MethodId>() {
        Ok(id) => methods::active(conn, id, user_id).await?,
        Err(_) => {
            let mut of_currency = methods::platform_of_currency(conn, &name.to_ascii_uppercase()).await?;
            if of_currency.len() == 1 { of_currency.pop() } else { None }
        }
    };
    found.ok_or(Error::MethodUnavailable)
}
