//! The way of a transaction from the request to its end, as its member reads it [D-M6].

use std::fmt;

use chassis::identity::PayoutState;
use chassis::money::Units;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use time::{Duration, OffsetDateTime};

use crate::domain::transaction::{
    Details, Direction, Payment, Purpose, QuoteCopy, Status, TradePart, Transaction, Withdrawal,
};

/// After this time without a look at the chain nothing is known about it.
const UNOBSERVED: Duration = Duration::minutes(2);
/// How old a change of the account may be that a payout waits for.
const RECENT: Duration = Duration::hours(72);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum StepKey {
    Requested,
    /// The chain shows the payment.
    Seen,
    /// The payment is final on its chain.
    Confirmed,
    /// Where a payout goes is named and confirmed.
    Address,
    /// After a change of the account payouts wait.
    Waiting,
    Reviewed,
    Sent,
    /// A payout is at its destination.
    Arrived,
    Credited,
    Debited,
    /// The course is open.
    Unlocked,
    /// The fee of a withdrawal is settled.
    Settled,
    /// Ended before a decision.
    Ended,
    /// A rejected payment went back.
    Returned,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    Done,
    Current,
    Next,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub key: StepKey,
    pub state: StepState,
    /// When it was done, or failed; unset where that is not recorded.
    pub at: Option<OffsetDateTime>,
    /// By when it is expected; unset where nothing supports a time.
    pub expected_by: Option<OffsetDateTime>,
    /// A sentence or figures for the member.
    pub note: Option<String>,
}

/// The newest payment that the chain shows.
#[derive(Debug, Clone)]
pub struct Shown {
    pub asset: String,
    pub units: Units,
    pub decimals: u8,
    /// `seen`, `included`, `final`, `orphaned`, `replaced` or `failed`.
    pub state: String,
    pub confirmations: i32,
    pub confirmations_needed: i32,
    pub seen_at: Option<OffsetDateTime>,
}

/// What a chain shows of a payment.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    /// When it was last observed.
    pub observed_at: Option<OffsetDateTime>,
    pub shown: Option<Shown>,
}

/// A rejected payment that went back to its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Return {
    pub at: OffsetDateTime,
    /// E.g. `199.5 USDT`.
    pub what: String,
    pub address: String,
    /// Of the return, as the network writes it.
    pub txid: String,
}

/// What is known beside the transaction.
#[derive(Debug, Default)]
pub struct Known {
    pub now: Option<OffsetDateTime>,
    /// Of an open withdrawal; unset while auth cannot tell.
    pub payouts: Option<PayoutState>,
    /// Withdrawals of all members are stopped.
    pub is_stopped: bool,
    /// Nine of ten of its kind were over after this time, of late.
    pub usual: Option<Duration>,
    /// Unset where the chain is not observed, or was not asked.
    pub chain: Option<Chain>,
    /// Of a rejected payment.
    pub returns: Vec<Return>,
}

/// The steps of a transaction, in their order. At most one is current; after a failed one only returns follow.
#[must_use]
pub fn steps(one: &Transaction, known: &Known) -> Vec<Step> {
    let way = match &one.details {
        Details::Payment(payment) => of_payment(one, payment, known),
        Details::Withdrawal(withdrawal) => of_withdrawal(one, withdrawal, known),
        Details::Purchase => {
            vec![done(StepKey::Debited, Some(one.created_at)), done(StepKey::Unlocked, Some(one.created_at))]
        }
        Details::Trade { part: TradePart::Returned | TradePart::Profit, .. } | Details::Bonus => {
            vec![done(StepKey::Credited, Some(one.created_at))]
        }
        Details::Trade { .. } => vec![done(StepKey::Debited, Some(one.created_at))],
        Details::Adjustment { direction: Direction::Credit, .. } => {
            vec![done(StepKey::Credited, Some(one.created_at))]
        }
        Details::Adjustment { .. } => vec![done(StepKey::Debited, Some(one.created_at))],
    };
    in_order(way)
}

