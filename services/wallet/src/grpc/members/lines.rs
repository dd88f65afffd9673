//! Transactions, as their member reads them.

use std::collections::HashMap;

use chassis::clock::to_proto;
use chassis::id::TransactionId;
use chassis::identity::Session;
use proto::wallet::v1::Transaction as Line;
use time::{Duration, OffsetDateTime};

use crate::app::account::get_times::get_times;
use crate::app::payout::payout_state::known_since;
use crate::app::review::find_returns::find_returns;
use crate::domain::steps::{Chain, Known, Return};
use crate::domain::transaction::{Kind, Status as Stands, Transaction};
use crate::grpc::{GrpcServer, convert};
use crate::store::times::HandlingTime;

impl GrpcServer {
    /// Converts transactions for the member. The open withdrawal says from when on it may be approved; while auth
    /// cannot tell, it says nothing: what decides asks again.
    pub(super) async fn to_lines(&self, member: &Session, all: Vec<Transaction>, chain: Option<Chain>) -> Vec<Line> {
        let now = OffsetDateTime::now_utc();
        let is_pending = |one: &&Transaction| one.status == Stands::Pending;
        let times =
            if all.iter().any(|one| is_pending(&one)) { get_times(&self.db, &self.times).await.ok() } else { None };
        let open = all.iter().filter(is_pending).find(|one| one.as_withdrawal().is_some());
        let (payouts, is_stopped) = match open {
            Some(one) => {
                let asked = self.verifier.payout_state(member.member_id(), known_since(one));
                let (state, is_open) = tokio::join!(asked, self.gate.is_open());
                (state.ok(), !is_open)
            }
            None => (None, false),
        };
        let mut returns = self.returns_of(&all).await;
        let line = |one: Transaction| {
            let is_open_withdrawal = one.as_withdrawal().is_some() && one.status == Stands::Pending;
            let usual = times.as_ref().and_then(|times| usual(times, one.kind()));
            let returns = returns.remove(&one.id).unwrap_or_default();
            let known = Known { now: Some(now), usual, chain: chain.clone(), returns, ..Known::default() };
            if !is_open_withdrawal {
                return convert::line(one, &known);
            }
            let not_before = payouts.and_then(|state| state.not_before).map(to_proto);
            Line { not_before, ..convert::line(one, &Known { payouts, is_stopped, ..known }) }
        };
        all.into_iter().map(line).collect()
    }

    /// What went back of rejected payments. A line says nothing of it while that cannot be read.
    async fn returns_of(&self, all: &[Transaction]) -> HashMap<TransactionId, Vec<Return>> {
        let is_rejected = |one: &&Transaction| one.status == Stands::Failed && one.as_payment().is_some();
        let rejected: Vec<_> = all.iter().filter(is_rejected).map(|one| one.id).collect();
        let mut returns: HashMap<_, Vec<_>> = HashMap::new();
        if rejected.is_empty() {
            return returns;
        }
        for (id, one) in find_returns(&self.db, &rejected).await.unwrap_or_default() {
            returns.entry(id).or_default().push(one);
        }
        returns
    }

    /// The same of one line, with what a chain shows of it.
    pub(super) async fn to_line(&self, member: &Session, one: Transaction, chain: Option<Chain>) -> Line {
        self.to_lines(member, vec![one], chain).await.pop().unwrap_or_default()
    }
}

/// The recent 90th percentile of the handling time of a kind.
fn usual(times: &[HandlingTime], kind: Kind) -> Option<Duration> {
    let name = match kind {
        Kind::Deposit | Kind::Course => "deposit",
        Kind::Withdrawal => "withdrawal",
        _ => return None,
    };
    times.iter().find(|time| time.kind == name).map(|time| Duration::seconds(time.p90_seconds))
}
