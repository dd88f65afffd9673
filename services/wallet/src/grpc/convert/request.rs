//! What requests name: checked, in the types of the domain.

use chassis::error::Refusal;
use chassis::id::{MemberId, QuoteId, TransactionId};
use proto::common::v1 as common;
use proto::wallet::v1 as message;

use crate::app::withdrawal::ask_confirmation::Subject;
use crate::domain::correction::CorrectionKind;
use crate::domain::destination::PayoutAddress;
use crate::domain::hold::HoldReason;
use crate::domain::payout_correction::Outcome;
use crate::domain::transaction::{Destination, Kind, Purpose, QuoteDirection, Receipt, Status, Transaction};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::store::transactions::WaitsFor;

/// Bytes of a payment method's name: those of an id, which is longer than any currency code.
const METHOD_LENGTH: usize = 36;
/// What the list of the specification's screens needs of a receipt.
const RECEIPT_TYPES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf"];

/// The id of a transaction; a malformed one is unknown.
pub fn transaction_id(text: &str) -> Result<TransactionId, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

/// The id of a member; a malformed one is unknown.
pub fn member_id(text: &str) -> Result<MemberId, Error> {
    text.parse().map_err(|_| Error::NotFound)
}

/// What the destination belongs to that a code is asked for.
pub fn code_subject(subject: Option<message::send_destination_code_request::Subject>) -> Result<Subject, Error> {
    use message::send_destination_code_request::Subject as Wire;
    match subject {
        Some(Wire::TransactionId(id)) => withdrawal_subject(&id),
        Some(Wire::MethodId(id)) => method_subject(&id),
        None => Err(Error::NotFound),
    }
}

/// What the destination belongs to that is confirmed.
pub fn confirmation_subject(subject: Option<message::confirm_destination_request::Subject>) -> Result<Subject, Error> {
    use message::confirm_destination_request::Subject as Wire;
    match subject {
        Some(Wire::TransactionId(id)) => withdrawal_subject(&id),
        Some(Wire::MethodId(id)) => method_subject(&id),
        None => Err(Error::NotFound),
    }
}

/// The open withdrawal whose destination is confirmed.
fn withdrawal_subject(text: &str) -> Result<Subject, Error> {
    Ok(Subject::Withdrawal(transaction_id(text)?))
}

/// The saved method whose destination is confirmed.
fn method_subject(text: &str) -> Result<Subject, Error> {
    text.parse().map(Subject::Method).map_err(|_| Error::MethodNotFound)
}

/// A proof of payment, which must be there.
pub fn receipt(found: Option<message::Receipt>) -> Result<Receipt, Refusal> {
    let found = found.unwrap_or_default();
    if found.key.is_empty() || found.digest.len() != 32 {
        return Err(Refusal::field("receipt", "Please fill in all required fields"));
    }
    if !RECEIPT_TYPES.contains(&found.content_type.as_str()) {
        return Err(Refusal::field("receipt", "The proof must be a PNG, JPEG, WebP or GIF image or a PDF."));
    }
    Ok(Receipt { key: found.key, content_type: found.content_type, digest: found.digest })
}

/// The key of a receipt that is about to be stored.
pub fn receipt_key(key: String) -> Result<String, Refusal> {
    let printable = key.bytes().all(|byte| byte.is_ascii_graphic());
    if (1..=200).contains(&key.len()) && printable {
        Ok(key)
    } else {
        Err(Refusal::field("receipt", "The proof could not be used"))
    }
}

/// The hash of a payment of this transaction, empty for none, and which outputs of it.
pub fn txid(one: &Transaction, text: &str, outputs: impl IntoIterator<Item = u32>) -> Result<Option<Txid>, Refusal> {
    let network = one.method().map(|method| method.network.as_str()).unwrap_or_default();
    let mut outputs = outputs.into_iter().peekable();
    match Txid::parse_optional(text, network)? {
        None if outputs.peek().is_some() => {
            Err(Refusal::field("txid", "Please enter the transaction hash of this output."))
        }
        found => Ok(found.map(|txid| txid.at(outputs))),
    }
}

/// What a payment by deposit is for.
pub fn purpose(text: &str) -> Result<Purpose, Refusal> {
    match text {
        "deposit" => Ok(Purpose::Deposit),
        "course" => Ok(Purpose::Course),
        _ => Err(Refusal::field("type", "The type must be deposit or course.")),
    }
}

/// The name of a payment method: an id or a currency code.
pub fn method(text: &str) -> Result<String, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::field("method", "Please fill in all required fields"));
    }
    if text.len() > METHOD_LENGTH {
        return Err(Refusal::field("method", "Please choose a payment method."));
    }
    Ok(text.to_owned())
}

