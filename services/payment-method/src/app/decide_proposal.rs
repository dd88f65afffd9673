//! A second treasurer confirms a proposal about a platform method or a rate, or a treasurer rejects it, which its proposer
//! may also do.

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::idempotency::Answer;
use chassis::proposal::{self, Apply, DecideProposal, Proposal};
use time::{Duration, OffsetDateTime};

use crate::app::propose_platform_method::{ARCHIVE, Before, CREATE, Proposed};
use crate::app::propose_rate::{PUBLISH, check_distance};
use crate::domain::method::Method;
use crate::domain::rate::{Point, Publication};
use crate::error::Error;
use crate::events::published::{self, Changed};
use crate::store::{methods, rate_points, signatures};

/// The decided proposal.
///
/// # Errors
/// `Refused` (not found, decided already, own proposal), `Stale`, `RateTooFar`.
pub async fn decide_proposal(db: &Db, command: &DecideProposal) -> Result<Answer<Proposal>, Error> {
    proposal::decide_and_apply(db, command, &Proposals).await
}

/// What the confirmation of an open proposal would be refused with now. Reads alone.
///
/// # Errors
/// `Stale`, `RateTooFar`.
pub async fn check_proposal(db: &Db, proposal: &Proposal) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    match (proposal.kind.as_str(), proposal.subject_id) {
        (PUBLISH, _) => check_distance(&mut conn, &serde_json::from_value(proposal.change.clone())?).await,
        (CREATE, _) => Ok(()),
        (_, Some(id)) => {
            let method = methods::active(&mut conn, id.into(), None).await?.ok_or(Error::Stale)?;
            check_seen(method, proposal).map(drop)
        }
        (_, None) => Err(Error::Stale),
    }
}

struct Proposals;

impl Apply for Proposals {
    type Error = Error;

    async fn apply(&self, conn: &mut PgConnection, decided: Proposal) -> Result<Proposal, Error> {
        let now = clock::now(conn).await?;
        if decided.kind == PUBLISH {
            publish_rate(conn, &decided, now).await?;
            return Ok(decided);
        }
        let (method, changed) = take_effect(conn, &decided, now).await?;
        let decided = proposal::name_subject(conn, decided.id, method.id.get()).await?;
        published::platform_method_changed(conn, &method, changed, &decided).await?;
        Ok(decided)
    }
}

/// The rate counts from the confirmation on.
async fn publish_rate(conn: &mut PgConnection, confirmed: &Proposal, now: OffsetDateTime) -> Result<(), Error> {
    let rate: Publication = serde_json::from_value(confirmed.change.clone())?;
    check_distance(conn, &rate).await?;
    let valid_until = now + Duration::minutes(rate.valid_minutes.into());
    let point = Point {
        source: rate.source,
        bid: rate.bid_micros,
        ask: rate.ask_micros,
        at: now,
        valid_until: Some(valid_until),
    };
    rate_points::publish(conn, (&rate.asset, confirmed.id), &point).await
}

async fn take_effect(
    conn: &mut PgConnection,
    proposal: &Proposal,
    now: OffsetDateTime,
) -> Result<(Method, Changed), Error> {
    if proposal.kind == ARCHIVE {
        let current = current(conn, proposal).await?;
        methods::archive(conn, current.id, now).await?;
        return Ok((current, Changed::Archived));
    }
    let Proposed { fields, signature } = serde_json::from_value(proposal.change.clone())?;
    let (method, changed) = if proposal.kind == CREATE {
        (methods::insert(conn, None, fields, now).await?, Changed::Created)
    } else {
        let current = current(conn, proposal).await?;
        (methods::change(conn, &current, fields, now).await?, Changed::Updated)
    };
    if !signature.is_empty() {
        signatures::insert(conn, &method, &signature, now).await?;
    }
    Ok((method, changed))
}

/// The method as it was when the change was proposed: the confirmer must have seen what is replaced.
async fn current(conn: &mut PgConnection, proposal: &Proposal) -> Result<Method, Error> {
    let subject = proposal.subject_id.ok_or(Error::Stale)?;
    let (method, _) = methods::lock(conn, subject.into()).await?.ok_or(Error::Stale)?;
    check_seen(method, proposal)
}

fn check_seen(method: Method, proposal: &Proposal) -> Result<Method, Error> {
    let before: Before = serde_json::from_value(proposal.before.clone().unwrap_or_default())?;
    if method.version == before.version { Ok(method) } else { Err(Error::Stale) }
}
