//! The bridge between the books and the chains: what transactions consume, and what payment-method knows to be consumed (D-N1).

use std::collections::BTreeMap;

use time::OffsetDateTime;

/// A payment that a transaction consumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumed {
    pub chain: String,
    pub txid: String,
    pub vout: i64,
    /// `in` or `out`.
    pub direction: String,
    pub consumed_at: OffsetDateTime,
}

/// Payments of one asset in one direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// As payment-method names it: `bitcoin`.
    pub chain: String,
    pub asset: String,
    /// `in` or `out`.
    pub direction: String,
}

/// What payments come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumedSum {
    pub span: Span,
    pub payments: i64,
    /// In the smallest unit.
    pub units: i128,
}

/// Sums that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub span: Span,
    /// What transactions of the wallet consume.
    pub consumed: i128,
    /// What payment-method knows to be consumed.
    pub known: i128,
}

/// Where two sums differ, in units or in the number of payments. A sum that one of them lacks is zero.
#[must_use]
pub fn differences(consumed: Vec<ConsumedSum>, known: Vec<ConsumedSum>) -> Vec<Difference> {
    let mut sums: BTreeMap<Span, [(i64, i128); 2]> = BTreeMap::new();
    for (side, all) in [consumed, known].into_iter().enumerate() {
        for one in all {
            sums.entry(one.span).or_default()[side] = (one.payments, one.units);
        }
    }
    let differing = sums.into_iter().filter(|(_, [consumed, known])| consumed != known);
    differing.map(|(span, [(_, consumed), (_, known)])| Difference { span, consumed, known }).collect()
}

impl Difference {
    /// What differs, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { span: Span { chain, asset, direction }, consumed, known } = self;
        let what = if direction == "in" { "credited" } else { "paid out" };
        format!(
            "{consumed} of the smallest unit of {asset} on {chain} were {what}, and the payments that were observed for it come to \
             {known}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{ConsumedSum, Span, differences};

    fn sum(asset: &str, direction: &str, payments: i64, units: i128) -> ConsumedSum {
        let span = Span { chain: "tron".to_owned(), asset: asset.to_owned(), direction: direction.to_owned() };
        ConsumedSum { span, payments, units }
    }

    /// [D-N1] Both directions and assets are compared each by itself, and what one side lacks is a difference.
    #[test]
    fn every_difference_is_found() {
        let books = || vec![sum("USDT", "in", 2, 30), sum("USDT", "out", 1, 10)];
        assert_eq!(differences(books(), books()), []);
        let found = |known| {
            let found = differences(books(), known);
            found
                .into_iter()
                .map(|one| (one.span.asset, one.span.direction, one.consumed, one.known))
                .collect::<Vec<_>>()
        };
        let of = |asset: &str, direction: &str| (asset.to_owned(), direction.to_owned());
        let [usdt_in, usdt_out, btc] = [of("USDT", "in"), of("USDT", "out"), of("BTC", "in")];
        assert_eq!(
            found(vec![sum("USDT", "in", 2, 31), sum("USDT", "out", 1, 10)]),
            [(usdt_in.0.clone(), usdt_in.1.clone(), 30, 31)]
        );
        assert_eq!(found(vec![sum("USDT", "in", 3, 30), sum("USDT", "out", 1, 10)]), [(usdt_in.0, usdt_in.1, 30, 30)]);
        assert_eq!(
            found(vec![sum("BTC", "in", 1, 5), sum("USDT", "in", 2, 30)]),
            [(btc.0, btc.1, 0, 5), (usdt_out.0, usdt_out.1, 10, 0)]
        );
    }
}
