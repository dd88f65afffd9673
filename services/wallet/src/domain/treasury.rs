//! Movements of the operator's own money and of the cash and assets of plans, each made by two treasurers.

use chassis::id::{PlanId, TransactionId};
use std::collections::BTreeMap;

use chassis::money::{AmountError, Cents};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::posting_kind::PostingKind;
use crate::domain::steps::Return;
use crate::domain::txid::Txid;

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

/// Something that is owned or held elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub name: String,
    /// What it cost.
    pub book: Cents,
    /// Its last proven value.
    pub value: Cents,
    pub proven_at: OffsetDateTime,
    /// What proves it.
    pub proof: String,
    pub issuer: String,
}

/// What movements, oldest first, left of each asset, by name.
///
/// # Errors
/// If the amounts do not fit.
pub fn assets(movements: &[Confirmed]) -> Result<Vec<Asset>, AmountError> {
    let mut assets: BTreeMap<&str, Asset> = BTreeMap::new();
    for Confirmed { kind, movement, at } in movements {
        let Some(name) = movement.asset.as_deref() else { continue };
        let document = movement.document.as_ref();
        let payment = movement.payment.as_ref().map(|payment| payment.txid.clone());
        let asset = assets.entry(name).or_insert_with(|| Asset {
            name: name.to_owned(),
            book: Cents::ZERO,
            value: Cents::ZERO,
            proven_at: *at,
            proof: String::new(),
            issuer: String::new(),
        });
        let amount = movement.amount_cents;
        (asset.book, asset.value) = match kind {
            MovementKind::PlanBought => (asset.book.plus(amount)?, asset.value.plus(amount)?),
            MovementKind::PlanProceeds => {
                let book = asset.book.minus(movement.book_cents.unwrap_or_default())?;
                (book, asset.value.minus(amount)?.max(Cents::ZERO))
            }
            MovementKind::PlanLoss => {
                let book = asset.book.minus(amount)?;
                (book, asset.value.min(book))
            }
            _ => (asset.book, amount),
        };
        asset.proven_at = document.map_or(*at, |document| document.at);
        asset.proof = document.map(|document| document.name.clone()).or(payment).unwrap_or_default();
        asset.issuer = document.map(|document| document.issuer.clone()).unwrap_or_default();
    }
    let is_there = |asset: &Asset| asset.book != Cents::ZERO || asset.value != Cents::ZERO;
    Ok(assets.into_values().filter(is_there).collect())
}

/// What stands behind a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backing {
    pub plan_id: PlanId,
    pub title: String,
    pub cash: Cents,
    pub assets: Vec<Asset>,
    /// What its open trades cost and are worth, and when trade said so.
    pub open: Option<OpenTrades>,
}

/// All open trades of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenTrades {
    pub cost: Cents,
    pub value: Cents,
    pub at: OffsetDateTime,
}

impl Backing {
    /// What the plan's assets are worth.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn value_of_assets(&self) -> Result<Cents, AmountError> {
        self.assets.iter().try_fold(Cents::ZERO, |sum, asset| sum.plus(asset.value))
    }

    fn book_of_assets(&self) -> Result<Cents, AmountError> {
        self.assets.iter().try_fold(Cents::ZERO, |sum, asset| sum.plus(asset.book))
    }

    /// What is missing for open trades of this cost and value: their cost is there as cash or as what was bought with it, and the
    /// rest has to come from the plan's cash and from what its assets are worth beyond their cost.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing(&self, cost: Cents, value: Cents) -> Result<Cents, AmountError> {
        let there = cost.plus(self.cash)?.plus(self.value_of_assets()?)?.minus(self.book_of_assets()?)?;
        Ok(value.minus(there)?.max(Cents::ZERO))
    }

    /// What is missing for the open trades as they are.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing_now(&self) -> Result<Cents, AmountError> {
        self.open.map_or(Ok(Cents::ZERO), |open| self.missing(open.cost, open.value))
    }

    /// What the plan may still buy assets with: what members put in, and its own cash, without what was spent on assets.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn to_spend(&self) -> Result<Cents, AmountError> {
        let cost = self.open.map_or(Cents::ZERO, |open| open.cost);
        cost.plus(self.cash)?.minus(self.book_of_assets()?)
    }
}

/// What is owed to members beside what is held for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solvency {
    /// With the gains.
    pub owed: Cents,
    /// Gains of open trades that were not taken.
    pub gains: Cents,
    /// With the assets and what is stated.
    pub held: Cents,
    /// What plans own.
    pub assets: Cents,
    /// What is held where no chain shows it.
    pub stated: Cents,
    /// Whether what chains show is part of it.
    pub is_observed: bool,
}

impl Solvency {
    /// What is missing beyond this tolerance.
    ///
    /// # Errors
    /// If the amounts do not fit.
    pub fn missing(&self, tolerance: Cents) -> Result<Cents, AmountError> {
        let missing = self.owed.minus(self.held)?;
        Ok(if missing > tolerance { missing } else { Cents::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use chassis::money::Cents;
    use strum::VariantArray;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{Backing, Confirmed, Document, MovementKind, Payment, Returned, TreasuryMovement, assets};

    fn moved(kind: MovementKind, cents: i64, book: Option<i64>) -> Confirmed {
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

    fn left(movements: &[Confirmed]) -> Vec<(i64, i64)> {
        let assets = assets(movements).expect("small amounts");
        assets.iter().map(|asset| (asset.book.get(), asset.value.get())).collect()
    }

    /// D-T1, D-T3: an asset counts at its last proven value, and a loss is written off once.
    #[test]
    fn assets_are_what_movements_leave() {
        let bought = moved(MovementKind::PlanBought, 10_000, None);
        let valued = moved(MovementKind::PlanValued, 13_000, None);
        assert_eq!(left(&[bought.clone(), valued.clone()]), [(10_000, 13_000)]);
        let half = moved(MovementKind::PlanProceeds, 6_500, Some(6_500));
        assert_eq!(left(&[bought.clone(), valued.clone(), half]), [(3_500, 6_500)]);
        let all = moved(MovementKind::PlanProceeds, 13_000, Some(10_000));
        assert_eq!(left(&[bought.clone(), valued.clone(), all]), []);
        let cheap = moved(MovementKind::PlanProceeds, 8_000, Some(8_000));
        let lost = moved(MovementKind::PlanLoss, 2_000, None);
        assert_eq!(left(&[bought, valued, cheap, lost]), []);
    }

    /// D-T3: the cost of trades is there, and what they gained has to come from cash or from what assets gained.
    #[test]
    fn gains_need_cash_or_assets() {
        let backed = |cash: i64, movements: &[Confirmed]| Backing {
            cash: Cents::new(cash),
            assets: assets(movements).expect("small amounts"),
            ..Backing::default()
        };
        let missing = |one: &Backing| one.missing(Cents::new(10_000), Cents::new(15_000)).expect("small amounts").get();
        assert_eq!(missing(&backed(0, &[])), 5_000);
        assert_eq!(missing(&backed(5_000, &[])), 0);
        let bought = moved(MovementKind::PlanBought, 10_000, None);
        assert_eq!(missing(&backed(1_000, std::slice::from_ref(&bought))), 4_000);
        assert_eq!(missing(&backed(1_000, &[bought.clone(), moved(MovementKind::PlanValued, 14_000, None)])), 0);
        assert_eq!(missing(&backed(1_000, &[bought, moved(MovementKind::PlanValued, 9_000, None)])), 5_000);
    }
}
