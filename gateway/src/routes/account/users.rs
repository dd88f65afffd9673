//! The member's own account.

use axum::extract::Path;
use chassis::grpc::Outgoing;
use proto::auth::v1 as auth;
use proto::auth::v1::{ChangePasswordRequest, UpdateImageRequest, UpdateProfileRequest};
use proto::wallet::v1::{GetWalletRequest, Wallet as WalletMessage};
use route_macros::{put, request, response};

use crate::app::App;
use crate::extract::ActiveMember;
use crate::http::convert::{from_proto, required};
use crate::http::error::ApiError;
use crate::http::json::{Answer, Dollars, Done, Field, Form, Json, ToProto, done, ok};
use crate::http::names::{HoldReason, Role};
use crate::peers::clients::{call_retrying, send};
use crate::storage::files::{Files, Purpose};

/// A member's balances.
#[response(from = WalletMessage)]
pub struct Wallet {
    /// Available balance in dollars.
    #[from(available_cents)]
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
#[response(from = proto::wallet::v1::Hold)]
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
    #[from(skip)]
    pub placed_by_name: Option<String>,
}

/// An account as its owner sees it.
#[response(from = auth::User)]
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
    #[from(image_key, with = |key: String| Files::public_link(&key))]
    #[nullable]
    pub image: Option<String>,
    /// Whether the email is confirmed.
    pub is_verified: bool,
    /// Whether staff froze the account.
    pub is_frozen: bool,
    /// Whether a withdrawal is open.
    #[from(skip)]
    pub is_withdrawal_pending: bool,
    /// Whether the course is unlocked.
    #[from(skip)]
    pub has_purchased_course: bool,
    /// Balances. `null` while they are not available.
    #[from(skip)]
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
    pub fn new(user: auth::User, wallet: Option<WalletMessage>) -> Result<Self, ApiError> {
        Ok(Self {
            is_withdrawal_pending: wallet.as_ref().is_some_and(|wallet| wallet.is_withdrawal_pending),
            has_purchased_course: wallet.as_ref().is_some_and(|wallet| wallet.has_purchased_course),
            wallet: from_proto(wallet)?,
            ..from_proto(user)?
        })
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
    let user = required(user, "a user")?;
    let wallet = wallet_of(app, out, &user).await;
    Ok(ok(UserReply { message: message.to_owned(), user: User::new(user, wallet)? }))
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
    let answer = send!(caller.auth.update_image(message));
    if answer.as_ref().is_err_and(ApiError::is_final) {
        caller.app.files.discard(&stored.key).await;
    }
    let answer = answer?;
    caller.app.files.discard(&answer.replaced_image_key).await;
    changed(&caller.app, &caller.out, answer.user, "Your photo has been updated.").await
}

/// The new details.
#[request(to = UpdateProfileRequest)]
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
    let message = UpdateProfileRequest { user_id, ..value.to_proto()? };
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
#[request(to = ChangePasswordRequest)]
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
    let message = ChangePasswordRequest { user_id, ..value.to_proto()? };
    send!(caller.auth.change_password(message))?;
    done("Your password has been changed. Other devices have been logged out.")
}

/// The account of another member does not exist for the caller.
fn own(mine: &str, asked: &str) -> Result<(), ApiError> {
    if mine == asked { Ok(()) } else { Err(ApiError::not_found()) }
}