const fn step(key: StepKey, state: StepState) -> Step {
    Step { key, state, at: None, expected_by: None, note: None }
}

fn done(key: StepKey, at: Option<OffsetDateTime>) -> Step {
    Step { at, ..step(key, StepState::Done) }
}

const fn open(key: StepKey) -> Step {
    step(key, StepState::Next)
}

/// The first step that is not done is the current one; a time and a note of what comes later would mislead.
fn in_order(mut way: Vec<Step>) -> Vec<Step> {
    let mut open = way.iter_mut().filter(|step| step.state == StepState::Next);
    if let Some(current) = open.next() {
        current.state = StepState::Current;
    }
    for later in open {
        later.note = None;
    }
    way
}

/// The step at which it ended; the description is then the reason.
fn failed(key: StepKey, one: &Transaction) -> Step {
    let key = if one.reason_code.as_deref() == Some("MEMBER_REQUEST") { StepKey::Ended } else { key };
    let note = Some(one.description.clone()).filter(|note| !note.is_empty());
    Step { at: one.decided_at, note, ..step(key, StepState::Failed) }
}

/// A payment that went back.
#[must_use]
pub fn returned(one: &Return) -> Step {
    // Nothing stands beside an address or a hash that could be copied with it.
    let note = format!("{} to {} by transaction {}", one.what, one.address, one.txid);
    Step { note: Some(note), ..done(StepKey::Returned, Some(one.at)) }
}

/// By when its kind is usually over, unless that has passed.
fn expected(one: &Transaction, known: &Known) -> Option<OffsetDateTime> {
    let by = one.created_at.checked_add(known.usual?)?;
    Some(by).filter(|by| known.now.is_some_and(|now| now < *by))
}

