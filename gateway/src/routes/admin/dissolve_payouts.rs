//! Payouts that were prepared together and are not sent.

use proto::wallet::v1 as wallet;
use route_macros::{post, response};

use super::payouts::{PayoutBatch, read};
use crate::extract::StaffMember;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Form};
use crate::peers::clients::keyed;

/// Payouts that are free again.
#[response]
pub struct DissolvedPayouts {
    message: &'static str,
}

/// Give up payouts that were prepared and not sent
///
/// Ends the caller's leases of all of them, or of none: others can pay or reject them. What they would have sent stays fixed until
/// they are started again, so a signed transaction that is sent after all is recognised.
#[post("/admin/payouts/dissolve", "Back office")]
pub async fn dissolve(caller: StaffMember, Keyed { value, claim }: Keyed<PayoutBatch>) -> Answer<DissolvedPayouts> {
    let mut form = Form::new();
    let message = wallet::DissolvePayoutsRequest {
        payouts: read(&mut form, &value.payouts),
        client_address: caller.client.address,
        idempotency: claim,
    };
    form.finish()?;
    let kept = keyed!(caller.treasury.dissolve_payouts(message))?;
    let message = "The payouts are free for others. Do not send what was signed for them.";
    kept.reply(|_| Ok(DissolvedPayouts { message }))
}
