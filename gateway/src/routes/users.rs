//! The member's own account.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::auth::v1 as auth;
use proto::auth::v1::{ChangePasswordRequest, UpdateImageRequest, UpdateProfileRequest};
use proto::wallet::v1::{GetWalletRequest, Wallet as WalletMessage};
use route_macros::{put, request, response};

use crate::app::App;
use crate::clients::{call, call_retrying, send};
use crate::error::ApiError;
use crate::extract::ActiveMember;
use crate::files::{Files, Purpose};
use crate::json::{Answer, Dollars, Field, Form, Json, moment, ok};
use crate::names::{HoldReason, Role};
use crate::routes::Done;

/// A member's balances.
#[response]
pub struct Wallet {
    /// Available balance in dollars.
    pub balance: Dollars,
    /// Promotional balance in dollars, not spendable until it is released.
    pub bonus: Dollars,
    /// Amount reserved for an open withdrawal, in dollars.
    pub held: Dollars,
    /// Amount in open trades, in dollars.
    pub invested: Dollars,
    /// Amount held by our team, in dollars. Missing if it is zero.
    pub on_hold: Option<Dollars>,
    /// The holds and their reasons, oldest first. Missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<Hold>,
    /// What the member owes since a payment was reversed, in dollars. Missing if it is zero. The next credits settle it
    /// first, and the member cannot withdraw, invest or buy anything until then.
    pub owed: Option<Dollars>,
}

/// A hold on a part of a balance.
#[response]
pub struct Hold {
    id: String,
    /// Amount of the hold in dollars.
    amount: Dollars,
    #[schema(value_type = HoldReason)]
    reason_code: String,
    /// The reason as a sentence.
    reason: String,
    #[nullable]
    created_at: Option<String>,
    /// Id of the staff member who placed it. Only in responses to staff.
    pub placed_by: Option<String>,
    pub placed_by_name: Option<String>,
}

impl From<proto::wallet::v1::Hold> for Hold {
    fn from(hold: proto::wallet::v1::Hold) -> Self {
        Self {
            id: hold.id,
            amount: Dollars::from_cents(hold.amount_cents),
            reason_code: hold.reason_code,
            reason: hold.reason,
            created_at: moment(hold.created_at.as_ref()),
            placed_by: Some(hold.placed_by).filter(|id| !id.is_empty()),
            placed_by_name: None,
        }
    }
}

impl From<&WalletMessage> for Wallet {
    fn from(wallet: &WalletMessage) -> Self {
        let above_zero = |cents: i64| (cents > 0).then(|| Dollars::from_cents(cents));
        Self {
            balance: Dollars::from_cents(wallet.available_cents),
            bonus: Dollars::from_cents(wallet.bonus_cents),
            held: Dollars::from_cents(wallet.held_cents),
            invested: Dollars::from_cents(wallet.invested_cents),
            on_hold: above_zero(wallet.on_hold_cents),
            holds: wallet.holds.iter().cloned().map(Hold::from).collect(),
            owed: above_zero(wallet.owed_cents),
        }
    }
}

/// An account as its owner sees it.
#[response]
pub struct User {
    /// Id of the account.
    pub id: String,
    pub name: String,
    /// Email address in use.
    pub email: String,
    /// New email address, until it is confirmed by its code.
    #[nullable]
    pub pending_email: Option<String>,
    pub phone: String,
    /// English name of the country.
    pub country: String,
    /// Link to the photo.
    #[nullable]
    pub image: Option<String>,
    /// Whether the email is confirmed.
    pub is_verified: bool,
    /// Whether staff froze the account.
    pub is_frozen: bool,
    /// Whether a withdrawal is open.
    pub is_withdrawal_pending: bool,
    /// Whether the course is unlocked.
    pub has_purchased_course: bool,
    /// Balances. `null` while they are not available.
    #[nullable]
    pub wallet: Option<Wallet>,
    /// Role of a staff account. Missing for members.
    #[schema(value_type = Option<Role>)]
    pub role: Option<String>,
    /// When the account was created.
    #[nullable]
    pub created_at: Option<String>,
    /// When its owner closed it. Missing while it is open.
    pub closed_at: Option<String>,
    /// When the account closes, because its owner asked for it: until then it can be kept. Missing otherwise.
    pub closes_at: Option<String>,
}

impl User {
    /// Combines auth's account and wallet's balances.
    #[must_use]
    pub fn new(user: auth::User, wallet: Option<&WalletMessage>) -> Self {
        Self {
            id: user.id,
            name: user.name,
            email: user.email,
            pending_email: Some(user.pending_email).filter(|email| !email.is_empty()),
            phone: user.phone,
            country: user.country,
            image: Files::public_link(&user.image_key),
            is_verified: user.is_verified,
            is_frozen: user.is_frozen,
            is_withdrawal_pending: wallet.is_some_and(|wallet| wallet.is_withdrawal_pending),
            has_purchased_course: wallet.is_some_and(|wallet| wallet.has_purchased_course),
            wallet: wallet.map(Wallet::from),
            role: Some(user.role).filter(|role| !role.is_empty()),
            created_at: moment(user.created_at.as_ref()),
            closed_at: moment(user.closed_at.as_ref()),
            closes_at: moment(user.closes_at.as_ref()),
        }
    }

