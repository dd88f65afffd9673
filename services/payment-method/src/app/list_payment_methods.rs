//! Active platform methods and the caller's own.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::method::Method;
use crate::error::Error;
use crate::store::methods;

/// The methods, the platform's first.
pub async fn list_payment_methods(db: &Db, user_id: Uuid) -> Result<Vec<Method>, Error> {
    methods::visible_to(&mut *db.conn().await?, Some(user_id)).await
}
