//! The steps of a payment from outside.

use chassis::money::Units;
use time::{Duration, OffsetDateTime};

use super::step::{Chain, Known, Shown, Step, StepKey, done, expected, failed, open, returned};
use crate::domain::transaction::{Payment, Purpose, QuoteCopy, Status, Transaction};

/// After this time without a look at the chain nothing is known about it.
const UNOBSERVED: Duration = Duration::minutes(2);

pub(super) fn of_payment(one: &Transaction, payment: &Payment, known: &Known) -> Vec<Step> {
    let mut way = vec![done(StepKey::Requested, Some(one.created_at))];
    let end = match payment.purpose {
        Purpose::Deposit => StepKey::Credited,
        Purpose::Course => StepKey::Unlocked,
        Purpose::Fee { .. } => StepKey::Settled,
    };
    match one.status {
        Status::Success => way.extend([done(StepKey::Reviewed, one.decided_at), done(end, one.decided_at)]),
        Status::Failed => {
            way.push(failed(StepKey::Reviewed, one));
            way.extend(known.returns.iter().map(returned));
        }
        Status::Pending => {
            way.extend(known.chain.iter().flat_map(|chain| on_chain(chain, payment.quote.as_ref(), known)));
            let second = payment
                .first_approval
                .map(|_| "The first of two reviewers has approved it. A second one looks at amounts of this size.");
            let review =
                Step { expected_by: expected(one, known), note: second.map(Into::into), ..open(StepKey::Reviewed) };
            way.extend([review, open(end)]);
        }
    }
    way
}

fn on_chain(chain: &Chain, quote: Option<&QuoteCopy>, known: &Known) -> [Step; 2] {
    let is_old = |at: OffsetDateTime| known.now.is_some_and(|now| now - at > UNOBSERVED);
    if chain.observed_at.is_some_and(is_old) {
        let note =
            "We cannot reach the network at the moment. Your payment is safe, and appears here as soon as we can.";
        return [Step { note: Some(note.to_owned()), ..open(StepKey::Seen) }, open(StepKey::Confirmed)];
    }
    let Some(shown) = &chain.shown else {
        let note = "A payment of another amount is matched to your request during review.";
        return [Step { note: Some(note.to_owned()), ..open(StepKey::Seen) }, open(StepKey::Confirmed)];
    };
    let lost = match shown.state.as_str() {
        "orphaned" => Some("The payment is not part of the chain at the moment. It usually comes back by itself."),
        "replaced" => Some("The payment was replaced by another transaction of the sender."),
        "failed" => Some("The payment failed on the chain: nothing was transferred."),
        _ => None,
    };
    if let Some(note) = lost {
        return [Step { note: Some(note.to_owned()), ..open(StepKey::Seen) }, open(StepKey::Confirmed)];
    }
    let seen = Step { note: Some(arrived(shown, quote)), ..done(StepKey::Seen, shown.seen_at) };
    if shown.state == "final" {
        return [seen, done(StepKey::Confirmed, None)];
    }
    let note = format!("{} of {} confirmations", shown.confirmations, shown.confirmations_needed);
    [seen, Step { note: Some(note), ..open(StepKey::Confirmed) }]
}

/// What arrived, and how far it is from what was asked for.
fn arrived(shown: &Shown, quote: Option<&QuoteCopy>) -> String {
    let told = |units: Units| format!("{} {}", units.whole(shown.decimals), shown.asset);
    let due = quote.filter(|quote| quote.asset == shown.asset).map(|quote| quote.units);
    let difference = match due {
        Some(due) if due != shown.units => told(due.distance(shown.units)),
        _ => return told(shown.units),
    };
    let way = if due > Some(shown.units) { "less" } else { "more" };
    format!("{}, {difference} {way} than asked. We match it in review.", told(shown.units))
}
