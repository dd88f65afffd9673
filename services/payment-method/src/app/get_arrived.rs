//! A payment that arrived at an own address of a member, for a deposit to be made of it (D-N2).

use chassis::db::Db;
use chassis::id::MemberId;

use crate::app::list_payments::{Arrival, arrivals};
use crate::domain::method::Method;
use crate::domain::network;
use crate::domain::payment::{State, Way};
use crate::error::Error;
use crate::store::{chain_payments, methods};

/// With the active method of its currency and network, at the address that was paid.
///
/// # Errors
/// `NotFound` if nothing that counts arrived there at an own address of this member; `MethodUnavailable` if no active method is of
/// its currency and network.
pub async fn get_arrived(
    db: &Db,
    user_id: MemberId,
    (chain, txid, index): (&str, &str, i32),
) -> Result<(Arrival, Method), Error> {
    let mut conn = db.conn().await?;
    let found = chain_payments::of_transactions(&mut conn, chain, &[txid.to_owned()]).await?;
    let found = found.into_iter().filter(|one| {
        let counts = matches!(one.state, State::Seen | State::Included | State::Final);
        (one.key.index, one.key.way) == (index, Way::In) && counts
    });
    let told = arrivals(&mut conn, found.collect()).await?;
    let arrival = told.into_iter().find(|one| one.owner == Some(user_id)).ok_or(Error::NotFound)?;
    let payment = &arrival.payment;
    let active = methods::active_platform(&mut conn).await?;
    let method = active.into_iter().find(|method| {
        network::chain(&method.fields.network) == Some(chain) && method.fields.currency == payment.symbol
    });
    let mut method = method.ok_or(Error::MethodUnavailable)?;
    method.fields.address.clone_from(&payment.address);
    Ok((arrival, method))
}
