//! GetMe: the calling staff member's account and second factor.

use chassis::identity::Session;
use time::OffsetDateTime;

use crate::app::App;
use crate::app::factor::get_factors::{Factors, factors};
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::store::users;

pub struct Me {
    pub user: User,
    pub factors: Factors,
    /// New staff: from when on they may decide.
    pub decides_from: Option<OffsetDateTime>,
}

pub async fn get_me(app: &App, session: &Session) -> Result<Me, Error> {
    let mut conn = app.db.conn().await?;
    let user = users::find(&mut conn, session.user_id).await?.ok_or_else(unauthenticated)?;
    Ok(Me { user, factors: factors(app, &mut conn, session).await?, decides_from: session.decides_from })
}
