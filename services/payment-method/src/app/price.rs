//! The price of an asset at a moment (D-N3).

use chassis::db::PgConnection;
use time::OffsetDateTime;

use crate::domain::quote::Asset;
use crate::domain::rate::{Agreed, NoRate, agree};
use crate::error::Error;
use crate::store::rate_points;

/// The price at a moment, of which nothing newer counts; the same at any later time. The inner error is why there is none.
pub async fn price(
    conn: &mut PgConnection,
    asset: &Asset,
    at: OffsetDateTime,
) -> Result<Result<Agreed, NoRate>, Error> {
    let points = rate_points::recent(conn, &asset.symbol, at).await?;
    Ok(agree(&points, asset.pegged, at))
}
