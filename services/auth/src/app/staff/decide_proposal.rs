//! ConfirmProposal, RejectProposal: a second admin applies a change of the staff, or an admin rejects it (D-O5).
//! Reviewers decide on lost second factors of members in the same way (D-A3).

use chassis::clock;
use chassis::db::PgConnection;
use chassis::id::{MemberId, StaffId, UserId};
use chassis::idempotency::Answer;
use chassis::identity::Role;
use chassis::proposal::{self, Apply, DecideProposal, Proposal};
use time::OffsetDateTime;

use crate::app::App;
use crate::app::factor::second_factor::is_set_up;
use crate::app::session::{ending, issuing};
use crate::app::staff::propose_factor_reset::FACTOR_RESET;
use crate::app::staff::propose_staff_change::{Account, DISABLE, INVITE, NewRole};
use crate::app::staff::reset_factors;
use crate::domain::code::LinkPurpose;
use crate::domain::user::User;
use crate::error::Error;
use crate::events::published;
use crate::store::{factor_resets, reset_tokens, users};

/// Decides an open proposal; a confirmed one takes effect in the same transaction.
///
/// # Errors
/// Not found, closed, expired or proposed by the caller; [`Error::OwnAccount`] for the person it is about;
/// [`Error::Stale`], [`Error::EmailTaken`].
pub async fn decide_proposal(app: &App, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    proposal::decide_and_apply(&app.db, command, app).await
}

/// What the confirmation of an open proposal would be refused with now, if this person confirmed it. Reads alone.
///
/// # Errors
/// [`Error::OwnAccount`], [`Error::Stale`], [`Error::EmailTaken`], [`Error::NotFound`].
pub async fn check_proposal(app: &App, proposal: &Proposal, by: StaffId) -> Result<(), Error> {
    let mut conn = app.db.conn().await?;
    if proposal.kind == INVITE {
        let account: Account = serde_json::from_value(proposal.change.clone())?;
        let known = users::find_by_email(&mut conn, &account.email).await?;
        return match known {
            Some(known) if !known.waits_for_invitation(account.role) => Err(Error::EmailTaken),
            _ => Ok(()),
        };
    }
    let id: UserId = proposal.subject_id.ok_or(Error::NotFound("account"))?.into();
    if proposal.kind == FACTOR_RESET {
        let is_scheduled = factor_resets::due_at(&mut conn, id).await?.is_some();
        return if is_scheduled || !is_set_up(&mut conn, id).await? { Err(Error::Stale) } else { Ok(()) };
    }
    if id == by.into() {
        return Err(Error::OwnAccount);
    }
    check_seen(users::find(&mut conn, id).await?, proposal).map(drop)
}

impl Apply for App {
    type Error = Error;

    async fn apply(&self, conn: &mut PgConnection, decided: Proposal) -> Result<Proposal, Error> {
        let now = clock::now(conn).await?;
        if decided.kind == FACTOR_RESET {
            reset_factors::schedule(conn, &decided, now).await?;
            return Ok(decided);
        }
        take_effect(self, conn, decided, now).await
    }

    fn member_of(&self, proposal: &Proposal) -> Option<MemberId> {
        proposal.subject_id.filter(|_| proposal.kind == FACTOR_RESET).map(Into::into)
    }
}

async fn take_effect(
    app: &App,
    conn: &mut PgConnection,
    decided: Proposal,
    now: OffsetDateTime,
) -> Result<Proposal, Error> {
    let (account, user_id, change, previous) = if decided.kind == INVITE {
        let account: Account = serde_json::from_value(decided.change.clone())?;
        let id = invite(app, conn, &account, now).await?;
        (account, id, "invited", None)
    } else {
        let (user, account) = current(conn, &decided).await?;
        let NewRole { role } = serde_json::from_value(decided.change.clone())?;
        if let (Some(role), true) = (role, decided.kind != DISABLE) {
            users::set_role(conn, user.id, role, now).await?;
            ending::end_all(conn, user.id, None, now).await?;
            (Account { role, ..account.clone() }, user.id, "given another role", Some(account.role))
        } else {
            users::disable(conn, user.id, now).await?;
            reset_tokens::supersede(conn, user.id, now).await?;
            ending::end_all(conn, user.id, None, now).await?;
            (account, user.id, "ended", None)
        }
    };
    tell(conn, &decided, &account, user_id, (change, previous)).await?;
    if decided.subject_id.is_some() {
        Ok(decided)
    } else {
        Ok(proposal::name_subject(conn, decided.id, user_id).await?)
    }
}

/// Makes the account without a password, and has its owner mailed a link to set one.
async fn invite(app: &App, conn: &mut PgConnection, account: &Account, now: OffsetDateTime) -> Result<UserId, Error> {
    let user = User { role: Some(account.role), ..User::new(account.name.clone(), account.email.clone(), now) };
    let user = if users::insert(conn, &user).await? {
        user
    } else {
        // Invited before, and too late to use it.
        let known = users::find_by_email(conn, &account.email).await?;
        known.filter(|known| known.waits_for_invitation(account.role)).ok_or(Error::EmailTaken)?
    };
    issuing::link(conn, &app.secrets, &user, LinkPurpose::Invitation, now).await?;
    Ok(user.id)
}

/// The account, locked, if it is what the proposer and the person who confirms have seen.
async fn current(conn: &mut PgConnection, decided: &Proposal) -> Result<(User, Account), Error> {
    let id = decided.subject_id.ok_or(Error::NotFound("staff account"))?;
    if decided.decided_by == Some(id.into()) {
        return Err(Error::OwnAccount);
    }
    check_seen(users::lock(conn, id.into()).await?, decided)
}

/// An open account as the proposer and the person who confirms have seen it.
fn check_seen(user: Option<User>, proposal: &Proposal) -> Result<(User, Account), Error> {
    let before: Account = serde_json::from_value(proposal.before.clone().unwrap_or_default())?;
    let user = user.filter(User::is_open).ok_or(Error::Stale)?;
    if Account::of(&user).as_ref() == Some(&before) { Ok((user, before)) } else { Err(Error::Stale) }
}

async fn tell(
    conn: &mut PgConnection,
    decided: &Proposal,
    account: &Account,
    user_id: UserId,
    (change, previous): (&str, Option<Role>),
) -> Result<(), Error> {
    Ok(published::staff_changed(conn, decided, (user_id, account), (change, previous)).await?)
}
