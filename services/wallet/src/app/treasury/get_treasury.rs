//! Returns the balances of the house and the newest movements of the treasury, for staff.

use chassis::db::Db;
use chassis::money::Cents;
use chassis::proposal::Proposal;

use crate::domain::account::HouseAccount;
use crate::error::Error;
use crate::store::treasury::{house_balances, newest};

/// Movements that are listed.
const LISTED: i64 = 100;

#[derive(Debug, Clone)]
pub struct Treasury {
    pub capital: Cents,
    pub course_revenue: Cents,
    pub fee_revenue: Cents,
    pub network_fees: Cents,
    pub bonus_expense: Cents,
    pub adjustments: Cents,
    /// Newest first.
    pub movements: Vec<Proposal>,
}

pub async fn get_treasury(db: &Db) -> Result<Treasury, Error> {
    let mut conn = db.conn().await?;
    let mut balances = house_balances(&mut conn).await?;
    let mut balance = |account: HouseAccount| balances.remove(account.into_str()).unwrap_or_default();
    Ok(Treasury {
        capital: balance(HouseAccount::Capital),
        course_revenue: balance(HouseAccount::CourseRevenue),
        fee_revenue: balance(HouseAccount::FeeRevenue),
        network_fees: balance(HouseAccount::NetworkFees),
        bonus_expense: balance(HouseAccount::BonusExpense),
        adjustments: balance(HouseAccount::Adjustments),
        movements: newest(&mut conn, LISTED).await?,
    })
}
