//! The addresses that members have to themselves, derived from the extended public key of a method (D-N2).

use chassis::clock;
use chassis::db::{Db, PgConnection};
use chassis::id::{MemberId, QuoteId};
use time::OffsetDateTime;

use crate::domain::deposit_key::DepositKey;
use crate::domain::method::{Derivation, Fields};
use crate::domain::network;
use crate::error::Error;
use crate::store::deposit_addresses::{self, DepositAddress};

/// An address with what it was derived from.
pub(crate) type Own = (String, Derivation);

/// The address that the member is shown without a quote, if there is one. On Bitcoin none that was paid to is shown again.
pub(crate) async fn known(
    conn: &mut PgConnection,
    (fields, key): (&Fields, &DepositKey),
    user_id: MemberId,
) -> Result<Option<Own>, Error> {
    let Some(chain) = network::chain(&fields.network) else { return Ok(None) };
    let found = deposit_addresses::current(conn, (chain, &key.plain()), user_id).await?;
    let found = found.filter(|one| !key.is_per_deposit() || one.paid_at.is_none());
    Ok(found.map(|one| own(fields, key, one)))
}

/// The same address, derived if there is none. Its index is taken in the transaction of the caller.
pub(crate) async fn current(
    conn: &mut PgConnection,
    (fields, key): (&Fields, &DepositKey),
    user_id: MemberId,
    now: OffsetDateTime,
) -> Result<Own, Error> {
    deposit_addresses::lock_member(conn, user_id).await?;
    if let Some(known) = known(conn, (fields, key), user_id).await? {
        return Ok(known);
    }
    let chain = network::chain(&fields.network).ok_or(Error::MethodUnavailable)?;
    if let Some(paid) = deposit_addresses::current(conn, (chain, &key.plain()), user_id).await? {
        deposit_addresses::retire(conn, &paid).await?;
    }
    derive(conn, (fields, key), (user_id, None), now).await
}

/// The same address, derived in a transaction of its own if there is none.
pub(crate) async fn ensure(db: &Db, place: (&Fields, &DepositKey), user_id: MemberId) -> Result<Own, Error> {
    if let Some(known) = known(&mut *db.conn().await?, place, user_id).await? {
        return Ok(known);
    }
    let mut tx = db.begin().await?;
    let now = clock::now(&mut tx).await?;
    let own = current(&mut tx, place, user_id, now).await?;
    tx.commit().await?;
    Ok(own)
}

/// The address of a quote: one of its own on Bitcoin, elsewhere the member's.
pub(crate) async fn of_quote(
    conn: &mut PgConnection,
    (fields, key): (&Fields, &DepositKey),
    (user_id, quote_id): (MemberId, QuoteId),
    now: OffsetDateTime,
) -> Result<Own, Error> {
    if key.is_per_deposit() {
        derive(conn, (fields, key), (user_id, Some(quote_id)), now).await
    } else {
        current(conn, (fields, key), user_id, now).await
    }
}

/// How the address of a quote was derived, if it is the member's own.
pub(crate) async fn derivation_of(
    conn: &mut PgConnection,
    fields: &Fields,
    address: &str,
    user_id: MemberId,
) -> Result<Option<Derivation>, Error> {
    let Some(key) = fields.deposit_key() else { return Ok(None) };
    let index = deposit_addresses::index_of(conn, address, user_id).await?;
    Ok(index.map(|index| derivation(fields, &key, index)))
}

async fn derive(
    conn: &mut PgConnection,
    (fields, key): (&Fields, &DepositKey),
    (user_id, quote_id): (MemberId, Option<QuoteId>),
    now: OffsetDateTime,
) -> Result<Own, Error> {
    let chain = network::chain(&fields.network).ok_or(Error::MethodUnavailable)?;
    let key_id = deposit_addresses::key_id(conn, (chain, &key.plain()), now).await?;
    let index = deposit_addresses::take_index(conn, key_id).await?;
    let address = key.address(index.unsigned_abs()).ok_or(Error::MethodUnavailable)?;
    let one = DepositAddress { key_id, index, address, paid_at: None };
    deposit_addresses::insert(conn, chain, &one, (user_id, quote_id), now).await?;
    Ok(own(fields, key, one))
}

fn own(fields: &Fields, key: &DepositKey, one: DepositAddress) -> Own {
    (one.address, derivation(fields, key, one.index))
}

fn derivation(fields: &Fields, key: &DepositKey, index: i32) -> Derivation {
    let index = index.unsigned_abs();
    Derivation { key: fields.address.clone(), path: key.path(index), index, per_deposit: key.is_per_deposit() }
}
