//! Login: opens a session by email and password.

use chassis::id::UserId;
use std::time::Duration;

use chassis::clock;
use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::app::factor::second_factor;
use crate::app::factor::second_factor::Given;
use crate::app::security::security_log;
use crate::app::session::issuing;
use crate::app::session::opening::{self, SignedIn};
use crate::app::{App, SecondFactor};
use crate::domain::asker::Asker;
use crate::domain::code::{NewCode, Purpose};
use crate::domain::device::Device;
use crate::domain::email::Email;
use crate::domain::password::Password;
use crate::domain::second_factor::SteppedUp;
use crate::domain::security_event::Kind;
use crate::domain::throttle::Counter;
use crate::domain::totp::Typed;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::{authenticators, codes, known_devices, login_throttles, passkeys, users};

#[derive(Debug, Clone)]
pub struct Credentials {
    pub email: Email,
    pub password: Password,
    /// The second factor, if one was sent.
    pub totp: Option<Typed>,
    pub device: Device,
}

/// Logs in. The try is counted, and the count committed, before the comparison. An unknown account takes as long as a
/// known one.
///
/// # Errors
/// [`Error::InvalidCredentials`], [`Error::TotpRequired`], [`Error::PasskeyRequired`], [`Error::WrongTotp`];
/// [`Error::TooManyTries`], [`Error::FactorLocked`] and [`Error::Overloaded`] before anything is compared.
pub async fn login(app: &App, credentials: &Credentials) -> Result<SignedIn, Error> {
    // Taken before anything is counted, so that a refused login costs little and reveals nothing.
    let place = app.hasher.place(asker(app, credentials).await?)?;
    let turn = app.sign_ins.acquire().await;
    let user = users::find_by_email(&mut *app.db.conn().await?, credentials.email.as_str()).await?;
    let known = user.as_ref().map(|user| (user.id, user.role));
    let throttled = |error: &Error| security_log::throttled(error, known, Kind::SignIn, Some(&credentials.device));
    let counted = charge(app, credentials, user.as_ref()).await.inspect_err(throttled)?;
    drop(turn);
    let hash = user.as_ref().and_then(|user| user.password_hash.as_deref());
    let compared = app.hasher.matches_at(place, &credentials.password, hash).await;
    let _turn = app.sign_ins.acquire().await;
    let Ok(matches) = compared else {
        give_back(app, &counted).await?;
        return compared.and(Err(Error::Overloaded));
    };
    let matches = matches && counted.lets_in();
    if matches {
        acquit(app, &counted).await?;
    }
    // A closed account is not revealed either.
    let user_id = user.as_ref().filter(|user| user.closed_at.is_none()).map(|user| user.id);
    let Some(user) = user.filter(|user| matches && user.is_open()) else {
        security_log::refused_behind(&app.db, user_id, &credentials.device);
        return Err(counted.refusal()).inspect_err(throttled);
    };
    if credentials.totp.is_some() && asks_for_factor(app, &mut *app.db.conn().await?, &user).await?.is_some() {
        second_factor::charge_for(app, user.id, user.role).await.inspect_err(throttled)?;
    }
    let opened = open(app, &user, credentials).await;
    if let Err(Error::WrongTotp(_)) = &opened {
        security_log::refused(&app.db, user.id, Kind::SignIn, Some(&credentials.device)).await?;
    }
    opened
}

/// Who asks for a comparison: the account, if it knows the key of the device, which nobody else can name; a family and block
/// anybody can have.
async fn asker(app: &App, credentials: &Credentials) -> Result<Asker, Error> {
    let device = &credentials.device;
    let holder = match &device.key {
        Some(key) => known_devices::holder(&mut *app.db.conn().await?, credentials.email.as_str(), key).await?,
        None => None,
    };
    Ok(holder.map_or_else(|| Asker::visitor(device), |id| Asker::account(id, device)))
}

/// How to ask for the second factor of an account; `None` if it has none, or needs none.
async fn asks_for_factor(app: &App, conn: &mut PgConnection, user: &User) -> Result<Option<Error>, Error> {
    if !user.is_member() && app.second_factor == SecondFactor::Waived {
        return Ok(None);
    }
    if authenticators::in_force(&mut *conn, user.id).await?.is_some() {
        return Ok(Some(Error::TotpRequired));
    }
    Ok((passkeys::count(conn, user.id).await? > 0).then_some(Error::PasskeyRequired))
}

/// How a try was counted.
enum Counted {
    /// By its address, then by its account.
    AsUsual([Counter; 2]),
    /// By its place alone, because the others are closed for so long: only the right password from a known place passes.
    /// Whether the account exists, and knows the place, makes no difference to anybody else.
    AtPlace { place: Counter, is_known: bool, wait: Duration },
}

