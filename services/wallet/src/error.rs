//! All errors of the wallet.

use std::time::Duration;

use chassis::db;
use chassis::error::{Facts, Fault, Kind, Refusal};
use chassis::idempotency::Replayed;
use chassis::money::AmountError;
use proto::common::v1::ErrorReason;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

use crate::domain::limits::Rest;
use crate::domain::transaction::Lease;

/// When to come back while withdrawals are stopped: the books are looked at every minute.
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
    /// The email, the password or a second factor changed.
    #[error("this member's account was changed: payouts wait until {}.", in_words(*.0))]
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
    #[error("this transaction has changed since you opened it. Please look again.")]
    StaleRevision,
    /// The chain shows something else than what the reviewer saw.
    #[error("the payment on the chain has changed since you looked at it. Reload and decide on what it is now.")]
    StaleEvidence,
    #[error("this transaction hash, or this output of it, belongs to another payment.")]
    TxidUsed,
    /// Unknown, or another member's.
    #[error("we can't find that quote.")]
    QuoteNotFound,
    #[error("this quote has been used already. Please get a new one.")]
    QuoteUsed,
    /// It was made for another direction, amount or method.
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
    /// The refusal given before under the same key.
    #[error("{}", .0.refusal.message)]
    Replayed(#[from] Replayed),
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
            Some("transactions_decided_once") => Self::AlreadyDecided,
            Some("transactions_two_people") => Self::SecondPersonRequired,
            Some("transactions_destination_known") => Self::DestinationUnconfirmed,
            Some("postings_one_course_a_member") => Self::CourseAlreadyPurchased,
            Some("postings_once") => Self::AlreadyPosted,
            Some("account_rebuilds_faulty") => Self::AccountVerifies,
            Some("postings_reversed_once") => Self::AlreadyReversed,
            Some("holds_released_once") => Self::HoldReleased,
            Some("holds_two_people") => Self::OwnHold,
            _ => Self::Database(error),
        }
    }
}

