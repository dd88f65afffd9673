//! A step of several use cases: issuing recovery codes, in their transaction.

use chassis::db::PgConnection;
use chassis::keys;

use crate::app::App;
use crate::domain::totp::{RECOVERY_CHARACTERS, RECOVERY_CODES, recovery_code, shown};
use crate::domain::user::User;
use crate::error::Error;
use crate::store::recovery_codes;

/// Makes new ones in place of those before; returns them as they are shown, once. The caller holds the account's lock.
pub async fn replace(app: &App, conn: &mut PgConnection, user: &User) -> Result<Vec<String>, Error> {
    let random = || keys::random::<RECOVERY_CHARACTERS>().map_err(|error| Error::Cryptography(error.to_string()));
    let codes: Vec<_> = (0..RECOVERY_CODES).map(|_| random().map(recovery_code)).collect::<Result<_, _>>()?;
    let hashes: Vec<_> = codes.iter().map(|code| app.secrets.recovery_hash(user.id, code)).collect();
    recovery_codes::replace(conn, user.id, &hashes).await?;
    Ok(codes.iter().map(|code| shown(code)).collect())
}
