//! What the platform holds on chains, compared with the books in units.

use proto::common::v1 as common;
use proto::wallet::v1 as wallet;
use route_macros::{get, response};

use crate::extract::StaffMember;
use crate::http::convert::{from_proto, rate};
use crate::http::json::{Answer, Dollars, ok};
use crate::peers::clients::ask;
use crate::routes::admin::transactions::{StaffTransaction, named_by};
use crate::routes::money::transactions::payments::ChainPayment;

/// What an address of the platform holds.
#[response(from = common::HeldAtAddress)]
pub struct HeldAtAddress {
    address: String,
    /// In the smallest unit of the asset.
    units: String,
    /// When it was read last.
    #[nullable]
    at: Option<String>,
}

/// What is held of an asset.
#[response(from = wallet::Holding)]
pub struct Holding {
    /// `bitcoin`, `ethereum` or `tron`.
    chain: String,
    asset: String,
    decimals: u32,
    /// What is held, in the smallest unit of the asset; null while it is not known.
    #[nullable]
    units: Option<String>,
    /// What should be held according to the books, in the smallest unit.
    #[nullable]
    books: Option<String>,
    /// Negative if less is held than the books say.
    #[nullable]
    difference: Option<String>,
    /// The oldest reading of its addresses.
    #[nullable]
    at: Option<String>,
    /// `ok`, `warn` (more than the books say), `fail` (less) or `unknown`.
    state: String,
    /// For display: dollars for a whole unit.
    #[from(rate_micros, with = |micros: Option<i64>| micros.and_then(rate))]
    rate: Option<String>,
    rate_at: Option<String>,
    /// In dollars at that rate.
    #[schema(value_type = f64)]
    value: Option<Dollars>,
    /// Those that members share, and of those of single members that are not empty the 500 with the largest balances.
    addresses: Vec<HeldAtAddress>,
}

/// A payment from the platform.
#[response(from = common::ChainPayment)]
pub struct Outflow {
    #[serde(flatten)]
    payment: ChainPayment,
    /// The platform's address.
    address: String,
    /// Where it went; empty where the chain does not tell.
    counterparty: String,
}

/// An approved transaction whose payment does not count any more.
#[response]
pub struct UndoneTransaction {
    transaction: StaffTransaction,
    payment: ChainPayment,
    #[nullable]
    changed_at: Option<String>,
}

/// Holdings, and what does not fit the books.
#[response]
pub struct Holdings {
    /// By chain and asset.
    holdings: Vec<Holding>,
    /// Payments from the platform that no withdrawal accounts for, oldest first.
    outflows: Vec<Outflow>,
    undone: Vec<UndoneTransaction>,
}

/// Compare what is held with the books
///
/// Balances of the platform's addresses as the chains tell them, in units of each asset. A balance that was not read within ten
/// minutes is unknown. Dollars are for display.
#[get("/admin/holdings", "Back office")]
pub async fn holdings(caller: StaffMember) -> Answer<Holdings> {
    let message = wallet::GetHoldingsRequest {};
    let answer = ask!(caller.wallet_staff.get_holdings(message))?;
    let people = answer.undone.iter().filter_map(|one| one.transaction.as_ref()).flat_map(named_by);
    let people = caller.app.profiles.look_up(people).await?;
    let mut undone = Vec::new();
    for one in answer.undone {
        undone.push(UndoneTransaction {
            transaction: StaffTransaction::new(&caller.app, one.transaction.unwrap_or_default(), &people)?,
            payment: from_proto(one.payment.unwrap_or_default())?,
            changed_at: from_proto(one.changed_at)?,
        });
    }
    Ok(ok(Holdings { holdings: from_proto(answer.holdings)?, outflows: from_proto(answer.outflows)?, undone }))
}
