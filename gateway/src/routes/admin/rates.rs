//! Rates that staff publish.

use proto::payment_method::v1::ProposeRateRequest;
use route_macros::{post, request};

use crate::extract::StaffMember;
use crate::http::idempotency::Keyed;
use crate::http::json::{Created, Field, Form, ToProto};
use crate::peers::clients::{Service, keyed};
use crate::routes::admin::proposals::Proposed;

/// A rate to publish.
#[request(to = ProposeRateRequest)]
pub struct NewRate {
    /// A currency code that quotes are made in.
    #[to(symbol)]
    #[schema(example = "BTC")]
    asset: Field<String>,
    /// Dollars for a whole unit at which deposits are valued, with up to six decimals.
    #[to(bid_micros, with = Form::millionths)]
    #[schema(example = 97312.45)]
    bid: Field<f64>,
    /// Dollars for a whole unit at which payouts are valued, with up to six decimals.
    #[to(ask_micros, with = Form::millionths)]
    #[schema(example = 97315.1)]
    ask: Field<f64>,
    /// Where the price was read.
    #[schema(example = "Kraken, order book at 12:00 UTC")]
    source: Field<String>,
    /// How long it counts from the confirmation on: 1 to 1440 minutes.
    #[schema(example = 60)]
    valid_minutes: Field<i32>,
}

/// Propose a rate
///
/// It counts where the sources of rates do not agree, or none are configured.
#[post("/admin/rates", "Back office")]
pub async fn propose(caller: StaffMember, Keyed { value, claim }: Keyed<NewRate>) -> Created<Proposed> {
    let client_address = caller.client.address;
    let message = ProposeRateRequest { client_address, idempotency: claim, ..value.to_proto()? };
    keyed!(caller.payment_method_staff.propose_rate(message))?
        .reply(|answer| Proposed::new(Service::PaymentMethod, answer.proposal))
}
