//! One event of every kind, the mails it asks for, and what those must say.

use chassis::bus::Event;
use mailer::domain::template::Template;
use proto::auth::v1 as auth;
use proto::cases::v1 as cases;
use proto::payment_method::v1 as payment_method;
use proto::trade::v1 as trade;
use proto::wallet::v1 as wallet;
use uuid::Uuid;

use crate::fixture::event;

/// An event and what must come of it.
pub struct Sample {
    pub event: Event,
    /// Each mail with its address, if it is not the account's.
    pub mails: Vec<(Template, Option<&'static str>)>,
    /// What text and HTML must both say.
    pub facts: &'static [&'static str],
}

const TRANSACTION: &str = "1a2b3c4d-0000-4000-8000-000000000001";
const SEEN: &str = "https://solvane.test/transactions/1a2b3c4d-0000-4000-8000-000000000001";
const CASE_SEEN: &str = "https://solvane.test/cases/1a2b3c4d-0000-4000-8000-000000000001";

fn facts(user_id: Uuid, r#type: &str) -> Option<wallet::TransactionFacts> {
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

/// Every kind of event for this member, confirmed by these two of staff.
pub fn samples(user_id: Uuid, staff: [Uuid; 2]) -> Vec<Sample> {
    let mut all = auth_samples(user_id);
    all.extend(wallet_samples(user_id));
    all.extend(trade_samples(user_id));
    all.extend(case_samples(user_id));
    let [proposed_by, confirmed_by] = staff.map(|id| id.to_string());
    let promoted = auth::StaffChanged {
        user_id: Uuid::new_v4().to_string(),
        change: "given another role".to_owned(),
        name: "Rae Reviewer".to_owned(),
        email: "rae@solvane.test".to_owned(),
        role: "treasurer".to_owned(),
        previous_role: "reviewer".to_owned(),
        proposed_by: proposed_by.clone(),
        confirmed_by: confirmed_by.clone(),
    };
    all.push(Sample {
        event: event("auth.v1.staff_changed", &promoted),
        mails: vec![(Template::StaffChanged, None); 2],
        facts: &[
            "given another role",
            "Rae Reviewer",
            "rae@solvane.test",
            "Role before",
            "reviewer",
            "Tessa Treasurer",
            "Tom Treasurer",
            "https://solvane.test/admin/staff",
        ],
    });
    let changed = payment_method::PlatformMethodChanged {
        method_id: Uuid::new_v4().to_string(),
        change: "updated".to_owned(),
        currency: "USDT".to_owned(),
        network: "TRC20".to_owned(),
        address: "TNewAddress".to_owned(),
        proposed_by,
        confirmed_by,
    };
    let seen = payment_method::PaymentSeen { user_id: user_id.to_string() };
    all.push(Sample {
        event: event("payment_method.v1.payment_seen", &seen),
        mails: vec![(Template::PaymentSeen, None)],
        facts: &["confirmed it", "https://solvane.test/transactions"],
    });
    all.push(Sample {
        event: event("payment_method.v1.platform_method_changed", &changed),
        mails: vec![(Template::PlatformMethodChanged, None); 2],
        facts: &[
            "USDT (TRC20)",
            "TNewAddress",
            "Tessa Treasurer",
            "Tom Treasurer",
            "https://solvane.test/admin/payment-methods",
        ],
    });
    all
}

fn case_samples(user_id: Uuid) -> Vec<Sample> {
    let at = |seconds| Some(chassis::clock::Timestamp { seconds, nanos: 0 });
    let case = Some(cases::CaseFacts {
        case_id: TRANSACTION.to_owned(),
        number: 4711,
        user_id: user_id.to_string(),
        answer_due_at: at(1_796_000_000),
        complaint_due_at: at(1_797_000_000),
    });
    let one = |key: &str, message: &dyn Encode, template, facts| Sample {
        event: message.event(key),
        mails: vec![(template, None)],
        facts,
    };
    vec![
        one(
            "cases.v1.opened",
            &cases::CaseOpened { case: case.clone() },
            Template::CaseOpened,
            &["4711", CASE_SEEN, "November 30, 2026", "December 11, 2026"],
        ),
        one(
            "cases.v1.answered",
            &cases::CaseAnswered { case: case.clone() },
            Template::CaseAnswered,
            &["4711", CASE_SEEN],
        ),
        one("cases.v1.closed", &cases::CaseClosed { case: case.clone() }, Template::CaseClosed, &["4711", CASE_SEEN]),
        one(
            "cases.v1.complaint_registered",
            &cases::ComplaintRegistered { case },
            Template::ComplaintRegistered,
            &["4711", CASE_SEEN, "December 11, 2026"],
        ),
    ]
}

fn auth_samples(id: Uuid) -> Vec<Sample> {
    let user_id = id.to_string();
    let reference = |name: &str| name.to_owned();
    let one = |key: &str, message: &dyn Encode, template, facts| Sample {
        event: message.event(key),
        mails: vec![(template, None)],
        facts,
    };
    let code = auth::VerificationCodeIssued { reference: reference("code"), user_id: user_id.clone() };
    let destination = auth::DestinationCodeIssued {
        reference: reference("destination-code"),
        user_id: user_id.clone(),
        currency: "XRP".to_owned(),
        network: "Ripple".to_owned(),
        address: "rADDRESSxxxxxxxxxxxxxxx".to_owned(),
        memo: "77".to_owned(),
    };
    let reset = auth::PasswordResetRequested { reference: reference("reset"), user_id: user_id.clone() };
    let role = "reviewer".to_owned();
    let invited = auth::StaffInvited { reference: reference("invitation"), user_id: user_id.clone(), role };
    let (old_email, new_email) = ("old@example.com".to_owned(), "new@example.com".to_owned());
    let requested = auth::EmailChangeRequested {
        user_id: user_id.clone(),
        old_email: old_email.clone(),
        new_email: new_email.clone(),
        link_reference: reference("not-me-1"),
    };
    let changed = auth::EmailChanged {
        user_id: user_id.clone(),
        old_email,
        new_email,
        undo_reference: reference("undo"),
        link_reference: reference("not-me-2"),
    };
    let changed_before =
        auth::EmailChanged { undo_reference: String::new(), link_reference: String::new(), ..changed.clone() };
    let factor = |change: &str| auth::SecondFactorChanged {
        user_id: user_id.clone(),
        change: change.to_owned(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        recovery_codes_left: 7,
        due_at: Some(chassis::clock::to_proto(time::macros::datetime!(2026-11-08 14:05 UTC))),
        link_reference: reference("not-me-5"),
    };
    let factor_before = auth::SecondFactorChanged { link_reference: String::new(), ..factor("authenticator_added") };
    let device = auth::NewDeviceSignedIn {
        user_id: user_id.clone(),
        device: "Firefox on Linux".to_owned(),
        address_block: "203.0.113.0/24".to_owned(),
        link_reference: reference("not-me-3"),
    };
    vec![
        one(
            "auth.v1.verification_code_issued",
            &code,
            Template::VerificationCode,
            &["123456", "https://solvane.test/verify?email=ada%40example.com", "It works once, until"],
        ),
        one(
            "auth.v1.destination_code_issued",
            &destination,
            Template::DestinationCode,
            &[
                "654321",
                "XRP (Ripple)",
                "rADDRESSxxxxxxxxxxxxxxx",
                "77",
                "https://solvane.test/not-me#token=Not-Me-Token_5",
                "This was not me",
            ],
        ),
        one(
            "auth.v1.password_reset_requested",
            &reset,
            Template::ResetLink,
            // [F21] The page names the account to a password manager.
            &[
                "https://solvane.test/reset-password#token=Reset-Token_1",
                "email=ada%40example.com",
                "did not request this",
            ],
        ),
        one(
            "auth.v1.staff_invited",
            &invited,
            Template::StaffInvited,
            &[
                "https://solvane.test/reset-password#token=Invite-Token_1",
                "email=ada%40example.com",
                "reviewer",
                "ada@example.com",
            ],
        ),
        one(
            "auth.v1.password_changed",
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: reference("not-me-4") },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/not-me#token=Not-Me-Token_4", "This was not me"],
        ),
        one(
            "auth.v1.password_changed",
            &auth::PasswordChanged { user_id: user_id.clone(), link_reference: String::new() },
            Template::PasswordChanged,
            &["November 5, 2026 at 2:05 PM UTC", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_added"),
            Template::SecondFactorChanged,
            &[
                "An authenticator app was set up",
                "Firefox on Linux",
                "203.0.113.0/24",
                "stay logged in",
                "https://solvane.test/not-me#token=Not-Me-Token_6",
                "This was not me",
            ],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor_before,
            Template::SecondFactorChanged,
            &["An authenticator app was set up", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_replaced"),
            Template::SecondFactorChanged,
            &["replaced by another one"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("authenticator_removed"),
            Template::SecondFactorChanged,
            &["was removed", "keep working"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("passkey_added"),
            Template::SecondFactorChanged,
            &["A passkey was added", "Firefox on Linux", "without your password"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("passkey_removed"),
            Template::SecondFactorChanged,
            &["A passkey was removed", "keep working"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("recovery_codes_replaced"),
            Template::SecondFactorChanged,
            &["New recovery codes", "no longer work"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("recovery_code_used"),
            Template::SecondFactorChanged,
            &["A recovery code was used", "7 are left"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("reset_scheduled"),
            Template::SecondFactorChanged,
            &["reported as lost", "on November 8, 2026 at 2:05 PM UTC", "cancels the removal", "#token=Not-Me-Token_6"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("reset_called_off"),
            Template::SecondFactorChanged,
            &["was cancelled", "stays on"],
        ),
        one(
            "auth.v1.second_factor_changed",
            &factor("removed_by_staff"),
            Template::SecondFactorChanged,
            &["removed by our team", "Every session was ended"],
        ),
        Sample {
            event: event("auth.v1.email_change_requested", &requested),
            mails: vec![(Template::EmailChangeRequested, Some("old@example.com"))],
            facts: &["new@example.com", "Nothing has changed yet", "https://solvane.test/not-me#token=Not-Me-Token_1"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed),
            mails: vec![
                (Template::EmailChanged, Some("old@example.com")),
                (Template::EmailChanged, Some("new@example.com")),
            ],
            facts: &["old@example.com", "new@example.com", "#token=Undo-Or-Not-Me"],
        },
        Sample {
            event: event("auth.v1.email_changed", &changed_before),
            mails: vec![
                (Template::EmailChanged, Some("old@example.com")),
                (Template::EmailChanged, Some("new@example.com")),
            ],
            facts: &["old@example.com", "new@example.com", "contact support"],
        },
        one(
            "auth.v1.new_device_signed_in",
            &device,
            Template::NewSignIn,
            &["Firefox on Linux", "203.0.113.0/24", "https://solvane.test/not-me#token=Not-Me-Token_3"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &auth::SignInsRefused {
                user_id: user_id.clone(),
                count: 10,
                device: "Firefox on Linux".to_owned(),
                address_block: "203.0.113.0/24".to_owned(),
                link_reference: String::new(),
            },
            Template::SignInsRefused,
            &["10 times in a row", "Firefox on Linux", "203.0.113.0/24", "https://solvane.test/forgot-password"],
        ),
        one(
            "auth.v1.sign_ins_refused",
            &auth::SignInsRefused {
                user_id: user_id.clone(),
                count: 10,
                device: "Firefox on Linux".to_owned(),
                address_block: "203.0.113.0/24".to_owned(),
                link_reference: device.link_reference.clone(),
            },
            Template::SignInsRefused,
            &["10 wrong passwords", "ended that session", "https://solvane.test/not-me#token=Not-Me-Token_3"],
        ),
        one(
            "auth.v1.account_frozen",
            &auth::AccountFrozen { user_id: user_id.clone() },
            Template::AccountFrozen,
            &["stays yours"],
        ),
        one(
            "auth.v1.account_closing",
            &auth::AccountClosing {
                user_id: user_id.clone(),
                closes_at: Some(chassis::clock::to_proto(time::macros::datetime!(2026-11-27 09:30 UTC))),
                link_reference: reference("closing"),
            },
            Template::AccountClosing,
            &["November 27, 2026 at 9:30 AM UTC", "https://solvane.test/profile", "https://solvane.test/not-me#token="],
        ),
        Sample {
            event: event(
                "auth.v1.account_closed",
                &auth::AccountClosed { user_id, email: "old@example.com".to_owned() },
            ),
            mails: vec![(Template::AccountClosed, Some("old@example.com"))],
            facts: &["nobody can log in", "After 30 days", "https://solvane.test/privacy"],
        },
    ]
}

fn wallet_samples(id: Uuid) -> Vec<Sample> {
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

fn trade_samples(id: Uuid) -> Vec<Sample> {
    let one = |key: &str, value_cents, template, facts| {
        let trade = trade::TradeFacts {
            trade_id: Uuid::new_v4().to_string(),
            user_id: id.to_string(),
            plan_title: "Growth <Plus>".to_owned(),
            amount_cents: 50_000,
            value_cents,
            exit_fee_cents: 0,
        };
        let event = event(&format!("trade.v1.{key}"), &trade::TradeOpened { trade: Some(trade) });
        Sample { event, mails: vec![(template, None)], facts }
    };
    vec![
        one("trade_opened", 50_000, Template::TradeOpened, &["$500.00", "not guaranteed"]),
        one("matured", 51_000, Template::TradeMatured, &["$510.00", "$500.00", "$10.00", "no longer changes"]),
        one(
            "payout_delayed",
            56_050,
            Template::PayoutDelayed,
            &["Growth", "$560.50", "$500.00", "as soon as cash arrives"],
        ),
        one("trade_claimed", 56_050, Template::TradeClaimed, &["$560.50", "$500.00", "$60.50"]),
        one("trade_closed", 48_000, Template::TradeClosed, &["$480.00", "$20.00"]),
        // The exit fee cost more than the gain.
        one("trade_claimed", 49_950, Template::TradeClosed, &["$499.50", "$0.50"]),
        Sample {
            event: event("trade.v1.plan_changed", &trade::PlanChanged { plan_id: String::new() }),
            mails: vec![],
            facts: &[],
        },
        Sample {
            event: event("trade.v1.from_a_newer_build", &trade::PlanChanged::default()),
            mails: vec![],
            facts: &[],
        },
        Sample {
            event: event("auth.v1.user_registered", &auth::UserRegistered { user_id: id.to_string() }),
            mails: vec![],
            facts: &[],
        },
        Sample { event: event("auth.v1.session_ended", &auth::SessionEnded::default()), mails: vec![], facts: &[] },
    ]
}

/// A message of any type, to be put into an event.
trait Encode {
    fn event(&self, key: &str) -> Event;
}

impl<M: prost::Message> Encode for M {
    fn event(&self, key: &str) -> Event {
        event(key, self)
    }
}
