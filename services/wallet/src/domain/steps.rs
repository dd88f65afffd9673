//! The way of a transaction from the request to its end, as its member reads it [D-M6].

mod step;

mod payment;

mod withdrawal;

use self::payment::of_payment;
use self::step::{done, in_order};
use self::withdrawal::of_withdrawal;
use crate::domain::transaction::{Details, Direction, TradePart, Transaction};

pub use self::step::{Chain, Known, Return, Shown, Step, StepKey, StepState, returned};

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
