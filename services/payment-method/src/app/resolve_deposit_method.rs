//! The platform method that a deposit or fee names (D-D3).

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::method::Method;
use crate::error::Error;
use crate::store::methods;

/// By id, or by a currency code that exactly one active platform method has; in the version that was shown, so that what
/// was paid to an address that has been replaced meanwhile is recorded as it was. A version that is not known counts as
/// the one in force.
///
/// # Errors
/// `MethodUnavailable` if no active method has this id, or the currency names none or several.
pub async fn resolve_deposit_method(db: &Db, method: &str, shown: i32) -> Result<Method, Error> {
    let mut conn = db.conn().await?;
    let name = method.trim();
    let found = match name.parse::<Uuid>() {
        Ok(id) => methods::active(&mut conn, id, None).await?,
        Err(_) => {
            let mut of_currency = methods::platform_of_currency(&mut conn, &name.to_ascii_uppercase()).await?;
            if of_currency.len() == 1 { of_currency.pop() } else { None }
        }
    };
    let current = found.ok_or(Error::MethodUnavailable)?;
    if shown == 0 || shown == current.version {
        return Ok(current);
    }
    Ok(methods::platform_version(&mut conn, current.id, shown).await?.unwrap_or(current))
}