impl Fault for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::NotFound
            | Self::MemberNotFound
            | Self::TradeNotFunded
            | Self::AccountVerifies
            | Self::MethodNotFound
            | Self::QuoteNotFound
            | Self::HoldNotFound => Kind::NotFound,
            Self::InsufficientBalance | Self::LimitReached(_) | Self::QuoteDiffers => Kind::Invalid,
            Self::OwnHold => Kind::Forbidden,
            Self::AmountOwed
            | Self::NotReversible
            | Self::NotRefundable
            | Self::AlreadyReversed
            | Self::TooManyHolds(_)
            | Self::HoldReleased
            | Self::WithdrawalPending
            | Self::WithdrawalsNotStopped
            | Self::BooksNotBalanced(_)
            | Self::TooManyPendingDeposits(_)
            | Self::ReceiptsFull
            | Self::CourseAlreadyPurchased
            | Self::CoursePaymentPending
            | Self::AlreadyDecided
            | Self::FeeTooLate
            | Self::FeeAlreadyPaid
            | Self::FeePending
            | Self::DestinationAlreadySet
            | Self::DestinationMissing
            | Self::DestinationUnconfirmed
            | Self::MemberFrozen
            | Self::AccountClosed
            | Self::AccountInUse(_)
            | Self::PayoutsStopped
            | Self::CoolingOff(_)
            | Self::NotApproved
            | Self::SecondPersonRequired
            | Self::SecondReviewerRequired
            | Self::ApprovalDiffers
            | Self::BeingPaid(_)
            | Self::NotBeingPaid
            | Self::StaleRevision
            | Self::StaleEvidence
            | Self::TxidUsed
            | Self::QuoteUsed
            | Self::AlreadyPosted
            | Self::TradeTermsDiffer
            | Self::PublicationInProgress => Kind::Conflict,
            Self::WithdrawalsStopped => Kind::Unavailable,
            Self::AccountMissing | Self::Amount(_) => Kind::Internal,
            Self::Refused(refusal) => refusal.kind,
            Self::Replayed(replayed) => replayed.refusal.kind,
            Self::Database(error) => error.kind(),
        }
    }

    fn reason(&self) -> ErrorReason {
        match self {
            Self::NotFound
            | Self::MemberNotFound
            | Self::TradeNotFunded
            | Self::AccountVerifies
            | Self::MethodNotFound
            | Self::QuoteNotFound
            | Self::HoldNotFound => ErrorReason::NotFound,
            Self::AmountOwed => ErrorReason::AmountOwed,
            Self::NotReversible | Self::NotRefundable => ErrorReason::NotReversible,
            Self::AlreadyReversed => ErrorReason::AlreadyReversed,
            Self::TooManyHolds(_) => ErrorReason::TooManyHolds,
            Self::OwnHold => ErrorReason::SelfConfirmation,
            Self::InsufficientBalance => ErrorReason::InsufficientBalance,
            Self::WithdrawalPending => ErrorReason::WithdrawalPending,
            Self::LimitReached(_) => ErrorReason::LimitReached,
            Self::WithdrawalsStopped => ErrorReason::WithdrawalsStopped,
            Self::PublicationInProgress => ErrorReason::PublicationInProgress,
            Self::WithdrawalsNotStopped => ErrorReason::WithdrawalsNotStopped,
            Self::BooksNotBalanced(_) => ErrorReason::BooksNotBalanced,
            Self::TooManyPendingDeposits(_) => ErrorReason::TooManyPendingDeposits,
            Self::ReceiptsFull => ErrorReason::ReceiptsFull,
            Self::CourseAlreadyPurchased => ErrorReason::CourseAlreadyPurchased,
            Self::CoursePaymentPending => ErrorReason::CoursePaymentPending,
            Self::AlreadyDecided
            | Self::FeeTooLate
            | Self::AlreadyPosted
            | Self::TradeTermsDiffer
            | Self::HoldReleased => ErrorReason::AlreadyDecided,
            Self::FeeAlreadyPaid => ErrorReason::FeeAlreadyPaid,
            Self::FeePending => ErrorReason::FeePending,
            Self::DestinationAlreadySet => ErrorReason::DestinationAlreadySet,
            Self::DestinationMissing => ErrorReason::DestinationMissing,
            Self::DestinationUnconfirmed => ErrorReason::DestinationUnconfirmed,
            Self::MemberFrozen => ErrorReason::AccountFrozen,
            Self::AccountClosed => ErrorReason::AccountClosed,
            Self::AccountInUse(_) => ErrorReason::AccountInUse,
            Self::PayoutsStopped => ErrorReason::PayoutsStopped,
            Self::CoolingOff(_) => ErrorReason::CoolingOff,
            Self::NotApproved => ErrorReason::NotApproved,
            Self::SecondPersonRequired | Self::SecondReviewerRequired => ErrorReason::SecondPersonRequired,
            Self::ApprovalDiffers => ErrorReason::ApprovalDiffers,
            Self::BeingPaid(_) => ErrorReason::BeingPaid,
            Self::NotBeingPaid => ErrorReason::NotBeingPaid,
            Self::StaleRevision => ErrorReason::StaleRevision,
            Self::StaleEvidence => ErrorReason::StaleEvidence,
            Self::TxidUsed => ErrorReason::TxidUsed,
            Self::QuoteUsed => ErrorReason::QuoteUsed,
            Self::QuoteDiffers => ErrorReason::ValidationFailed,
            Self::AccountMissing | Self::Amount(_) => ErrorReason::Internal,
            Self::Refused(refusal) => refusal.reason(),
            Self::Replayed(replayed) => replayed.refusal.reason(),
            Self::Database(error) => error.reason(),
        }
    }

    fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Replayed(replayed) => Some(&replayed.refusal),
            _ => None,
        }
    }

    fn fields(&self) -> Vec<(String, String)> {
        match self {
            Self::InsufficientBalance | Self::LimitReached(_) => vec![("amount".to_owned(), self.sentence())],
            Self::QuoteDiffers => vec![("quoteId".to_owned(), self.sentence())],
            _ => self.refusal().map(|refusal| refusal.fields.clone()).unwrap_or_default(),
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
            Self::AccountInUse(matters) => Facts::from([("matters".to_owned(), json!(matters))]),
            Self::CoolingOff(at) => {
                let told = at.format(&Rfc3339).unwrap_or_default();
                Facts::from([("notBefore".to_owned(), told.into())])
            }
            _ => self.refusal().map(Refusal::facts).unwrap_or_default(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::WithdrawalsStopped => Some(STOP_PAUSE),
            _ => self.refusal()?.retry_after,
        }
    }

    fn is_worded(&self) -> bool {
        matches!(self, Self::WithdrawalsStopped) || !matches!(self.kind(), Kind::Internal | Kind::Unavailable)
    }

    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

fn limit_reached(rest: &Rest) -> String {
    let left = format!("this is more than your withdrawal limit leaves: {} is left now", rest.left);
    match rest.available_at {
        Some(at) => format!("{left}, and this amount from {}.", in_words(at)),
        None => format!("{left}."),
    }
}

/// A moment as people read it.
pub fn in_words(at: OffsetDateTime) -> String {
    let format = format_description!("[day padding:none] [month repr:long] [year], [hour]:[minute] UTC");
    at.to_offset(time::UtcOffset::UTC).format(format).unwrap_or_default()
}
