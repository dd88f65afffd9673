//! Events of wallet.

use chassis::id::UserId;
use mailer::domain::template::Template;
use proto::wallet::v1 as wallet;

use crate::fixture::event;
use crate::samples::{SEEN, Sample, TRANSACTION};

pub(super) fn facts(user_id: UserId, r#type: &str) -> Option<wallet::TransactionFacts> {
    Some(wallet::TransactionFacts {
        transaction_id: TRANSACTION.to_owned(),
        user_id: user_id.to_string(),
        title: "Deposit".to_owned(),
        r#type: r#type.to_owned(),
        amount_cents: 123_450,
        claimed_amount_cents: 130_000,
        fee_cents: 3_086,
        net_amount_cents: 120_364,
        currency: "USDT".to_owned(),
        network: "TRC20".to_owned(),
        address: "TXYZaddress".to_owned(),
        txid: "0xfeed".to_owned(),
        reason: "The receipt cannot be read & is blurred".to_owned(),
        needs_confirmation: r#type == "unconfirmed",
    })
}

pub(super) fn wallet_samples(id: UserId) -> Vec<Sample> {
    let event_of = |key: &str, r#type: &str| {
        // All events about a transaction have one shape.
        event(&format!("wallet.v1.{key}"), &wallet::DepositRequested { transaction: facts(id, r#type) })
    };
    let one = |key: &str, r#type: &str, template, facts| Sample {
        event: event_of(key, r#type),
        mails: vec![(template, None)],
        facts,
    };
    const REASON: &str = "The receipt cannot be read";
    vec![
        one(
            "deposit_requested",
            "deposit",
            Template::DepositReceived,
            &["$1,234.50", "TNX-1a2b3c", "waiting for review", SEEN],
        ),
        one(
            "deposit_confirmed",
            "deposit",
            Template::DepositConfirmed,
            &["$1,234.50", "$1,300.00", "0xfeed", "added to your balance"],
        ),
        one("deposit_rejected", "deposit", Template::DepositRejected, &[REASON, "nothing was added", "TNX-1a2b3c"]),
        one(
            "payment_returned",
            "deposit",
            Template::PaymentReturned,
            &["$1,234.50", "TXYZaddress", "0xfeed", "TNX-1a2b3c"],
        ),
        one("payment_returned", "course", Template::PaymentReturned, &["TXYZaddress", "0xfeed"]),
        one("deposit_requested", "course", Template::CoursePaymentReceived, &["$1,234.50", "course"]),
        Sample { event: event_of("deposit_confirmed", "course"), mails: vec![], facts: &[] },
        one("deposit_rejected", "course", Template::CoursePaymentRejected, &[REASON, "course"]),
        one("course_unlocked", "course", Template::CourseUnlocked, &["https://solvane.test/courses"]),
        one("course_unlocked", "", Template::CourseUnlocked, &["seven modules"]),
        one(
            "course_refunded",
            "credit",
            Template::CourseRefunded,
            &["$1,234.50", "added to your balance", "TNX-1a2b3c"],
        ),
        one(
            "withdrawal_requested",
            "",
            Template::WithdrawalReceived,
            &["$1,234.50", "$30.86", "$1,203.64", "TXYZaddress", "nothing you have to pay"],
        ),
        one(
            "withdrawal_requested",
            "unconfirmed",
            Template::WithdrawalReceived,
            &["needs your confirmation", "emailed you a code", "TXYZaddress", SEEN],
        ),
        one("withdrawal_approved", "", Template::WithdrawalApproved, &["$1,203.64", "TXYZaddress"]),
        one("withdrawal_paid", "", Template::WithdrawalPaid, &["0xfeed", "$1,203.64", "$30.86"]),
        one("withdrawal_rejected", "", Template::WithdrawalRejected, &[REASON, "$1,234.50", "no fee was charged"]),
        one("fee_requested", "", Template::FeeReceived, &["$1,234.50"]),
        one("fee_confirmed", "", Template::FeeConfirmed, &["paid out in full"]),
        one("fee_rejected", "", Template::FeeRejected, &[REASON, "deducted from the payout"]),
        one("bonus_granted", "", Template::BonusGranted, &["$1,234.50", "cannot be spent or withdrawn"]),
        one("bonus_released", "", Template::BonusReleased, &["$1,234.50"]),
        one("balance_adjusted", "debit", Template::BalanceAdjusted, &["Deducted", "$1,234.50", REASON]),
        Sample {
            event: event("wallet.v1.trade_funded", &wallet::BalanceMoved { user_id: id.to_string() }),
            mails: vec![],
            facts: &[],
        },
    ]
}
