//! Rejected payments that go back to their members (D-M5).

use chassis::error::Refusal;
use chassis::id::MemberId;
use chassis::money::{Cents, Units};
use proto::common::v1::ChainPayment;
use proto::wallet::v1::{self as message, ProposeMovementRequest};
use time::OffsetDateTime;

use crate::app::payout::payout_state::check_payout_state;
use crate::app::review::find_returns::{confirmed_since, find_destinations, find_returns};
use crate::app::review::get_review::get;
use crate::domain::destination::PayoutAddress;
use crate::domain::observed_payment::AtDestination;
use crate::domain::steps;
use crate::domain::transaction::{MethodCopy, Status, Transaction};
use crate::domain::treasury::{Payment, Returned, TreasuryMovement};
use crate::domain::txid::Txid;
use crate::error::Error;
use crate::grpc::{GrpcServer, convert};

impl GrpcServer {
    /// The member of a rejected payment, and its return as the chain shows it, or as the treasurer states it where the chain is not
    /// observed.
    ///
    /// # Errors
    /// `NotFound`; Invalid for what was not rejected, a destination that the member did not confirm, or a payment that the chain does
    /// not show; `MemberFrozen`, `PayoutsStopped`, `CoolingOff`; Unavailable.
    pub(super) async fn returned(
        &self,
        message: ProposeMovementRequest,
    ) -> Result<(Option<MemberId>, TreasuryMovement), Error> {
        let one = get(&self.db, convert::transaction_id(&message.transaction_id)?).await?;
        let method =
            rejected(&one).ok_or_else(|| field("transactionId", "Only a rejected payment can be returned."))?;
        let to = PayoutAddress {
            currency: method.currency.clone(),
            network: method.network.clone(),
            address: message.address.trim().to_owned(),
            memo: message.memo.trim().to_owned(),
        };
        if !self.may_return(one.user_id, &to).await? {
            return Err(field("address", "The member has not confirmed this address.").into());
        }
        let arrived = Txid::parse(&message.arrived_txid, &to.network)
            .map_err(|_| field("arrivedTxid", "Please enter the transaction hash of what arrived."))?
            .at(message.arrived_vout);
        let sent = Txid::parse(&message.txid, &to.network)?.at(message.vout);
        let evidence = self.evidence(&one, Some(&arrived)).await?;
        let came = evidence.map(|evidence| came(&arrived, &evidence.payments)).transpose()?;
        let worth = came.as_ref().and_then(|came| came.value_cents).map(Cents::new);
        let amount = worth.filter(|worth| *worth > Cents::ZERO).unwrap_or(Cents::new(message.amount_cents));
        let went = match self.chains.at_destination(&to, &sent, amount).await? {
            None => None,
            Some((is_final, outputs)) => Some(went(&sent, is_final, &outputs)?),
        };
        let (arrived, returned) = match (&came, went) {
            (Some(came), Some(went)) => {
                if went.units > units(came)? {
                    return Err(field("txid", "This transaction paid more than what arrived.").into());
                }
                let what = format!("{} {}", went.units.whole(decimals(came)?), came.asset);
                (arrived.at([came.index]), Some(what))
            }
            (Some(came), None) => (arrived.at([came.index]), None),
            (None, _) => (arrived, None),
        };
        let sent = sent.at(went.map(|went| went.vout).or(message.vout));
        let returned = Returned {
            transaction_id: one.id,
            reference: one.reference(),
            arrived_vout: arrived.vout(),
            arrived_txid: arrived.text,
            arrived_txid_key: arrived.key,
            currency: to.currency,
            address: to.address,
            memo: to.memo,
            returned,
        };
        let movement = TreasuryMovement {
            amount_cents: amount,
            plan_id: None,
            plan_title: None,
            asset: None,
            source: None,
            book_cents: None,
            payment: Some(Payment::new(to.network, sent)),
            document: None,
            returned: Some(returned),
            note: message.note.trim().to_owned(),
        };
        Ok((Some(one.user_id), movement))
    }

