//! `auth staff bootstrap`: invites the first two admins, who invite everybody else.

use chassis::id::StaffId;
use std::str::FromStr;

use chassis::audit::{self, Act};
use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::identity::{Role, Staff};
use serde_json::json;
use time::OffsetDateTime;

use crate::app::session::issuing;
use crate::domain::code::LinkPurpose;
use crate::domain::details::parse_name;
use crate::domain::email::Email;
use crate::domain::user::User;
use crate::error::Error;
use crate::secrets::Secrets;
use crate::store::users;

/// What one admin proposes another one confirms.
const FEWEST_ADMINS: usize = 2;

/// A person to invite, written as `First Name <first@example.com>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: Email,
}

impl FromStr for Person {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.trim().strip_suffix('>').and_then(|text| text.split_once('<'));
        let (name, email) = parts.ok_or("write it as: First Name <first@example.com>")?;
        Ok(Self { name: parse_name(name)?, email: Email::parse(email)? })
    }
}

/// Invites these people as admins: each is mailed a link to set a password. Anyone who has not used it is invited again.
///
/// # Errors
/// Wrong fields if two admins are there already, or there would be fewer than two; [`Error::EmailTaken`] if an address belongs
/// to a member or another role.
pub async fn bootstrap_staff(db: &Db, secrets: &Secrets, people: &[Person]) -> Result<(), Error> {
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let admins = admins(&mut tx).await?;
    if admins.len() >= FEWEST_ADMINS {
        return Err(Error::field("admin", "Two admins are there already: they invite other staff on /admin."));
    }
    for person in people {
        if !admins.iter().any(|admin| is_of(admin, person)) {
            invite(&mut tx, secrets, person, now).await?;
        }
    }
    let invited = users::staff(&mut tx).await?;
    if invited.iter().filter(|user| user.role == Some(Role::Admin)).count() < FEWEST_ADMINS {
        return Err(Error::field("admin", "Name two people: what one admin proposes the other one confirms."));
    }
    tx.commit().await?;
    Ok(())
}

/// Those who have set a password.
async fn admins(conn: &mut PgConnection) -> Result<Vec<User>, Error> {
    let mut staff = users::staff(conn).await?;
    staff.retain(|user| user.role == Some(Role::Admin) && user.password_hash.is_some());
    Ok(staff)
}

async fn invite(conn: &mut PgConnection, secrets: &Secrets, person: &Person, now: OffsetDateTime) -> Result<(), Error> {
    let new = User { role: Some(Role::Admin), ..User::new(person.name.clone(), person.email.as_str().to_owned(), now) };
    let user = if users::insert(conn, &new).await? {
        new
    } else {
        let known = users::find_by_email(conn, person.email.as_str()).await?;
        known.filter(|known| known.waits_for_invitation(Role::Admin)).ok_or(Error::EmailTaken)?
    };
    issuing::link(conn, secrets, &user, LinkPurpose::Invitation, now).await?;
    // As for `staff add`: the operator has no account.
    let operator = Staff::new(StaffId::default(), Role::Admin);
    let act = Act {
        staff: &operator,
        action: "staff.bootstrap",
        subject_id: user.id.to_string(),
        member_id: None,
        before: None,
        after: Some(json!({ "name": user.name, "email": user.email, "role": Role::Admin.as_str() })),
        address: "command line",
    };
    Ok(audit::append(conn, act).await?)
}

fn is_of(user: &User, person: &Person) -> bool {
    user.email.eq_ignore_ascii_case(person.email.as_str())
}

#[cfg(test)]
mod tests {
    use super::Person;

    /// [D-O1] O10: a person is written as in a mail.
    #[test]
    fn a_person_has_a_name_and_an_address() {
        let person: Person = "Ada Lovelace <ada@example.com>".parse().unwrap();
        assert_eq!((person.name.as_str(), person.email.as_str()), ("Ada Lovelace", "ada@example.com"));
        for wrong in ["ada@example.com", "Ada Lovelace", "<ada@example.com>", "Ada <ada>", ""] {
            assert!(wrong.parse::<Person>().is_err(), "{wrong}");
        }
    }
}
