//! Brings the cash of a plan to the bucket in which it is due: gains are paid in the bucket of their member (D-T2).

use chassis::across;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, PlanId};
use chassis::money::Cents;
use uuid::Uuid;

use crate::domain::account::{AccountRef, HouseAccount, PlanAccount};
use crate::domain::posting_kind::{Cause, PostingKind};
use crate::error::Error;
use crate::posting::{self, Posting};
use crate::store::cash_transfers;

/// Brings cash of a plan to the bucket of this database until it has this much. `false`, and nothing moves, if the plan has less.
pub async fn collect_cash(db: &Db, plan_id: PlanId, wanted: Cents) -> Result<bool, Error> {
    let mut tx = db.begin().await?;
    let is_there = collect(&mut tx, db.home().bucket, plan_id, wanted).await?;
    tx.commit().await?;
    Ok(is_there)
}

/// The same within a transaction, which is in the bucket afterwards.
pub async fn collect(conn: &mut PgConnection, to: u16, plan_id: PlanId, wanted: Cents) -> Result<bool, Error> {
    if conn.buckets() == 1 {
        return Ok(true);
    }
    // One after the other, so that two do not wait for each other's accounts.
    posting::lock_treasury(conn).await?;
    let cash = across!(conn, cash_transfers::lock_cash(conn, plan_id));
    let mut missing = wanted.minus(cash.get(usize::from(to)).copied().unwrap_or_default())?;
    let mut transfers = Vec::new();
    for (from, has) in (0..).zip(cash).filter(|(from, has)| *from != to && *has > Cents::ZERO) {
        if missing <= Cents::ZERO {
            break;
        }
        let amount = amount(missing, has, conn.buckets())?;
        missing = missing.minus(amount)?;
        transfers.push((from, amount));
    }
    let is_there = missing <= Cents::ZERO;
    for (from, amount) in transfers.into_iter().filter(|_| is_there) {
        transfer(conn, plan_id, (from, to), amount).await?;
    }
    conn.enter(to).await?;
    Ok(is_there)
}

/// What one bucket gives: what is missing, and a share of the rest, so that the next gain finds some.
fn amount(missing: Cents, has: Cents, buckets: u16) -> Result<Cents, Error> {
    if has <= missing {
        return Ok(has);
    }
    let rest = has.minus(missing)?;
    Ok(missing.plus(Cents::new(rest.get() / i64::from(buckets)))?)
}

async fn transfer(
    conn: &mut PgConnection,
    plan_id: PlanId,
    (from, to): (u16, u16),
    amount: Cents,
) -> Result<(), Error> {
    let id = Uuid::now_v7();
    cash_transfers::insert(conn, id, plan_id, (from, to), amount).await?;
    let (cash, transit) = (AccountRef::Plan(plan_id, PlanAccount::Cash), AccountRef::House(HouseAccount::Transit));
    let (cause, subject) = (Cause::CashTransfer(id), MemberId::new(plan_id.get()));
    for (bucket, kind, way) in
        [(from, PostingKind::CashOut, (cash, transit)), (to, PostingKind::CashIn, (transit, cash))]
    {
        conn.enter(bucket).await?;
        posting::post(conn, &[Posting::transfer(kind, cause, subject, way, amount)?]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;

    use super::amount;

    /// [D-T2] A bucket never gives more than it has, and keeps most of what is not missing.
    #[test]
    fn a_bucket_gives_what_is_missing_and_a_share() {
        let given = |missing, has| amount(Cents::new(missing), Cents::new(has), 8).unwrap().get();
        assert_eq!([given(5, 3), given(5, 5), given(5, 12), given(5, 85)], [3, 5, 5, 15]);
    }
}
