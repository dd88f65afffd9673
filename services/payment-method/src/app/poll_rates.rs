//! Asks the sources of rates, and reports whether there are any.

use chassis::clock;
use chassis::db::Db;
use futures::future::join_all;

use crate::app::get_quote_terms::{get_quote_terms, in_use};
use crate::clients::RateSource;
use crate::domain::rate::NoRate;
use crate::error::Error;
use crate::store::{rate_points, rate_polls};

/// Asks every source for the assets in use, unless another process did so just now. What fails is left out.
pub async fn poll_rates(db: &Db, sources: &[RateSource]) -> Result<(), Error> {
    let mut conn = db.conn().await?;
    if sources.is_empty() || !rate_polls::begin(&mut conn).await? {
        return Ok(());
    }
    let now = clock::now(&mut conn).await?;
    let mut symbols: Vec<_> = in_use(&mut conn).await?.into_iter().map(|(asset, _)| asset.symbol).collect();
    drop(conn);
    symbols.sort();
    symbols.dedup();
    let asked = sources.iter().flat_map(|source| symbols.iter().map(move |symbol| (source, symbol)));
    let answers = join_all(asked.map(|(source, symbol)| async move {
        let answer = source.fetch(symbol, now).await;
        if let Err(error) = &answer {
            metrics::counter!("rate_source_failures_total", "source" => source.name()).increment(1);
            tracing::warn!(source = source.name(), %symbol, %error, "a source has no rate");
        }
        answer.ok()
    }));
    let readings: Vec<_> = answers.await.into_iter().flatten().collect();
    // As old as the question: what the answer took is no fresher.
    rate_points::insert(&mut *db.conn().await?, &readings, now).await
}

/// Reports by asset whether there is a rate, and why not. Nothing where no rate is to be expected: without sources, and where
/// nobody publishes any.
pub async fn observe_rates(db: &Db, has_sources: bool) -> Result<(), Error> {
    for quotable in get_quote_terms(db).await? {
        let symbol = quotable.asset.symbol;
        let is_expected = has_sources || rate_points::was_published(&mut *db.conn().await?, &symbol).await?;
        if !is_expected {
            continue;
        }
        for reason in [NoRate::Missing, NoRate::Disputed, NoRate::OffPeg] {
            let is_so = quotable.rate.as_ref().err() == Some(&reason);
            metrics::gauge!("rate_unavailable", "asset" => symbol.clone(), "reason" => reason.into_str())
                .set(u8::from(is_so));
        }
    }
    Ok(())
}
