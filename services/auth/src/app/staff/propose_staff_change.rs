//! ProposeStaffChange: an admin proposes to invite or disable a staff account, or to change its role (D-O5).

use chassis::db::PgConnection;
use chassis::id::UserId;
use chassis::idempotency::{self, Answer, Claim};
use chassis::identity::{Role, Staff};
use chassis::proposal::{self, NewProposal, Proposal};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::domain::email::Email;
use crate::domain::user::User;
use crate::error::Error;
use crate::store::users;

pub const INVITE: &str = "staff.invite";
pub const DISABLE: &str = "staff.disable";
pub const ROLE: &str = "staff.role";

#[derive(Debug, Clone)]
pub enum Change {
    /// A new account: name, address, role.
    Invite(String, Email, Role),
    Disable(UserId),
    Role(UserId, Role),
}

/// A staff account in a proposal: the one that would be made, or the one as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub name: String,
    pub email: String,
    pub role: Role,
}

/// What would change of an account that is there; the role is unset where the account ends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewRole {
    pub role: Option<Role>,
}

#[derive(Debug, Clone)]
pub struct ProposeStaffChange {
    pub staff: Staff,
    pub change: Change,
    /// The client address.
    pub address: String,
    pub claim: Option<Claim>,
}

/// Opens a proposal for a second admin to confirm.
///
/// # Errors
/// [`Error::EmailTaken`], [`Error::OwnAccount`], [`Error::NotFound`].
pub async fn propose_staff_change(app: &App, command: &ProposeStaffChange) -> Result<Answer<Proposal>, Error> {
    idempotency::once(&app.db, command.claim.clone(), async |conn| propose(conn, command).await).await
}

async fn propose(conn: &mut PgConnection, command: &ProposeStaffChange) -> Result<Proposal, Error> {
    let (kind, subject, change, before) = match &command.change {
        Change::Invite(name, email, role) => {
            let known = users::find_by_email(conn, email.as_str()).await?;
            if known.is_some_and(|user| !user.waits_for_invitation(*role)) {
                return Err(Error::EmailTaken);
            }
            let account = Account { name: name.clone(), email: email.as_str().to_owned(), role: *role };
            (INVITE, None, serde_json::to_value(account)?, None)
        }
        Change::Disable(id) => {
            let before = colleague(conn, &command.staff, *id).await?;
            (DISABLE, Some(*id), serde_json::to_value(NewRole { role: None })?, Some(before))
        }
        Change::Role(id, role) => {
            let before = colleague(conn, &command.staff, *id).await?;
            if before.role == *role {
                return Err(Error::field("role", "Choose a role that differs from the current one"));
            }
            (ROLE, Some(*id), serde_json::to_value(NewRole { role: Some(*role) })?, Some(before))
        }
    };
    let before = before.map(serde_json::to_value).transpose()?;
    let new = NewProposal {
        subject_id: subject.map(UserId::get),
        before,
        ..NewProposal::new(&command.staff, &command.address, kind, &change)
    };
    Ok(proposal::open(conn, new).await?)
}

/// Another staff account than the proposer's own.
async fn colleague(conn: &mut PgConnection, staff: &Staff, id: UserId) -> Result<Account, Error> {
    if id == staff.id.into() {
        return Err(Error::OwnAccount);
    }
    let found = users::find(conn, id).await?.filter(User::is_open);
    found.as_ref().and_then(Account::of).ok_or(Error::NotFound("staff account"))
}

impl Account {
    /// The staff account as it stands; `None` for a member.
    #[must_use]
    pub fn of(user: &User) -> Option<Self> {
        Some(Self { name: user.name.clone(), email: user.email.clone(), role: user.role? })
    }
}
