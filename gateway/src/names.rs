//! Closed lists of names that services send as text. The gateway passes on what a service sends, also a name that it does
//! not know yet. The document lists them; tests of auth and wallet hold what it lists to what they send.

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
    /// What staff may be.
    Role = StaffRole::ALL.map(StaffRole::as_str);
    /// What staff may do; the role decides.
    Permission = StaffPermission::ALL.map(StaffPermission::as_str);
    /// Why a request was refused, for programs; explained in `ErrorReason` of the gRPC contract.
    ErrorCode = error_codes();
    /// Why a part of a balance is kept back.
    HoldReason = ["COMPLIANCE", "DISPUTE", "OTHER"];
    /// Why a transaction was rejected: those up to `WRONG_NETWORK` for payments, those below it for withdrawals, `OTHER` for
    /// both.
    RejectionReason = [
        "NOT_RECEIVED", "AMOUNT_MISMATCH", "UNREADABLE_RECEIPT", "DUPLICATE", "WRONG_NETWORK", "INVALID_ADDRESS",
        "COMPLIANCE", "MEMBER_REQUEST", "PAYOUT_FAILED", "OTHER",
    ];
    /// What happened to the security of an account.
    SecurityEventKind = [
        "sign_in", "step_up", "password", "sign_out", "session_ended", "password_changed", "password_reset",
        "email_change_requested", "email_changed", "email_change_undone", "disowned", "factors_changed", "frozen",
        "unfrozen",
    ];
    /// What waits for staff.
    QueueKind = ["deposit", "course", "fee", "withdrawal", "payout"];
    /// What a fault is about: an account, a posting, a member's hold or investments, or a decision that was never posted
    /// (`cause`).
    FaultSubject = ["account", "posting", "member", "cause"];
    /// What a payment is for.
    DepositType = ["deposit", "course"];
    /// Which trades: the open ones, or the ended ones too.
    TradeFilter = ["open", "all"];
    /// Which proposals.
    ProposalFilter = ["all", "open", "confirmed", "rejected", "expired"];
    /// The form of an audit log.
    AuditFormat = ["json", "csv"];
    /// The form of a statement.
    StatementFormat = ["json", "csv", "pdf"];
}

/// The names of the gRPC contract without their prefix.
fn error_codes() -> impl Iterator<Item = &'static str> {
    (1..1_000)
        .filter_map(|number| ErrorReason::try_from(number).ok())
        .filter_map(|reason| reason.as_str_name().strip_prefix("ERROR_REASON_"))
}
