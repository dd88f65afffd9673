//! Payments that no transaction accounts for.

use chassis::page::Page;
use proto::common::v1::ChainPayment;
use proto::wallet::v1::{ListUnclaimedPaymentsResponse, UnclaimedPayment};

use crate::app::deposit::match_payments::match_payments;
use crate::domain::observed_payment::ObservedPayment;
use crate::error::Error;
use crate::grpc::GrpcServer;

/// Payments read in one step, and maximum steps.
const STEP: i32 = 200;
const STEPS: u8 = 10;

impl GrpcServer {
    /// Looks through payments, newest first, until a page is full or enough was looked at.
    pub(super) async fn unclaimed(&self, page: &Page<i64>) -> Result<ListUnclaimedPaymentsResponse, Error> {
        let mut payments = Vec::new();
        let mut before = page.after.unwrap_or(0);
        for _ in 0..STEPS {
            let listed = self.chains.payments(before, STEP).await?;
            let observed: Vec<_> = listed.iter().map(|one| one.payment.clone().unwrap_or_default().into()).collect();
            let matched = match_payments(&self.db, &observed).await?;
            let count = listed.len();
            for (one, candidates) in listed.into_iter().zip(matched) {
                before = one.number;
                let Some(candidates) = candidates else { continue };
                let candidates = candidates.into_iter().map(Into::into).collect();
                payments.push(UnclaimedPayment { payment: one.payment, candidates });
                if payments.len() == usize::from(page.size) {
                    return Ok(ListUnclaimedPaymentsResponse { payments, next_cursor: before.to_string() });
                }
            }
            if i32::try_from(count).is_ok_and(|count| count < STEP) {
                return Ok(ListUnclaimedPaymentsResponse { payments, next_cursor: String::new() });
            }
        }
        Ok(ListUnclaimedPaymentsResponse { payments, next_cursor: before.to_string() })
    }
}

impl From<ChainPayment> for ObservedPayment {
    fn from(one: ChainPayment) -> Self {
        Self {
            chain: one.chain,
            txid: one.txid,
            vout: one.index,
            address: one.address,
            asset: one.asset,
            units: one.units,
        }
    }
}