impl Counted {
    /// Whether the right password lets in.
    const fn lets_in(&self) -> bool {
        matches!(self, Self::AsUsual(_) | Self::AtPlace { is_known: true, .. })
    }

    /// What the wrong password is answered.
    const fn refusal(&self) -> Error {
        match self {
            Self::AsUsual(_) => Error::InvalidCredentials,
            Self::AtPlace { wait, .. } => Error::TooManyTries(*wait),
        }
    }
}

async fn charge(app: &App, credentials: &Credentials, user: Option<&User>) -> Result<Counted, Error> {
    let (email, device) = (credentials.email.folded(), &credentials.device);
    let mut conn = app.db.conn().await?;
    // An unknown account knows no place; it is asked all the same, so that it costs the same.
    let user_id = user.map_or(UserId::default(), |user| user.id);
    let is_known = known_devices::knows(&mut conn, user_id, device).await?;
    drop(conn);
    let counters = [Counter::address(device), Counter::account(&email)];
    let Some(wait) = charge_all(app, &counters).await? else { return Ok(Counted::AsUsual(counters)) };
    let place = Counter::place(&email, device);
    // Nobody else can name the key of a device: without an account that knows it, there is nothing to hide.
    let is_hopeless = device.key.is_some() && !is_known;
    if is_hopeless || charge_all(app, std::slice::from_ref(&place)).await?.is_some() {
        return Err(Error::TooManyTries(wait));
    }
    Ok(Counted::AtPlace { place, is_known, wait })
}

/// Charges all of the counters, or none if one is closed: then it returns for how long.
async fn charge_all(app: &App, counters: &[Counter]) -> Result<Option<Duration>, Error> {
    let mut tx = app.db.begin().await?;
    for counter in counters {
        if let Some(wait) = login_throttles::charge(&mut tx, counter).await? {
            return Ok(Some(wait));
        }
    }
    tx.commit().await?;
    Ok(None)
}

/// Forgets the vain tries: the password was right.
async fn acquit(app: &App, counted: &Counted) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    match counted {
        Counted::AsUsual([address, account]) => {
            login_throttles::give_back(&mut tx, address).await?;
            login_throttles::clear(&mut tx, account).await?;
        }
        Counted::AtPlace { place, .. } => login_throttles::clear(&mut tx, place).await?,
    }
    tx.commit().await?;
    Ok(())
}

/// Takes the try back: nothing was compared.
async fn give_back(app: &App, counted: &Counted) -> Result<(), Error> {
    let mut tx = app.db.begin().await?;
    let counters = match counted {
        Counted::AsUsual(counters) => counters.as_slice(),
        Counted::AtPlace { place, .. } => std::slice::from_ref(place),
    };
    for counter in counters {
        login_throttles::give_back(&mut tx, counter).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn open(app: &App, known: &User, credentials: &Credentials) -> Result<SignedIn, Error> {
    let mut tx = app.db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = users::lock(&mut tx, known.id).await?.ok_or(Error::InvalidCredentials)?;
    // Changed or ended while the password was compared.
    if user.password_hash != known.password_hash || !user.is_open() {
        return Err(Error::InvalidCredentials);
    }
    let stepped_up = given(app, &mut tx, &user, credentials, now).await?;
    let session = opening::session(&mut tx, &user, &credentials.device, stepped_up, now).await?;
    if user.verified_at.is_none() && !codes::is_alive(&mut tx, user.id, Purpose::Registration, now).await? {
        let code = NewCode { user_id: user.id, purpose: Purpose::Registration, email: &user.email, request: None };
        match issuing::code(&mut tx, &code, now).await {
            // The hour's share is used up: they are in, and ask again later.
            Err(Error::TooManyCodes) => {}
            other => other?,
        }
    }
    let token = app.tokens.issue(&session, now)?;
    chassis::crash_point!("auth.login.before_commit");
    tx.commit().await?;
    chassis::crash_point!("auth.login.after_commit");
    Ok(SignedIn { user, token })
}

/// Checks the second factor of accounts that have one; returns it as given. Staff without one may log in, but do
/// nothing except enrol one.
async fn given(
    app: &App,
    conn: &mut PgConnection,
    user: &User,
    credentials: &Credentials,
    now: OffsetDateTime,
) -> Result<Option<SteppedUp>, Error> {
    let Some(question) = asks_for_factor(app, &mut *conn, user).await? else { return Ok(None) };
    let typed = credentials.totp.as_ref().ok_or(question)?;
    let given = Given { typed, field: "totp", device: &credentials.device, now };
    Ok(Some(second_factor::take(app, conn, user, &given).await?))
}
