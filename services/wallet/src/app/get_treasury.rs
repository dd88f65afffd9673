//! Returns the balances of the house and the newest movements of the treasury, for staff.

use chassis::db::Db;
use chassis::money::Cents;
use chassis::proposal::Proposal;

use crate::domain::account::HouseAccount;
use crate::error::Error;
use crate::store::treasury::{house_balance, newest};

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
    Ok(Treasury {
        capital: house_balance(&mut conn, HouseAccount::Capital).await?,
        course_revenue: house_balance(&mut conn, HouseAccount::CourseRevenue).await?,
        fee_revenue: house_balance(&mut conn, HouseAccount::FeeRevenue).await?,
        network_fees: house_balance(&mut conn, HouseAccount::NetworkFees).await?,
        bonus_expense: house_balance(&mut conn, HouseAccount::BonusExpense).await?,
        adjustments: house_balance(&mut conn, HouseAccount::Adjustments).await?,
        movements: newest(&mut conn, LISTED).await?,
    })
}
