//! Reads old blocks of a chain again, after a node had returned too little (D-N7).

use chassis::clock;
use chassis::db::Db;

use crate::app::observe_chain::{Look, world, write};
use crate::clients::chain::Chain;
use crate::clients::rpc::ChainError;
use crate::error::Error;
use crate::store::{chain_cursors, holdings};

/// Stores the payments in the blocks from a height on; how many the blocks have. What is known stays as it is, and so does the
/// height that the observer goes on from.
///
/// # Errors
/// The inner error if no node can be used.
pub async fn rescan_chain(
    db: &Db,
    chain: &Chain,
    from: i64,
    spread_bps: u16,
) -> Result<Result<usize, ChainError>, Error> {
    let mut conn = db.conn().await?;
    let now = clock::now(&mut conn).await?;
    let world = world(&mut conn, chain).await?;
    drop(conn);
    let mut failure = ChainError::Late;
    for (_, node) in chain.nodes() {
        let read = async {
            node.rescan(from, world.search()).await?;
            let tip = node.tip(now).await?;
            let found = node.payments_above(from - 1, &tip, world.search()).await?;
            Ok::<_, ChainError>((tip, found))
        };
        match read.await {
            Ok((tip, found)) => {
                let count = found.len();
                let look = Look::of(tip, found);
                let mut tx = db.begin().await?;
                let Some(cursor) = chain_cursors::find(&mut tx, chain.name()).await? else { return Ok(Ok(0)) };
                if write(&mut tx, chain, &world, &look, (now, &cursor), spread_bps).await? {
                    holdings::recount(&mut tx, chain.name()).await?;
                }
                tx.commit().await?;
                return Ok(Ok(count));
            }
            Err(error) => failure = error,
        }
    }
    Ok(Err(failure))
}