    /// Where a rejected payment may be returned now.
    pub(super) async fn return_to(&self, one: &Transaction) -> Result<Vec<message::Destination>, Error> {
        let Some(method) = rejected(one) else { return Ok(Vec::new()) };
        let asked = (method.currency.as_str(), method.network.as_str());
        let all = find_destinations(&self.db, one.user_id, asked).await?;
        let mut open = Vec::new();
        for to in all {
            // What waits or cannot be asked now is not offered; the proposal says why.
            if matches!(self.may_return(one.user_id, &to).await, Ok(true)) {
                open.push(message::Destination { address: to.address, memo: to.memo });
            }
        }
        Ok(open)
    }

    /// What went back of a rejected payment.
    pub(super) async fn returns(&self, one: &Transaction) -> Result<Vec<message::Step>, Error> {
        if rejected(one).is_none() {
            return Ok(Vec::new());
        }
        let found = find_returns(&self.db, &[one.id]).await?;
        Ok(found.iter().map(|(_, one)| steps::returned(one).into()).collect())
    }

    /// Whether the member confirmed a destination, and nothing keeps payouts to it waiting.
    ///
    /// # Errors
    /// `MemberFrozen`, `PayoutsStopped`, `CoolingOff`, Unavailable.
    async fn may_return(&self, user_id: MemberId, to: &PayoutAddress) -> Result<bool, Error> {
        let since = confirmed_since(&self.db, self.verifier.keys(), user_id, to).await?;
        if since.is_none() {
            return Ok(false);
        }
        let state = self.verifier.payout_state(user_id, since).await?;
        check_payout_state(&state, OffsetDateTime::now_utc())?;
        Ok(true)
    }
}

/// The method of a rejected payment.
fn rejected(one: &Transaction) -> Option<&MethodCopy> {
    one.as_payment().filter(|_| one.status == Status::Failed).map(|payment| &payment.method)
}

fn field(name: &str, sentence: &str) -> Refusal {
    Refusal::field(name, sentence)
}

/// The payment that arrived, final.
fn came(arrived: &Txid, payments: &[ChainPayment]) -> Result<ChainPayment, Refusal> {
    let is_meant = |one: &&ChainPayment| {
        one.txid == arrived.key && (arrived.outputs.is_empty() || arrived.outputs.contains(&one.index))
    };
    let meant: Vec<_> = payments.iter().filter(is_meant).collect();
    match meant[..] {
        [one] if one.state == "final" => Ok(one.clone()),
        [_] => Err(field("arrivedTxid", "This payment is not final. Return it once the network has confirmed it.")),
        [] => {
            Err(field("arrivedTxid", "No such payment arrived at the address of this request, or it is accounted for."))
        }
        _ => Err(field("arrivedVout", "Several payments arrived in this transaction. Please choose one.")),
    }
}

/// The output of a final transaction at the destination.
fn went(sent: &Txid, is_final: bool, outputs: &[AtDestination]) -> Result<AtDestination, Refusal> {
    let is_meant = |one: &&AtDestination| sent.outputs.is_empty() || sent.outputs.contains(&one.vout);
    let meant: Vec<_> = outputs.iter().filter(is_meant).collect();
    match meant[..] {
        _ if !is_final => Err(field("txid", "The network has not confirmed this transaction yet.")),
        [one] => Ok(*one),
        [] => Err(field("txid", "This transaction paid nothing to this address.")),
        _ => Err(field("vout", "This transaction paid several times to this address. Please choose one.")),
    }
}

fn units(one: &ChainPayment) -> Result<Units, Error> {
    Units::parse(&one.units).map_err(|_| Refusal::unavailable().into())
}

fn decimals(one: &ChainPayment) -> Result<u8, Error> {
    one.decimals.try_into().map_err(|_| Refusal::unavailable().into())
}
