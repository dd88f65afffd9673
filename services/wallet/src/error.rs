//! All errors of the wallet.

use std::time::Duration;

use chassis::clock;
use chassis::db;
use chassis::error::{Facts, Fault, Kind, Meaning, Refusal};
use chassis::money::{AmountError, Cents};
use proto::common::v1::ErrorReason;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::domain::limits::Rest;
use crate::domain::transaction::Lease;

/// When to come back while withdrawals are paused: the ledger is checked every minute.
const STOP_PAUSE: Duration = Duration::from_secs(60);

/// Why a call does not do what it was asked to. Messages become the member's sentence, capitalised.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Unknown, or another member's.
    #[error("we can't find that transaction.")]
    NotFound,
    /// No wallet exists for this member.
    #[error("we can't find that member.")]
    MemberNotFound,
    #[error("insufficient balance")]
    InsufficientBalance,
    /// A gain waits for it.
    #[error("the cash of this plan does not cover the gain yet.")]
    PlanCashShort,
    /// By how much.
    #[error("cash and assets of this plan do not cover its open trades at this value: {0} is missing.")]
    NotBacked(Cents),
    /// A payment was reversed after its money was gone.
    #[error("you owe an amount because a payment was reversed. Your next credits settle it first.")]
    AmountOwed,
    /// Only credits that came from outside or from staff.
    #[error("this transaction cannot be reversed.")]
    NotReversible,
    /// Not a payment for the course.
    #[error("only a payment for the course can be refunded.")]
    NotRefundable,
    #[error("this transaction has already been reversed.")]
    AlreadyReversed,
    #[error("this member has {0} holds. Please release one first.")]
    TooManyHolds(usize),
    /// Released, or another member's.
    #[error("we can't find that hold.")]
    HoldNotFound,
    #[error("this hold has already been released.")]
    HoldReleased,
    #[error("someone other than the person who placed this hold has to release it.")]
    OwnHold,
    #[error("withdrawal pending already")]
    WithdrawalPending,
    /// More than a member may withdraw within a period.
    #[error("{}", limit_reached(.0))]
    LimitReached(Rest),
    /// The books do not add up.
    #[error("withdrawals are paused while we check our books. Your balance is safe; please try again later.")]
    WithdrawalsStopped,
    /// There is nothing to open again.
    #[error("withdrawals are not paused.")]
    WithdrawalsNotStopped,
    /// What stopped them is still there.
    #[error("the ledger does not balance yet. {0}")]
    BooksNotBalanced(String),
    /// One is built at a time.
    #[error("the liabilities are being published. Please try again in a moment.")]
    PublicationInProgress,
    /// More buckets were opened while the accounts of a new member were made.
    #[error("the account was opened at this very moment. Please try again.")]
    BucketsOpened,
    /// Trade has not reported them.
    #[error("the gains of open trades are not known at the moment. Please try again in a minute.")]
    GainsUnknown,
    #[error("the check found nothing wrong with this account.")]
    AccountVerifies,
    #[error("you have {0} payments waiting for review. Please wait until one is decided.")]
    TooManyPendingDeposits(i64),
    #[error("your proofs of payment have reached the limit of 200 MB per account. Please contact support.")]
    ReceiptsFull,
    #[error("you already own the course.")]
    CourseAlreadyPurchased,
    #[error("your payment for the course is in review.")]
    CoursePaymentPending,
    #[error("this transaction has already been decided.")]
    AlreadyDecided,
    /// The approval fixed what is paid out.
    #[error("this withdrawal has already been approved; its fee is deducted from the payout.")]
    FeeTooLate,
    #[error("the fee for this withdrawal has already been paid.")]
    FeeAlreadyPaid,
    #[error("a payment of the fee for this withdrawal is in review.")]
    FeePending,
    #[error("this withdrawal already has a destination.")]
    DestinationAlreadySet,
    /// Nowhere to pay to.
    #[error("this withdrawal has no destination yet.")]
    DestinationMissing,
    #[error("the member has not confirmed the destination of this withdrawal yet.")]
    DestinationUnconfirmed,
    /// Unknown, or another member's.
    #[error("we can't find that payment method.")]
    MethodNotFound,
    #[error("this member's account is frozen.")]
    MemberFrozen,
    /// The member closed the account.
    #[error("this account is closed.")]
    AccountClosed,
    /// It has a balance, or something is open: what, by names.
    #[error("your account still has a balance or something open.")]
    AccountInUse(Vec<&'static str>),
    /// Its owner said that somebody else used it.
    #[error("payouts to this member are paused until they set a new password.")]
    PayoutsStopped,
    /// The member reported that someone else used the account when this withdrawal was requested.
    #[error("the member reported that someone else requested this withdrawal. Reject it, unless it was already paid.")]
    Disowned,
    /// The email, the password or a second factor changed.
    #[error("this member's account was changed: payouts wait until {}.", clock::to_text(*.0))]
    CoolingOff(OffsetDateTime),
    #[error("this withdrawal has not been approved yet.")]
    NotApproved,
    /// Two people from $1,000.00.
    #[error("someone other than the approver has to pay this withdrawal.")]
    SecondPersonRequired,
    /// Two reviewers for a large deposit.
    #[error("another reviewer has to approve this deposit.")]
    SecondReviewerRequired,
    /// The second reviewer saw something else than the first.
    #[error("the first reviewer approved a different amount, transaction hash or output. Check the network again.")]
    ApprovalDiffers,
    /// One person pays at a time.
    #[error("someone else is paying this withdrawal until {:02}:{:02} UTC.", .0.until.hour(), .0.until.minute())]
    BeingPaid(Lease),
    /// From $1,000.00 a payout is announced before it is made.
    #[error("start the payout first: from $1,000.00, only the person who started a payout can mark it as paid.")]
    NotBeingPaid,
    /// By its reference: a batch holds what one treasurer has leased.
    #[error("start the payout of {0} first. It is not yours, or its 15 minutes are over.")]
    PayoutNotStarted(String),
    #[error("this transaction has changed since you opened it. Please look again.")]
    StaleRevision,
    /// The chain shows something else than what the reviewer saw.
    #[error("the payment on the chain has changed since you looked at it. Reload and decide on what it is now.")]
    StaleEvidence,
    /// The hash of a payment to the destination of an approved withdrawal.
    #[error("a payment to this destination is on the chain. Mark the withdrawal as paid with its hash first: {0}.")]
    PayoutSeen(String),
    /// A deposit can be taken back only while no payment was observed.
    #[error("a payment for this request has been seen, so it stays in review.")]
    PaymentSeen,
    #[error("this transaction hash, or this output of it, belongs to another payment.")]
    TxidUsed,
    /// A request of the member is about it, or it was credited.
    #[error("a deposit of yours is about this payment already.")]
    PaymentWaits,
    /// There was no rate when it arrived.
    #[error("we had no rate when this payment arrived. Please request a deposit, and we value the payment in review.")]
    PaymentWithoutValue,
    /// Unknown, or another member's.
    #[error("we can't find that quote.")]
    QuoteNotFound,
    #[error("this quote has been used already. Please get a new one.")]
    QuoteUsed,
    /// It was made for another direction, amount, method, currency or network.
    #[error("this quote is for another amount or payment method. Please get a new one.")]
    QuoteDiffers,
    /// The business id was posted before.
    #[error("this has been posted already.")]
    AlreadyPosted,
    /// Another service named a trade that was never funded.
    #[error("this trade was never funded.")]
    TradeNotFunded,
    /// The same trade under other terms.
    #[error("this trade already exists with different terms.")]
    TradeTermsDiffer,
    /// An account that must exist does not.
    #[error("an account is missing")]
    AccountMissing,
    /// A sum past the range of an amount.
    #[error(transparent)]
    Amount(#[from] AmountError),
    /// A malformed field, a caller who may not, another service's refusal.
    #[error("{}", .0.message)]
    Refused(#[from] Refusal),
    #[error("database")]
    Database(#[source] sqlx::Error),
}

impl Error {
    /// The change of a proposal cannot be read, or written, as what its kind says.
    #[must_use]
    pub fn unreadable_change(error: serde_json::Error) -> Self {
        Self::Database(sqlx::Error::Decode(Box::new(error)))
    }
}

/// The second line of several rules is a constraint: its name says which rule it was.
impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::constraint(&error) {
            Some("accounts_members_not_negative") => Self::InsufficientBalance,
            Some("transactions_one_open_withdrawal") => Self::WithdrawalPending,
            Some("transactions_one_pending_course") => Self::CoursePaymentPending,
            Some("transactions_one_pending_fee") => Self::FeePending,
            Some("transactions_txid_in" | "transactions_txid_out") => Self::TxidUsed,
            Some("transactions_wallet_open") => Self::AccountClosed,
            Some("transactions_quote_once") => Self::QuoteUsed,
            Some("transactions_quote_asset") => Self::QuoteDiffers,
            Some("transactions_decided_once") => Self::AlreadyDecided,
            Some("transactions_two_people") => Self::SecondPersonRequired,
            Some("transactions_destination_known") => Self::DestinationUnconfirmed,
            Some("postings_one_course_a_member") => Self::CourseAlreadyPurchased,
            Some("postings_once") => Self::AlreadyPosted,
            Some("member_buckets_pkey") => Self::BucketsOpened,
            Some("account_rebuilds_faulty") => Self::AccountVerifies,
            Some("postings_reversed_once") => Self::AlreadyReversed,
            Some("holds_released_once") => Self::HoldReleased,
            Some("holds_two_people") => Self::OwnHold,
            _ => Self::Database(error),
        }
    }
}

impl Fault for Error {
    fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::NotFound
            | Self::MemberNotFound
            | Self::TradeNotFunded
            | Self::AccountVerifies
            | Self::MethodNotFound
            | Self::QuoteNotFound
            | Self::HoldNotFound => Meaning::Own(Kind::NotFound, ErrorReason::NotFound),
            Self::AmountOwed => Meaning::Own(Kind::Conflict, ErrorReason::AmountOwed),
            Self::NotReversible | Self::NotRefundable => Meaning::Own(Kind::Conflict, ErrorReason::NotReversible),
            Self::AlreadyReversed => Meaning::Own(Kind::Conflict, ErrorReason::AlreadyReversed),
            Self::TooManyHolds(_) => Meaning::Own(Kind::Conflict, ErrorReason::TooManyHolds),
            Self::OwnHold => Meaning::Own(Kind::Forbidden, ErrorReason::SelfConfirmation),
            Self::InsufficientBalance => Meaning::Own(Kind::Invalid, ErrorReason::InsufficientBalance),
            Self::PlanCashShort => Meaning::Own(Kind::Conflict, ErrorReason::PlanCashShort),
            Self::NotBacked(_) => Meaning::Own(Kind::Conflict, ErrorReason::NotBacked),
            Self::WithdrawalPending => Meaning::Own(Kind::Conflict, ErrorReason::WithdrawalPending),
            Self::LimitReached(_) => Meaning::Own(Kind::Invalid, ErrorReason::LimitReached),
            Self::WithdrawalsStopped => Meaning::Own(Kind::Unavailable, ErrorReason::WithdrawalsStopped),
            Self::GainsUnknown | Self::BucketsOpened => Meaning::Own(Kind::Unavailable, ErrorReason::Unavailable),
            Self::PublicationInProgress => Meaning::Own(Kind::Conflict, ErrorReason::PublicationInProgress),
            Self::WithdrawalsNotStopped => Meaning::Own(Kind::Conflict, ErrorReason::WithdrawalsNotStopped),
            Self::BooksNotBalanced(_) => Meaning::Own(Kind::Conflict, ErrorReason::BooksNotBalanced),
            Self::TooManyPendingDeposits(_) => Meaning::Own(Kind::Conflict, ErrorReason::TooManyPendingDeposits),
            Self::ReceiptsFull => Meaning::Own(Kind::Conflict, ErrorReason::ReceiptsFull),
            Self::CourseAlreadyPurchased => Meaning::Own(Kind::Conflict, ErrorReason::CourseAlreadyPurchased),
            Self::CoursePaymentPending => Meaning::Own(Kind::Conflict, ErrorReason::CoursePaymentPending),
            Self::AlreadyDecided
            | Self::FeeTooLate
            | Self::AlreadyPosted
            | Self::TradeTermsDiffer
            | Self::HoldReleased => Meaning::Own(Kind::Conflict, ErrorReason::AlreadyDecided),
            Self::FeeAlreadyPaid => Meaning::Own(Kind::Conflict, ErrorReason::FeeAlreadyPaid),
            Self::FeePending => Meaning::Own(Kind::Conflict, ErrorReason::FeePending),
            Self::DestinationAlreadySet => Meaning::Own(Kind::Conflict, ErrorReason::DestinationAlreadySet),
            Self::DestinationMissing => Meaning::Own(Kind::Conflict, ErrorReason::DestinationMissing),
            Self::DestinationUnconfirmed => Meaning::Own(Kind::Conflict, ErrorReason::DestinationUnconfirmed),
            Self::MemberFrozen => Meaning::Own(Kind::Conflict, ErrorReason::AccountFrozen),
            Self::AccountClosed => Meaning::Own(Kind::Conflict, ErrorReason::AccountClosed),
            Self::AccountInUse(_) => Meaning::Own(Kind::Conflict, ErrorReason::AccountInUse),
            Self::PayoutsStopped | Self::Disowned => Meaning::Own(Kind::Conflict, ErrorReason::PayoutsStopped),
            Self::CoolingOff(_) => Meaning::Own(Kind::Conflict, ErrorReason::CoolingOff),
            Self::NotApproved => Meaning::Own(Kind::Conflict, ErrorReason::NotApproved),
            Self::SecondPersonRequired | Self::SecondReviewerRequired => {
                Meaning::Own(Kind::Conflict, ErrorReason::SecondPersonRequired)
            }
            Self::ApprovalDiffers => Meaning::Own(Kind::Conflict, ErrorReason::ApprovalDiffers),
            Self::BeingPaid(_) => Meaning::Own(Kind::Conflict, ErrorReason::BeingPaid),
            Self::NotBeingPaid | Self::PayoutNotStarted(_) => Meaning::Own(Kind::Conflict, ErrorReason::NotBeingPaid),
            Self::StaleRevision => Meaning::Own(Kind::Conflict, ErrorReason::StaleRevision),
            Self::StaleEvidence => Meaning::Own(Kind::Conflict, ErrorReason::StaleEvidence),
            Self::PayoutSeen(_) => Meaning::Own(Kind::Conflict, ErrorReason::PayoutSeen),
            Self::PaymentSeen => Meaning::Own(Kind::Conflict, ErrorReason::PaymentSeen),
            Self::TxidUsed | Self::PaymentWaits => Meaning::Own(Kind::Conflict, ErrorReason::TxidUsed),
            Self::PaymentWithoutValue => Meaning::Own(Kind::Conflict, ErrorReason::RateUnavailable),
            Self::QuoteUsed => Meaning::Own(Kind::Conflict, ErrorReason::QuoteUsed),
            Self::QuoteDiffers => Meaning::Own(Kind::Invalid, ErrorReason::ValidationFailed),
            Self::AccountMissing | Self::Amount(_) => Meaning::Own(Kind::Internal, ErrorReason::Internal),
            Self::Refused(refusal) => Meaning::Refused(refusal),
            Self::Database(error) => Meaning::Database(error),
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::InsufficientBalance | Self::LimitReached(_) => vec![("amount".to_owned(), self.sentence())],
            Self::QuoteDiffers => vec![("quoteId".to_owned(), self.sentence())],
            _ => Vec::new(),
        }
    }

    fn facts(&self) -> Facts {
        match self {
            Self::BeingPaid(Lease { by, until }) => {
                let paying = json!({ "by": by, "until": until.format(&Rfc3339).unwrap_or_default() });
                Facts::from([("paying".to_owned(), paying)])
            }
            Self::LimitReached(rest) => {
                let left = serde_json::from_str(&rest.left.to_wire()).ok();
                let available_at = rest.available_at.and_then(|at| at.format(&Rfc3339).ok()).map(Into::into);
                let facts = [("left", left), ("availableAt", available_at)];
                facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))).collect()
            }
            Self::NotBacked(missing) => {
                let missing = serde_json::from_str(&missing.to_wire()).ok();
                missing.map(|missing| Facts::from([("missing".to_owned(), missing)])).unwrap_or_default()
            }
            Self::AccountInUse(matters) => Facts::from([("matters".to_owned(), json!(matters))]),
            Self::CoolingOff(at) => {
                let told = at.format(&Rfc3339).unwrap_or_default();
                Facts::from([("notBefore".to_owned(), told.into())])
            }
            _ => Facts::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::WithdrawalsStopped => Some(STOP_PAUSE),
            _ => None,
        }
    }

    fn is_worded(&self) -> bool {
        matches!(self, Self::WithdrawalsStopped | Self::GainsUnknown)
            || !matches!(self.kind(), Kind::Internal | Kind::Unavailable)
    }
}

fn limit_reached(rest: &Rest) -> String {
    let left = format!("this is more than your withdrawal limit leaves: {} is left now", rest.left);
    match rest.available_at {
        Some(at) => format!("{left}, and this amount from {}.", clock::to_text(at)),
        None => format!("{left}."),
    }
}