fn of_payment(one: &Transaction, payment: &Payment, known: &Known) -> Vec<Step> {
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

fn of_withdrawal(one: &Transaction, withdrawal: &Withdrawal, known: &Known) -> Vec<Step> {
    let requested = done(StepKey::Requested, Some(one.created_at));
    let address = address_step(one, withdrawal);
    let reviewed = withdrawal.approval.map(|approval| done(StepKey::Reviewed, Some(approval.at)));
    let sent = withdrawal.sent.map(|sent| done(StepKey::Sent, Some(sent.at)));
    match one.status {
        Status::Success => {
            let ends = [done(StepKey::Arrived, one.decided_at)];
            [requested, address].into_iter().chain(reviewed).chain(sent).chain(ends).collect()
        }
        Status::Failed => {
            let at = match (&reviewed, &sent) {
                (None, _) => StepKey::Reviewed,
                (_, None) => StepKey::Sent,
                _ => StepKey::Arrived,
            };
            [requested].into_iter().chain(reviewed).chain(sent).chain([failed(at, one)]).collect()
        }
        Status::Pending => {
            let waits = waiting_step(known).filter(|_| sent.is_none());
            let is_waiting = waits.is_some();
            let delay = delay_of(known);
            let reviewed = reviewed.unwrap_or_else(|| Step { note: delay.clone(), ..open(StepKey::Reviewed) });
            let begun = withdrawal.price.as_ref().map(|_| "Your payment is being made.".to_owned());
            let is_sent = sent.is_some();
            let sent = sent.unwrap_or_else(|| Step { note: delay.or(begun), ..open(StepKey::Sent) });
            let final_note = is_sent.then(|| "Waits until the network confirms it.".to_owned());
            let by = expected(one, known).filter(|_| !is_waiting);
            let arrived = Step { expected_by: by, note: final_note, ..open(StepKey::Arrived) };
            [requested, address].into_iter().chain(waits).chain([reviewed, sent, arrived]).collect()
        }
    }
}

fn address_step(one: &Transaction, withdrawal: &Withdrawal) -> Step {
    if one.needs_destination() {
        return Step { note: Some("Needs an address from you.".to_owned()), ..open(StepKey::Address) };
    }
    if one.needs_confirmation() {
        let note = "Waits for the code that we emailed you.".to_owned();
        return Step { note: Some(note), ..open(StepKey::Address) };
    }
    // An address that was known before has no moment of its own here.
    done(StepKey::Address, withdrawal.known_at.filter(|at| *at > one.created_at))
}

/// The time for which a payout waits after a change of the account, with what changed.
fn waiting_step(known: &Known) -> Option<Step> {
    let state = known.payouts?;
    let now = known.now?;
    let until = state.not_before.filter(|at| *at > now)?;
    let changes = [
        ("your email was changed", state.email_changed_at),
        ("your password was changed", state.password_changed_at),
        ("your second factor was changed", state.factors_changed_at),
        ("you logged in from a new device", state.new_device_at),
    ];
    let recent = changes.into_iter().filter(|(_, at)| at.is_some_and(|at| at + RECENT > now)).map(|(what, _)| what);
    let note =
        format!("Payouts wait because {}, so that you can stop one you did not request.", Sequence(recent.collect()));
    Some(Step { expected_by: Some(until), note: Some(note), ..open(StepKey::Waiting) })
}

/// Why nothing is approved or paid at the moment, for every transaction.
fn delay_of(known: &Known) -> Option<String> {
    let state = known.payouts.unwrap_or_default();
    let note = if state.stopped {
        "Payouts are paused until you set a new password."
    } else if state.frozen {
        "Your account is frozen. Please contact support."
    } else if known.is_stopped {
        "Payouts are paused at the moment. Yours keeps its place."
    } else {
        return None;
    };
    Some(note.to_owned())
}

/// "a, b and c"
struct Sequence(Vec<&'static str>);

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("your account was changed recently"),
            [one] => f.write_str(one),
            [first @ .., last] => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use chassis::id::{MemberId, MethodId, QuoteId, StaffId, TradeId, TransactionId};
    use chassis::identity::PayoutState;
    use chassis::money::{Cents, Conversion, Rate, Units};
    use time::macros::datetime;
    use time::{Duration, OffsetDateTime};
    use uuid::Uuid;

    use super::{Chain, Known, Return, Shown, StepKey, StepState, steps};
    use crate::domain::transaction::{
        Destination, Details, MethodCopy, PaymentClaim, Purpose, QuoteCopy, Receipt, TradePart, Transaction,
    };
    use crate::domain::txid::Txid;

    const NOW: OffsetDateTime = datetime!(2026-03-02 10:00 UTC);

    fn method() -> MethodCopy {
        MethodCopy {
            id: MethodId::default(),
            currency: "USDT".to_owned(),
            network: "TRC20".to_owned(),
            address: "T".to_owned(),
            memo: String::new(),
            version: 1,
        }
    }

    fn payment(purpose: Purpose) -> Transaction {
        let receipt = Receipt { key: "k".to_owned(), content_type: "image/png".to_owned(), digest: vec![0; 32] };
        let claim = PaymentClaim { amount: Cents::new(20_000), method: method(), receipt: Some(receipt), txid: None };
        Transaction::payment(MemberId::default(), purpose, claim, NOW)
    }

    fn withdrawal(known_at: Option<OffsetDateTime>) -> Transaction {
        let to = Destination { address: "T".to_owned(), memo: String::new() };
        Transaction::withdrawal(MemberId::default(), Cents::new(10_000), method(), (Some(to), known_at), NOW).unwrap()
    }

    fn told(one: &Transaction, known: &Known) -> Vec<(&'static str, StepState)> {
        steps(one, known).into_iter().map(|step| (step.key.into_str(), step.state)).collect()
    }

    fn at(minutes: i64) -> OffsetDateTime {
        NOW + Duration::minutes(minutes)
    }

    fn known(minutes: i64) -> Known {
        Known { now: Some(at(minutes)), ..Known::default() }
    }

    /// [D-M6] A payment goes from the request over the chain, where one is observed, to the review and its end, and says no
    /// time but one that was measured and has not passed. [D-N1] Another amount than the quoted one is named with the difference.
    #[test]
    fn a_payment_goes_over_the_chain_to_its_end() {
        use StepState::{Current, Done, Failed, Next};
        let mut one = payment(Purpose::Deposit);
        assert_eq!(told(&one, &known(1)), [("requested", Done), ("reviewed", Current), ("credited", Next)]);
        let usual = Some(Duration::minutes(10));
        let by = |minutes| steps(&one, &Known { usual, ..known(minutes) })[1].expected_by;
        assert_eq!((by(9), by(10)), (Some(at(10)), None));

        let on_chain = |observed_at, state: Option<&str>| Known {
            chain: Some(Chain {
                observed_at: Some(observed_at),
                shown: state.map(|state| Shown {
                    asset: "USDT".to_owned(),
                    units: Units::parse("200040000").unwrap(),
                    decimals: 6,
                    state: state.to_owned(),
                    confirmations: 12,
                    confirmations_needed: 20,
                    seen_at: Some(at(1)),
                }),
            }),
            ..known(3)
        };
        let stands = |known: &Known| {
            let all = steps(&one, known);
            let current = all.iter().find(|step| step.state == Current).unwrap();
            (current.key, current.note.clone().unwrap_or_default())
        };
        let (key, note) = stands(&on_chain(at(3), Some("included")));
        assert_eq!((key, note.as_str()), (StepKey::Confirmed, "12 of 20 confirmations"));
        assert_eq!(steps(&one, &on_chain(at(3), Some("seen")))[1].note.as_deref(), Some("200.04 USDT"));
        assert_eq!(stands(&on_chain(at(3), Some("final"))).0, StepKey::Reviewed);
        for (due, words) in [
            ("200040000", "200.04 USDT"),
            ("205080000", "200.04 USDT, 5.04 USDT less than asked. We match it in review."),
            ("200000000", "200.04 USDT, 0.04 USDT more than asked. We match it in review."),
        ] {
            let mut quoted = one.clone();
            let Details::Payment(payment) = &mut quoted.details else { unreachable!() };
            payment.quote = Some(QuoteCopy {
                id: QuoteId::default(),
                asset: "USDT".to_owned(),
                conversion: Conversion { rate: Rate::new(1_000_000).unwrap(), spread_bps: 0, decimals: 6 },
                units: Units::parse(due).unwrap(),
                at: NOW,
                expires_at: at(15),
            });
            let told = steps(&quoted, &on_chain(at(3), Some("seen")));
            assert_eq!(told[1].note.as_deref(), Some(words));
        }
        for (known, words) in [
            (on_chain(at(3), None), "another amount"),
            (on_chain(at(0), Some("seen")), "cannot reach the network"),
            (on_chain(at(3), Some("orphaned")), "comes back"),
            (on_chain(at(3), Some("replaced")), "replaced"),
            (on_chain(at(3), Some("failed")), "nothing was transferred"),
        ] {
            let (key, note) = stands(&known);
            assert!(key == StepKey::Seen && note.contains(words), "{note}");
        }

        one.reject("NOT_RECEIVED", StaffId::default(), at(7)).unwrap();
        assert_eq!(told(&one, &known(8)), [("requested", Done), ("reviewed", Failed)]);
        let end = steps(&one, &known(8)).pop().unwrap();
        assert_eq!((end.at, end.note.as_deref()), (Some(at(7)), Some("We have not received this payment.")));
        let back =
            Return { at: at(9), what: "200 USDT".to_owned(), address: "TBack".to_owned(), txid: "ab".to_owned() };
        let end = steps(&one, &Known { returns: vec![back], ..known(10) }).pop().unwrap();
        assert_eq!((end.key, end.state, end.at), (StepKey::Returned, Done, Some(at(9))));
        assert_eq!(end.note.as_deref(), Some("200 USDT to TBack by transaction ab"));
        for (purpose, end) in
            [(Purpose::Course, "unlocked"), (Purpose::Fee { withdrawal_id: TransactionId::default() }, "settled")]
        {
            assert_eq!(told(&payment(purpose), &known(1)).last(), Some(&(end, Next)));
        }
    }

    /// [D-M6] A withdrawal names what it waits for: its address, the time after a change of the account with the change, a
    /// pause, its review, and the network; it keeps the moments as a record.
    #[test]
    fn a_withdrawal_says_what_it_waits_for() {
        use StepState::{Current, Done, Failed, Next};
        let current = |one: &Transaction, known: &Known| {
            let all = steps(one, known);
            let found = all.into_iter().find(|step| step.state == Current).unwrap();
            (found.key.into_str(), found.note.unwrap_or_default(), found.expected_by)
        };
        assert_eq!(current(&withdrawal(None), &known(1)).0, "address");
        let mut one = withdrawal(Some(NOW));
        let until = at(600);
        let changed = PayoutState {
            not_before: Some(until),
            factors_changed_at: Some(NOW),
            email_changed_at: Some(NOW - Duration::hours(73)),
            ..PayoutState::default()
        };
        let waits = Known { payouts: Some(changed), usual: Some(Duration::hours(1)), ..known(1) };
        let (key, note, by) = current(&one, &waits);
        assert_eq!((key, by), ("waiting", Some(until)));
        assert!(note.contains("second factor") && !note.contains("email"), "{note}");
        assert!(steps(&one, &waits).iter().all(|step| step.key != StepKey::Arrived || step.expected_by.is_none()));
        assert_eq!(
            current(&one, &Known { is_stopped: true, ..known(1) }).1,
            "Payouts are paused at the moment. Yours keeps its place."
        );

        let (reviewer, treasurer) = (StaffId::new(Uuid::from_u128(1)), StaffId::new(Uuid::from_u128(2)));
        one.approve_withdrawal(reviewer, at(5)).unwrap();
        assert_eq!(current(&one, &known(6)).0, "sent");
        let mut refused = one.clone();
        refused.reject("PAYOUT_FAILED", reviewer, at(6)).unwrap();
        assert_eq!(told(&refused, &known(7)), [("requested", Done), ("reviewed", Done), ("sent", Failed)]);
        let txid = Txid::parse_optional(&"a".repeat(64), "TRC20").unwrap().unwrap();
        one.pay_withdrawal((txid, true, false), None, treasurer, at(8)).unwrap();
        assert_eq!(current(&one, &known(9)).0, "arrived");
        one.settle_payout(at(10)).unwrap();
        let all = steps(&one, &known(11));
        let moments: Vec<_> = all.iter().map(|step| (step.key.into_str(), step.at)).collect();
        assert_eq!(
            moments,
            [
                ("requested", Some(NOW)),
                ("address", None),
                ("reviewed", Some(at(5))),
                ("sent", Some(at(8))),
                ("arrived", Some(at(10)))
            ]
        );
        assert!(all.iter().all(|step| step.state == Done && step.expected_by.is_none()));
        let mut ended = withdrawal(Some(NOW));
        ended.cancel(at(2));
        assert_eq!(told(&ended, &known(3)), [("requested", Done), ("ended", Failed)]);
        let claimed = Details::Trade { part: TradePart::Profit, trade_id: TradeId::default() };
        let claimed = Transaction::done(MemberId::default(), claimed, Cents::new(5), NOW);
        assert_eq!(told(&claimed, &known(1)), [("credited", Done)]);
        assert_eq!(told(&one, &known(1)).iter().filter(|(_, state)| *state == Next).count(), 0);
    }
}
