//! Reasons for rejections, and their sentences for members.

use chassis::error::Refusal;

use crate::domain::transaction::Kind;

/// The sentence for the member of a reason code, which must suit the kind of transaction.
///
/// # Errors
/// Invalid on the field `reasonCode`.
pub fn sentence(kind: Kind, code: &str) -> Result<&'static str, Refusal> {
    let found = match (kind, code) {
        (Kind::Deposit | Kind::Course | Kind::Fee, "NOT_RECEIVED") => "We have not received this payment.",
        (Kind::Deposit | Kind::Course | Kind::Fee, "AMOUNT_MISMATCH") => {
            "The amount we received differs from the amount you entered."
        }
        (Kind::Deposit | Kind::Course | Kind::Fee, "UNREADABLE_RECEIPT") => "We could not read the proof of payment.",
        (Kind::Deposit | Kind::Course | Kind::Fee, "DUPLICATE") => "This payment has been submitted before.",
        (Kind::Deposit | Kind::Course | Kind::Fee, "WRONG_NETWORK") => "The payment was made on another network.",
        (Kind::Deposit | Kind::Course | Kind::Fee, "OTHER") => {
            "We could not confirm this payment. Please contact support."
        }
        (Kind::Withdrawal, "INVALID_ADDRESS") => {
            "The destination address is not valid. The amount is back in your balance."
        }
        (Kind::Withdrawal, "COMPLIANCE") => {
            "We could not complete our checks for this withdrawal. The amount is back in your balance."
        }
        (Kind::Withdrawal, "MEMBER_REQUEST") => "Ended at your request. The amount is back in your balance.",
        (Kind::Withdrawal, "PAYOUT_FAILED") => "The payout did not go through. The amount is back in your balance.",
        (Kind::Withdrawal, "OTHER") => {
            "We could not process this withdrawal. The amount is back in your balance. Please contact support."
        }
        _ => return Err(Refusal::field("reasonCode", "Please choose one of the reasons.")),
    };
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::sentence;
    use crate::domain::transaction::Kind;

    const PAYMENT: [&str; 6] =
        ["NOT_RECEIVED", "AMOUNT_MISMATCH", "UNREADABLE_RECEIPT", "DUPLICATE", "WRONG_NETWORK", "OTHER"];
    const PAYOUT: [&str; 5] = ["INVALID_ADDRESS", "COMPLIANCE", "MEMBER_REQUEST", "PAYOUT_FAILED", "OTHER"];

    /// [D-R3] Each code has a sentence for the kinds it is for, and no other.
    #[test]
    fn each_reason_has_a_sentence_where_it_belongs() {
        for kind in [Kind::Deposit, Kind::Course, Kind::Fee] {
            assert!(PAYMENT.iter().all(|code| sentence(kind, code).is_ok()));
            assert!(PAYOUT[..4].iter().all(|code| sentence(kind, code).is_err()));
        }
        assert!(PAYOUT.iter().all(|code| sentence(Kind::Withdrawal, code).is_ok()));
        assert!(PAYMENT[..5].iter().all(|code| sentence(Kind::Withdrawal, code).is_err()));
        assert!(sentence(Kind::Deposit, "").is_err() && sentence(Kind::Trade, "OTHER").is_err());
    }

    /// The document of the API lists every reason, of payments and of withdrawals.
    #[test]
    fn the_document_lists_every_reason() {
        let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
        let listed = document["components"]["schemas"]["RejectionReason"]["enum"].as_array().unwrap();
        let listed: BTreeSet<_> = listed.iter().map(|code| code.as_str().unwrap()).collect();
        assert_eq!(listed, PAYMENT.into_iter().chain(PAYOUT).collect());
    }
}
