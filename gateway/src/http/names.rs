//! Closed lists of names that services send as text, for the OpenAPI document. The gateway passes names on unchanged,
//! also those that it does not know yet. Tests of auth, wallet and mailer compare the lists with what these services send.

use chassis::identity::Role as StaffRole;
use chassis::permission::Permission as StaffPermission;
use proto::common::v1::ErrorReason;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident = $names:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let doc = [$($doc.trim()),+].join(" ");
                let text = ObjectBuilder::new().schema_type(Type::String);
                text.description(Some(doc)).enum_values(Some($names)).into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

names! {
    /// Role of a staff account.
    Role = StaffRole::ALL.iter().map(|role| role.as_str());
    /// Permission of staff; each role has several.
    Permission = StaffPermission::ALL.iter().map(|one| one.as_str());
    /// Why a request was refused, as a name for programs. `ErrorReason` of the gRPC contract explains each.
    ErrorCode = error_codes();
    /// Reason of a hold.
    HoldReason = ["COMPLIANCE", "DISPUTE", "OTHER"];
    /// Why a transaction was rejected: those up to `WRONG_NETWORK` for payments, those below it for withdrawals, `OTHER` for
    /// both.
    RejectionReason = [
        "NOT_RECEIVED", "AMOUNT_MISMATCH", "UNREADABLE_RECEIPT", "DUPLICATE", "WRONG_NETWORK", "INVALID_ADDRESS",
        "COMPLIANCE", "MEMBER_REQUEST", "PAYOUT_FAILED", "OTHER",
    ];
    /// What happened to the security of an account.
    SecurityEventKind = [
        "sign_in", "step_up", "password", "email_code", "sign_out", "session_ended", "password_changed", "password_reset",
        "email_change_requested", "email_changed", "email_change_undone", "disowned", "factors_changed",
        "destination_entered", "destination_confirmed", "data_exported", "closing_requested", "closing_called_off", "closed",
        "frozen", "unfrozen",
    ];
    /// What a notice is about.
    NoticeKind = [
        "destination_code", "password_changed", "second_factor_changed", "email_change_requested", "email_changed",
        "new_sign_in", "sign_ins_refused", "account_frozen", "account_closing", "payment_seen", "deposit_confirmed",
        "deposit_rejected", "payment_returned", "course_unlocked", "course_refunded", "course_payment_rejected", "withdrawal_received", "withdrawal_approved",
        "withdrawal_paid", "withdrawal_rejected", "fee_confirmed", "fee_rejected", "bonus_granted", "bonus_released",
        "balance_adjusted", "trade_matured", "payout_delayed", "trade_claimed", "trade_closed", "case_answered",
        "case_closed", "complaint_registered",
    ];
    /// Kind of items in the review queue.
    QueueKind = ["deposit", "course", "fee", "withdrawal", "payout"];
    /// What a fault is about: an account, a posting, a member's hold or investments, or a decision that was never posted
    /// (`cause`); what is held (`holding`), or the payment of an approved transaction (`payment`).
    FaultSubject = ["account", "posting", "member", "cause", "holding", "payment"];
    /// What a movement of the treasury moves.
    MovementKind = [
        "capital_in", "capital_out", "revenue_out", "network_fee", "loss", "plan_funded", "plan_returned", "plan_bought",
        "plan_proceeds", "plan_loss", "plan_valued", "holding_stated", "sweep", "exchange", "refund",
    ];
    /// Purpose of a payment.
    DepositType = ["deposit", "course"];
    /// State of the trades to list: open, or also ended.
    TradeFilter = ["open", "all"];
    /// State of the proposals to list.
    ProposalFilter = ["all", "open", "confirmed", "rejected", "expired"];
    /// The service whose log is read, by default the wallet; `all` reads every one as one time line.
    Trail = ["all", "wallet", "auth", "trade", "course", "cases", "payment-method", "mailer"];
    /// Format of a list that is also a file.
    ListFormat = ["json", "csv"];
    /// Which cases to list.
    CaseFilter = ["open", "mine", "unowned", "complaints", "due", "member"];
    /// Format of a statement.
    StatementFormat = ["json", "csv", "pdf"];
}

/// The names of the gRPC contract without their prefix.
fn error_codes() -> impl Iterator<Item = &'static str> {
    (1..1_000)
        .filter_map(|number| ErrorReason::try_from(number).ok())
        .filter_map(|reason| reason.as_str_name().strip_prefix("ERROR_REASON_"))
}
