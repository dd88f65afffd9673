//! The use cases.

use chassis::error::Refusal;

use crate::clients::rpc::ChainError;
use crate::error::Error;

pub mod create_payment_method;
pub mod create_quote;
pub mod decide_proposal;
pub mod delete_payment_method;
pub mod erase_members;
pub mod get_arrived;
pub mod get_consumed;
pub mod get_evidence;
pub mod get_holdings;
pub mod get_payout;
pub mod get_quote;
pub mod get_quote_terms;
pub mod keep_signed_payouts;
pub mod list_candidates;
pub mod list_chains;
pub mod list_owned_files;
pub mod list_payment_methods;
pub mod list_payments;
pub mod list_platform_methods;
pub mod list_sweeps;
pub mod match_payouts;
pub mod note_consumed;
pub mod observe_chain;
mod own_address;
pub mod poll_rates;
pub mod prepare_payouts;
pub mod price;
pub mod propose_platform_method;
pub mod propose_rate;
pub mod prove_address;
pub mod rescan_chain;
pub mod resolve_deposit_method;
pub mod resolve_withdrawal_method;
pub mod search_payments;
pub mod send_payouts;
pub mod sign_platform_method;
pub mod take_back_methods;
pub mod update_payment_method;

/// What a node refuses says why; one that cannot be asked may answer later.
pub(crate) fn node_refusal(field: &str, error: ChainError) -> Error {
    match error {
        ChainError::Refused { message, .. } => {
            Refusal::field(field, format!("The Bitcoin node refused this: {message}")).into()
        }
        ChainError::Contradiction(sentence) => Refusal::field(field, format!("Nothing was sent: {sentence}.")).into(),
        error => {
            tracing::warn!(%error, "a node cannot be asked about payouts");
            Refusal::unavailable().into()
        }
    }
}
