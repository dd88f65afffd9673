//! `auth staff add`: creates a staff account from the command line.

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::Db;
use chassis::id::StaffId;
use chassis::identity::{Role, Staff};
use serde_json::json;

use crate::domain::asker::Asker;
use crate::domain::details::parse_name;
use crate::domain::email::Email;
use crate::domain::password::{Form, Password};
use crate::domain::user::User;
use crate::error::Error;
use crate::hasher::Hasher;
use crate::store::users;

pub struct NewStaff<'a> {
    pub name: &'a str,
    /// Their address, taken as confirmed.
    pub email: &'a str,
    pub role: Role,
    /// Their first password.
    pub password: &'a str,
}

/// Adds the account; `false` if staff with this address and role is there already.
///
/// # Errors
/// Wrong fields; [`Error::EmailTaken`] if the address belongs to a member or another role.
pub async fn add_staff(db: &Db, hasher: &Hasher, new: &NewStaff<'_>) -> Result<bool, Error> {
    let name = parse_name(new.name).map_err(|sentence| Error::field("name", sentence))?;
    let email = Email::parse(new.email).map_err(|sentence| Error::field("email", sentence))?;
    let password = Password::choose(new.password, Form::Password, &name, email.as_str())
        .map_err(|sentence| Error::field("password", sentence))?;
    // Hashing is slow, and a local product asks for its staff at every start.
    if let Some(other) = users::find_by_email(&mut *db.conn().await?, email.as_str()).await? {
        return is_there_already(Some(&other), new.role);
    }
    let hash = hasher.hash(Asker::operator(), &password).await?;
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let user = User {
        password_hash: Some(hash),
        role: Some(new.role),
        verified_at: Some(now),
        ..User::new(name, email.as_str().to_owned(), now)
    };
    if !users::insert(&mut tx, &user).await? {
        let other = users::find_by_email(&mut tx, &user.email).await?;
        return is_there_already(other.as_ref(), new.role);
    }
    // Who types on the command line has no account: the nil id stands for the operator.
    let operator = Staff::new(StaffId::default(), Role::Admin);
    let act = Act {
        staff: &operator,
        action: "staff.add",
        subject_id: user.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "name": user.name, "email": user.email, "role": new.role.as_str() })),
        address: "command line",
    };
    audit::append(&mut tx, act).await?;
    tx.commit().await?;
    Ok(true)
}

fn is_there_already(other: Option<&User>, role: Role) -> Result<bool, Error> {
    match other {
        Some(other) if other.role == Some(role) && other.is_open() => Ok(false),
        _ => Err(Error::EmailTaken),
    }
}
