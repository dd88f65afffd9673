//! ListMembers: searches members by name, address, phone number and id.

use chassis::id::UserId;
use chassis::page::{Listed, Page};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::app::App;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

/// A page of the members who match, and the cursor of the next page.
pub async fn list_members(app: &App, search: &str, page: &Page<UserId>) -> Result<Listed<User>, Error> {
    // No text of the database holds a zero character, and it refuses one.
    let text: String = search.trim().nfc().filter(|char| *char != '\0').collect();
    let text = text.replace(['’', 'ʼ'], "'");
    let found = (text.as_str(), &*phone_digits(&text), ids(&text));
    let members = users::members(&mut *app.db.conn().await?, found, page.after, page.limit()).await?;
    Ok(page.cut(members, |user| user.id))
}

/// The first and last id that begin with a text; nothing for what begins none.
fn ids(text: &str) -> Option<(Uuid, Uuid)> {
    let hex = text.replace('-', "");
    if !(1..=32).contains(&hex.len()) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let padded = |fill: &str| Uuid::try_parse(&format!("{hex}{}", fill.repeat(32 - hex.len()))).ok();
    Some((padded("0")?, padded("f")?))
}

/// The digits of what may be a phone number, or nothing. Fewer would find too many.
fn phone_digits(text: &str) -> String {
    let is_phone = text.chars().all(|char| char.is_ascii_digit() || "+ ()-".contains(char));
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if is_phone && digits.len() >= 5 { digits } else { String::new() }
}