    /// The holds on the member's balance.
    pub fn holds(&mut self) -> impl Iterator<Item = &mut Hold> {
        self.wallet.iter_mut().flat_map(|wallet| &mut wallet.holds)
    }
}

/// The member's balances. `None` if wallet does not answer. Staff have none.
pub async fn wallet_of(app: &App, out: &Outgoing, user: &auth::User) -> Option<WalletMessage> {
    if !user.role.is_empty() {
        return None;
    }
    match call_retrying!(app.clients.wallet, get_wallet, out, GetWalletRequest {}) {
        Ok(response) => response.into_inner().wallet,
        Err(error) => {
            tracing::warn!(?error, "a user is shown without wallet");
            None
        }
    }
}

/// The account after the change.
#[response]
pub struct UserReply {
    message: String,
    user: User,
}

async fn changed(app: &App, out: &Outgoing, user: Option<auth::User>, message: &str) -> Answer<UserReply> {
    let user = user.ok_or_else(|| ApiError::internal("an answer without user"))?;
    let wallet = wallet_of(app, out, &user).await;
    Ok(ok(UserReply { message: message.to_owned(), user: User::new(user, wallet.as_ref()) }))
}

/// The new photo.
#[request]
pub struct ImageRequest {
    /// PNG, JPEG or WebP of at most 5 MiB as a data URL.
    #[schema(example = "data:image/png;base64,iVBORw0KGgo=")]
    image: Field<String>,
}

/// Set the photo
#[put("/users/image/{userId}", "Profile")]
pub async fn update_image(
    caller: ActiveMember,
    Path(user_id): Path<String>,
    Json { value, .. }: Json<ImageRequest>,
) -> Answer<UserReply> {
    own(&caller.session.user_id.to_string(), &user_id)?;
    let mut form = Form::new();
    let image = form.file("image", value.image);
    form.finish()?;
    let stored = caller.app.files.store("image", image, Purpose::Photo).await?;
    let message = UpdateImageRequest { user_id, image_key: stored.key.clone() };
    let answer = call!(caller.app.clients.auth, update_image, caller.out, message);
    if answer.as_ref().is_err_and(ApiError::is_final) {
        caller.app.files.discard(&stored.key).await;
    }
    let answer = answer?.into_inner();
    discard_replaced(&caller.app, &answer.replaced_image_key).await;
    changed(&caller.app, &caller.out, answer.user, "Your photo has been updated.").await
}

/// Removes the picture that a new one replaced, if there was one.
pub async fn discard_replaced(app: &App, key: &str) {
    if !key.is_empty() {
        app.files.discard(key).await;
    }
}

/// The new details.
#[request]
pub struct ProfileRequest {
    #[schema(example = "Ada Lovelace")]
    name: Field<String>,
    /// A new email stays pending until the code sent to it is confirmed.
    #[schema(example = "ada@example.org")]
    email: Field<String>,
    #[schema(example = "+44 20 7946 0000")]
    phone: Field<String>,
    #[schema(example = "United Kingdom")]
    country: Field<String>,
    /// Required for a new email address, unless a second factor was given just before; otherwise the error is 403
    /// `REAUTHENTICATION_REQUIRED`.
    #[schema(example = "the password in force")]
    current_password: Field<Option<String>>,
}

/// Change the details
#[put("/users/profile/{userId}", "Profile")]
pub async fn update_profile(
    caller: ActiveMember,
    Path(user_id): Path<String>,
    Json { value, .. }: Json<ProfileRequest>,
) -> Answer<UserReply> {
    own(&caller.session.user_id.to_string(), &user_id)?;
    let mut form = Form::new();
    let message = UpdateProfileRequest {
        user_id,
        name: form.text("name", &value.name),
        email: form.text("email", &value.email),
        phone: form.text("phone", &value.phone),
        country: form.text("country", &value.country),
        current_password: form.text("currentPassword", &value.current_password),
    };
    form.finish()?;
    let user = send!(caller.auth.update_profile(message))?.user;
    caller.app.profiles.invalidate(caller.session.user_id);
    let pending = user.as_ref().is_some_and(|user| !user.pending_email.is_empty());
    let sentence = if pending {
        "Your profile has been updated. Enter the code we sent to your new email address to confirm it."
    } else {
        "Your profile has been updated."
    };
    changed(&caller.app, &caller.out, user, sentence).await
}

/// The old and the new password.
#[request]
pub struct PasswordRequest {
    #[schema(example = "the old password")]
    old_password: Field<String>,
    #[schema(example = "a better password")]
    new_password: Field<String>,
}

/// Change the password
#[put("/users/password/{userId}", "Profile")]
pub async fn change_password(
    caller: ActiveMember,
    Path(user_id): Path<String>,
    Json { value, .. }: Json<PasswordRequest>,
) -> Answer<Done> {
    own(&caller.session.user_id.to_string(), &user_id)?;
    let mut form = Form::new();
    let message = ChangePasswordRequest {
        user_id,
        old_password: form.text("oldPassword", &value.old_password),
        new_password: form.text("newPassword", &value.new_password),
    };
    form.finish()?;
    send!(caller.auth.change_password(message))?;
    Ok(ok(Done::saying("Your password has been changed. Other devices have been logged out.")))
}

/// The account of another member does not exist for the caller.
fn own(mine: &str, asked: &str) -> Result<(), ApiError> {
    if mine == asked { Ok(()) } else { Err(ApiError::not_found()) }
}
