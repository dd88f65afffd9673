//! Movements of the operator's own money and of the cash and assets of plans, each made by two treasurers.

mod backing;

mod solvency;

use chassis::id::{PlanId, TransactionId};
use chassis::money::Cents;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::posting_kind::PostingKind;
use crate::domain::steps::Return;
use crate::domain::txid::Txid;

pub use self::backing::{Asset, Backing, OpenTrades, assets};
pub use self::solvency::Solvency;

/// The subject of movements that concern no plan, and the member of their postings.
pub const HOUSE: Uuid = Uuid::nil();

/// What moves; also the kind of the proposal and, where money of the books moves, of its posting.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MovementKind {
    /// The operator pays in.
    CapitalIn,
    /// The operator takes capital out.
    CapitalOut,
    /// Revenue is paid out.
    RevenueOut,
    /// What a network charged for transactions of the platform.
    NetworkFee,
    /// Something held is gone.
    Loss,
    /// Capital becomes cash of a plan.
    PlanFunded,
    /// Cash of a plan becomes capital again.
    PlanReturned,
    /// A plan buys something with what is held.
    PlanBought,
    /// What a plan owns was sold or paid out.
    PlanProceeds,
    /// What a plan owns cost more than it brought; its cash bears the rest.
    PlanLoss,
    /// The value of something that a plan owns was proven.
    PlanValued,
    /// What is held where no chain shows it.
    HoldingStated,
    /// From one address of the platform to another.
    Sweep,
    /// One asset was exchanged for another.
    Exchange,
    /// A payment that belongs to no transaction, or to a rejected one, went back.
    Refund,
}

impl MovementKind {
    /// The kind of its posting, which has the same name; `None` if no money of the books moves.
    #[must_use]
    pub fn posting_kind(self) -> Option<PostingKind> {
        self.into_str().parse().ok()
    }

    #[must_use]
    pub const fn is_of_plan(self) -> bool {
        matches!(
            self,
            Self::PlanFunded
                | Self::PlanReturned
                | Self::PlanBought
                | Self::PlanProceeds
                | Self::PlanLoss
                | Self::PlanValued
        )
    }

    /// Whether it names something that is owned or held elsewhere.
    #[must_use]
    pub const fn has_asset(self) -> bool {
        matches!(self, Self::PlanBought | Self::PlanProceeds | Self::PlanLoss | Self::PlanValued | Self::HoldingStated)
    }

    /// Whether its payment leaves an address of the platform.
    #[must_use]
    pub const fn is_outgoing(self) -> bool {
        !matches!(self, Self::CapitalIn | Self::PlanProceeds)
    }

    /// What has to prove it: money that comes from or goes elsewhere, a payment or a document; what is only stated, a document.
    #[must_use]
    pub const fn proof(self) -> Proof {
        match self {
            Self::PlanFunded | Self::PlanReturned => Proof::None,
            Self::PlanLoss | Self::PlanValued | Self::HoldingStated => Proof::Document,
            _ => Proof::PaymentOrDocument,
        }
    }
}

/// What a movement needs as a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    None,
    Document,
    PaymentOrDocument,
}

/// A payment on a chain, as people paste it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub network: String,
    pub txid: String,
    /// The comparable form of `txid`.
    pub txid_key: String,
    pub vout: Option<u32>,
}

impl Payment {
    #[must_use]
    pub fn new(network: String, txid: Txid) -> Self {
        let vout = txid.vout();
        Self { network, txid: txid.text, txid_key: txid.key, vout }
    }
}

/// The rejected payment of a member that a refund returned (D-M5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    pub transaction_id: TransactionId,
    /// Its reference, for people.
    pub reference: String,
    /// What arrived, on the network of the payment that went back.
    pub arrived_txid: String,
    /// The comparable form of `arrived_txid`.
    pub arrived_txid_key: String,
    pub arrived_vout: Option<u32>,
    /// Where it went: a destination that the member confirmed.
    pub currency: String,
    pub address: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memo: String,
    /// What went back as the chain shows it, e.g. `199.5 USDT`; unset where it is not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
}

impl Returned {
    /// What arrived, on the network of the payment that went back.
    #[must_use]
    pub fn arrived(&self, network: &str) -> Payment {
        Payment {
            network: network.to_owned(),
            txid: self.arrived_txid.clone(),
            txid_key: self.arrived_txid_key.clone(),
            vout: self.arrived_vout,
        }
    }
}

