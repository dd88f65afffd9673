//! Active platform methods and the caller's own.

use chassis::db::Db;
use uuid::Uuid;

use crate::domain::method::SignedMethod;
use crate::error::Error;
use crate::store::methods;

/// The methods, the platform's first.
pub async fn list_payment_methods(db: &Db, user_id: Uuid) -> Result<Vec<SignedMethod>, Error> {
    methods::visible_to(&mut *db.conn().await?, user_id).await
}
