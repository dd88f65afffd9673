//! The use cases.

pub mod create_payment_method;
pub mod create_quote;
pub mod decide_proposal;
pub mod delete_payment_method;
pub mod erase_members;
pub mod get_evidence;
pub mod get_holdings;
pub mod get_payout;
pub mod get_quote;
pub mod get_quote_terms;
pub mod list_owned_files;
pub mod list_payment_methods;
pub mod list_payments;
pub mod list_platform_methods;
pub mod match_payouts;
pub mod observe_chain;
pub mod poll_rates;
pub mod price;
pub mod propose_platform_method;
pub mod propose_rate;
pub mod rescan_chain;
pub mod resolve_deposit_method;
pub mod resolve_withdrawal_method;
pub mod sign_platform_method;
pub mod take_back_methods;
pub mod update_payment_method;