/// A paper that proves a movement or a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its name, number or address.
    #[serde(rename = "document")]
    pub name: String,
    /// Who issued it.
    pub issuer: String,
    /// Its date.
    #[serde(rename = "document_at", with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Where the gateway stores its file, if it has one.
    #[serde(rename = "document_file", default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// SHA-256 of what is stored, in hexadecimal.
    #[serde(rename = "document_sha256", default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What a proposal says, as its change and for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreasuryMovement {
    pub amount_cents: Cents,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<PlanId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_title: Option<String>,
    /// What the plan owns, or where something is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset: Option<String>,
    /// Which revenue is paid out: the kind of its account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The part of proceeds that the asset had cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book_cents: Option<Cents>,
    #[serde(flatten)]
    pub payment: Option<Payment>,
    #[serde(flatten)]
    pub document: Option<Document>,
    #[serde(flatten)]
    pub returned: Option<Returned>,
    pub note: String,
}

impl TreasuryMovement {
    /// What went back to a member, for them to read; `None` if it is no return.
    #[must_use]
    pub fn returned(&self, at: OffsetDateTime) -> Option<Return> {
        let (returned, payment) = (self.returned.as_ref()?, self.payment.as_ref()?);
        let what = returned.returned.clone().unwrap_or_else(|| self.amount_cents.to_string());
        Some(Return { at, what, address: returned.address.clone(), txid: payment.txid.clone() })
    }
}

/// A movement that two people made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    pub kind: MovementKind,
    pub movement: TreasuryMovement,
    pub at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use strum::VariantArray;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{Confirmed, Document, MovementKind, Payment, Returned, TreasuryMovement};

    pub(super) fn moved(kind: MovementKind, cents: i64, book: Option<i64>) -> Confirmed {
        let movement = TreasuryMovement {
            amount_cents: Cents::new(cents),
            plan_id: None,
            plan_title: None,
            asset: Some("Bonds".to_owned()),
            source: None,
            book_cents: book.map(Cents::new),
            payment: None,
            document: None,
            returned: None,
            note: String::new(),
        };
        Confirmed { kind, movement, at: OffsetDateTime::UNIX_EPOCH }
    }

    /// What is stored is read as it was.
    #[test]
    fn a_movement_is_read_as_it_was_written() {
        let Confirmed { movement, .. } = moved(MovementKind::PlanBought, 10_000, None);
        let document = Document {
            name: "Contract note 17".to_owned(),
            issuer: "Broker".to_owned(),
            at: OffsetDateTime::UNIX_EPOCH,
            file: None,
            sha256: None,
        };
        let file =
            Document { file: Some("documents/a.pdf".to_owned()), sha256: Some("ab".repeat(32)), ..document.clone() };
        let payment =
            Payment { network: "Bitcoin".to_owned(), txid: "AB".to_owned(), txid_key: "ab".to_owned(), vout: None };
        let returned = Returned {
            transaction_id: Uuid::from_u128(1).into(),
            reference: "TNX-000000".to_owned(),
            arrived_txid: "CD".to_owned(),
            arrived_txid_key: "cd".to_owned(),
            arrived_vout: Some(1),
            currency: "BTC".to_owned(),
            address: "bc1q".to_owned(),
            memo: String::new(),
            returned: None,
        };
        for (payment, document, returned) in [
            (None, None, None),
            (Some(payment.clone()), None, None),
            (None, Some(document), None),
            (None, Some(file), None),
            (Some(payment), None, Some(returned)),
        ] {
            let movement = TreasuryMovement { payment, document, returned, ..movement.clone() };
            let stored = serde_json::to_value(&movement).expect("it is written");
            assert_eq!(serde_json::from_value::<TreasuryMovement>(stored).expect("it is read"), movement);
        }
    }

    /// D-T1: each movement of money of the books has a posting of its name.
    #[test]
    fn movements_without_a_posting() {
        use MovementKind::{Exchange, HoldingStated, PlanValued, Refund, Sweep};
        let without: Vec<_> = MovementKind::VARIANTS.iter().filter(|kind| kind.posting_kind().is_none()).collect();
        assert_eq!(without, [&PlanValued, &HoldingStated, &Sweep, &Exchange, &Refund]);
    }
}
