//! Register: creates an unverified account with a session, and requests a code for its address.

use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::{SessionId, UserId};
use chassis::idempotency::{self, Answer, Claim};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::session::issuing;
use crate::app::session::opening::{self, SignedIn};
use crate::domain::asker::Asker;
use crate::domain::code::{NewCode, Purpose};
use crate::domain::details::Details;
use crate::domain::device::Device;
use crate::domain::password::Password;
use crate::domain::throttle::Counter;
use crate::domain::user::User;
use crate::error::{Error, unauthenticated};
use crate::events::published;
use crate::store::{login_throttles, sessions, users};

#[derive(Debug, Clone)]
pub struct Registration {
    pub details: Details,
    pub password: Password,
    pub device: Device,
}

/// What is kept of the answer: never the token.
#[derive(Serialize, Deserialize)]
struct Registered {
    user_id: UserId,
    session_id: SessionId,
}

/// Registers. A replay signs a new token of the same session.
///
/// # Errors
/// [`Error::EmailTaken`]; [`Error::Overloaded`] if too many passwords wait to be hashed; [`Error::TooManyTries`] if too many
/// from there registered an address that was taken.
pub async fn register(app: &App, registration: &Registration, claim: Option<Claim>) -> Result<Answer<SignedIn>, Error> {
    let counter = Counter::registrations(&registration.device);
    charge(app, &counter).await?;
    let added = hash_and_add(app, registration, claim).await;
    if !matches!(added, Err(Error::EmailTaken)) {
        login_throttles::give_back(&mut *app.db.conn().await?, &counter).await?;
    }
    let answer = added?;
    let signed_in = sign(app, &answer.result).await?;
    Ok(answer.map(|_| signed_in))
}

async fn charge(app: &App, counter: &Counter) -> Result<(), Error> {
    let _turn = app.sign_ins.acquire().await;
    let wait = login_throttles::charge(&mut *app.db.conn().await?, counter).await?;
    wait.map_or(Ok(()), |wait| Err(Error::TooManyTries(wait)))
}

async fn hash_and_add(
    app: &App,
    registration: &Registration,
    claim: Option<Claim>,
) -> Result<Answer<Registered>, Error> {
    let hash = app.hasher.hash(Asker::visitor(&registration.device), &registration.password).await?;
    idempotency::once(&app.db, claim, async |conn| add(conn, registration, hash).await).await
}

async fn add(conn: &mut PgConnection, registration: &Registration, hash: String) -> Result<Registered, Error> {
    let now = clock::now(&mut *conn).await?;
    let details = &registration.details;
    let user = User {
        phone: details.phone.clone(),
        country: details.country.clone(),
        password_hash: Some(hash),
        ..User::new(details.name.clone(), details.email.as_str().to_owned(), now)
    };
    if !users::insert(&mut *conn, &user).await? {
        return Err(Error::EmailTaken);
    }
    published::user_registered(&mut *conn, user.id).await?;
    let code = NewCode { user_id: user.id, purpose: Purpose::Registration, email: &user.email, request: None };
    issuing::code(&mut *conn, &code, now).await?;
    let session = opening::session(conn, &user, &registration.device, None, now).await?;
    Ok(Registered { user_id: user.id, session_id: session.id })
}

async fn sign(app: &App, registered: &Registered) -> Result<SignedIn, Error> {
    let mut conn = app.db.conn().await?;
    let user = users::find(&mut conn, registered.user_id).await?.ok_or(Error::NotFound("account"))?;
    let session = sessions::find(&mut conn, registered.session_id).await?.ok_or_else(unauthenticated)?;
    let now = clock::now(&mut conn).await?;
    let token = app.tokens.issue(&session, now)?;
    Ok(SignedIn { user, token })
}