/// What a quote is asked for.
pub fn quote_direction(direction: common::QuoteDirection) -> Result<QuoteDirection, Refusal> {
    match direction {
        common::QuoteDirection::Deposit => Ok(QuoteDirection::Deposit),
        common::QuoteDirection::Withdrawal => Ok(QuoteDirection::Withdrawal),
        common::QuoteDirection::Unspecified => Err(Refusal::field("direction", "Choose a deposit or a withdrawal.")),
    }
}

/// The quote that a request names, if it names one.
pub fn quote_id(text: &str) -> Result<Option<QuoteId>, Error> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| Error::QuoteNotFound) }
}

/// Characters of an address as it is pasted, with the link or the payment URI around it.
const PASTED: usize = 512;

/// A destination as the member typed it; may be empty unless required. Which part of it is the address is payment-method's to say.
pub fn destination(address: &str, memo: &str, needed: bool) -> Result<Destination, Refusal> {
    let (address, memo) = (address.trim(), memo.trim());
    let well_formed = (10..=PASTED).contains(&address.chars().count());
    if (needed || !address.is_empty()) && !well_formed {
        return Err(Refusal::field("address", "Please enter a valid wallet address"));
    }
    if memo.chars().count() > 128 || memo.contains(char::is_control) {
        return Err(Refusal::field("memo", "Please enter a memo of at most 128 characters."));
    }
    Ok(Destination { address: address.to_owned(), memo: memo.to_owned() })
}

pub fn kind_filter(value: i32) -> Result<Option<Kind>, Refusal> {
    use message::TransactionKind as Wire;
    let kind = match Wire::try_from(value).map_err(|_| Refusal::field("kind", "This kind does not exist."))? {
        Wire::Unspecified => return Ok(None),
        Wire::Deposit => Kind::Deposit,
        Wire::Withdrawal => Kind::Withdrawal,
        Wire::Trade => Kind::Trade,
        Wire::Profit => Kind::Profit,
        Wire::Course => Kind::Course,
        Wire::Bonus => Kind::Bonus,
        Wire::Fee => Kind::Fee,
        Wire::Adjustment => Kind::Adjustment,
    };
    Ok(Some(kind))
}

pub fn status_filter(value: i32) -> Result<Option<Status>, Refusal> {
    use message::TransactionStatus as Wire;
    let status = match Wire::try_from(value).map_err(|_| Refusal::field("status", "This status does not exist."))? {
        Wire::Unspecified => return Ok(None),
        Wire::Pending => Status::Pending,
        Wire::Success => Status::Success,
        Wire::Failed => Status::Failed,
    };
    Ok(Some(status))
}

pub fn waits_for(value: i32) -> Result<Option<WaitsFor>, Refusal> {
    use message::WaitingFor as Wire;
    match Wire::try_from(value).map_err(|_| Refusal::field("waitingFor", "Nothing waits for this."))? {
        Wire::Unspecified => Ok(None),
        Wire::Decision => Ok(Some(WaitsFor::Decision)),
        Wire::Payout => Ok(Some(WaitsFor::Payout)),
    }
}

pub fn correction_kind(value: i32) -> Result<CorrectionKind, Refusal> {
    use message::CorrectionKind as Wire;
    match Wire::try_from(value) {
        Ok(Wire::Bonus) => Ok(CorrectionKind::Bonus),
        Ok(Wire::Release) => Ok(CorrectionKind::Release),
        Ok(Wire::AdjustmentCredit) => Ok(CorrectionKind::AdjustmentCredit),
        Ok(Wire::AdjustmentDebit) => Ok(CorrectionKind::AdjustmentDebit),
        _ => Err(Refusal::field("type", "The type must be credit or debit.")),
    }
}

pub fn payout_outcome(value: i32) -> Result<Outcome, Refusal> {
    use message::PayoutOutcome as Wire;
    match Wire::try_from(value) {
        Ok(Wire::OtherTransaction) => Ok(Outcome::OtherTransaction),
        Ok(Wire::NotSent) => Ok(Outcome::NotSent),
        Ok(Wire::Arrived) => Ok(Outcome::Arrived),
        _ => Err(Refusal::field("outcome", "Please choose what became of the payout.")),
    }
}

pub fn hold_reason(text: &str) -> Result<HoldReason, Refusal> {
    text.parse().map_err(|_| Refusal::field("reasonCode", "Please choose one of the reasons."))
}

/// What staff note with a decision.
pub fn note(text: &str) -> Result<String, Refusal> {
    if text.chars().count() > 500 {
        return Err(Refusal::field("note", "Please write at most 500 characters."));
    }
    Ok(text.trim().to_owned())
}

impl From<message::PayoutAddress> for PayoutAddress {
    fn from(to: message::PayoutAddress) -> Self {
        Self { currency: to.currency, network: to.network, address: to.address, memo: to.memo }
    }
}
