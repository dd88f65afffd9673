//! CheckSession: the caller's account, and a token of the same session.

use chassis::clock;
use chassis::identity::Session;

use crate::app::App;
use crate::app::session::opening::SignedIn;
use crate::error::{Error, unauthenticated};
use crate::store::{sessions, users};

/// The account and the token shown, or a fresh one past half of its life.
///
/// # Errors
/// Unauthenticated if the session ended meanwhile.
pub async fn check_session(app: &App, session: &Session, token: &str) -> Result<SignedIn, Error> {
    let mut conn = app.db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let user = users::find(&mut conn, session.user_id).await?.ok_or_else(unauthenticated)?;
    let token = if app.tokens.is_fresh(token, session.id, now) {
        token.to_owned()
    } else {
        let session = sessions::find(&mut conn, session.id).await?.ok_or_else(unauthenticated)?;
        app.tokens.issue(&session, now)?
    };
    Ok(SignedIn { user, token })
}
