//! The use cases. Opening and ending a trade are sagas: a first transaction decides, wallet moves the money, a second
//! transaction records it. [resume_trades] completes them after a crash or a lost response.

pub mod announce_maturities;
pub mod answer_risk;
pub mod claim_trade;
pub mod close_trade;
pub mod create_trade;
pub mod decide_proposal;
pub mod end_trade;
pub mod fund_trade;
pub mod get_plan;
pub mod list_all_plans;
pub mod list_plan_values;
pub mod list_plans;
pub mod list_trades;
pub mod propose_plan;
pub mod propose_plan_value;
pub mod report_plans;
pub mod resume_trades;
pub mod settle_trade;
