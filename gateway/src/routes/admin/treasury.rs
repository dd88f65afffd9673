//! The operator's own money, and the cash and assets of plans.

use proto::wallet::v1 as wallet;
use route_macros::{get, post, request, response};

use crate::clients::{Service, ask, keyed};
use crate::extract::StaffMember;
use crate::files::Purpose;
use crate::idempotency::Keyed;
use crate::json::{Answer, Created, Dollars, Field, Form, created, marked, moment, ok};
use crate::names::MovementKind;
use crate::routes::admin::proposals::{Proposal, Proposed, named};

/// What is owed to members beside what is held for them, in dollars.
#[response]
pub struct Solvency {
    /// The balances of members, with the gains of open trades.
    owed: Dollars,
    /// Gains of open trades that were not taken.
    gains: Dollars,
    /// What chains show at their rates and what documents state, or the books where not every asset is observed; with the assets
    /// of plans.
    held: Dollars,
    /// What plans own.
    assets: Dollars,
    /// What documents state.
    stated: Dollars,
    /// Whether what chains show is part of what is held.
    observed: bool,
    /// What is missing beyond the tolerance; 0 if nothing is.
    missing: Dollars,
}

impl From<wallet::Solvency> for Solvency {
    fn from(one: wallet::Solvency) -> Self {
        Self {
            owed: Dollars::from_cents(one.owed_cents),
            gains: Dollars::from_cents(one.gains_cents),
            held: Dollars::from_cents(one.held_cents),
            assets: Dollars::from_cents(one.assets_cents),
            stated: Dollars::from_cents(one.stated_cents),
            observed: one.is_observed,
            missing: Dollars::from_cents(one.missing_cents),
        }
    }
}

/// Something that a plan owns outside of the platform.
#[response]
pub struct PlanAsset {
    name: String,
    /// What it cost, in dollars.
    cost: Dollars,
    /// Its last proven value, in dollars.
    value: Dollars,
    #[nullable]
    proven_at: Option<String>,
    /// The document or payment that proves it.
    proof: String,
    /// Who issued the document.
    issuer: String,
}

/// What stands behind a plan.
#[response]
pub struct Backing {
    plan_id: String,
    title: String,
    /// Pays gains and takes losses, in dollars.
    cash: Dollars,
    /// What the plan owns, in dollars.
    assets_value: Dollars,
    assets: Vec<PlanAsset>,
    /// What open trades cost, in dollars.
    cost: Dollars,
    /// What they are worth, in dollars.
    value: Dollars,
    /// When both were summed up.
    #[nullable]
    at: Option<String>,
    /// What is missing for all open trades at their value, in dollars; 0 if nothing is.
    missing: Dollars,
}

impl From<wallet::PlanBacking> for Backing {
    fn from(one: wallet::PlanBacking) -> Self {
        Self {
            at: moment(one.reported_at.as_ref()),
            plan_id: one.plan_id,
            title: one.title,
            cash: Dollars::from_cents(one.cash_cents),
            assets_value: Dollars::from_cents(one.assets_cents),
            assets: one.assets.into_iter().map(Into::into).collect(),
            cost: Dollars::from_cents(one.cost_cents),
            value: Dollars::from_cents(one.value_cents),
            missing: Dollars::from_cents(one.missing_cents),
        }
    }
}

impl From<wallet::PlanAsset> for PlanAsset {
    fn from(one: wallet::PlanAsset) -> Self {
        Self {
            proven_at: moment(one.proven_at.as_ref()),
            name: one.name,
            cost: Dollars::from_cents(one.book_cents),
            value: Dollars::from_cents(one.value_cents),
            proof: one.proof,
            issuer: one.issuer,
        }
    }
}

/// The treasury.
#[response]
pub struct Treasury {
    /// What the operator put in, in dollars.
    capital: Dollars,
    course_revenue: Dollars,
    fee_revenue: Dollars,
    /// What networks charged; negative.
    network_fees: Dollars,
    /// What bonuses cost; negative.
    bonus_expense: Dollars,
    adjustments: Dollars,
    plans: Vec<Backing>,
    solvency: Solvency,
    /// Confirmed movements, newest first, at most 100.
    movements: Vec<Proposal>,
}

/// Read the treasury
#[get("/admin/treasury", "Back office")]
pub async fn get(caller: StaffMember) -> Answer<Treasury> {
    let message = wallet::GetTreasuryRequest {};
    let found = ask!(caller.treasury.get_treasury(message))?;
    Ok(ok(Treasury {
        capital: Dollars::from_cents(found.capital_cents),
        course_revenue: Dollars::from_cents(found.course_revenue_cents),
        fee_revenue: Dollars::from_cents(found.fee_revenue_cents),
        network_fees: Dollars::from_cents(found.network_fees_cents),
        bonus_expense: Dollars::from_cents(found.bonus_expense_cents),
        adjustments: Dollars::from_cents(found.adjustments_cents),
        plans: found.plans.into_iter().map(Into::into).collect(),
        solvency: found.solvency.unwrap_or_default().into(),
        movements: named(&caller.app, found.movements.into_iter().map(|one| (Service::Wallet, one)).collect()).await?,
    }))
}

/// A movement of the treasury.
#[request]
pub struct MovementRequest {
    kind: Field<MovementKind>,
    /// In dollars; may be 0 for the kinds that move no money of the books.
    #[schema(example = 25000)]
    amount: Field<f64>,
    /// The plan, for the kinds that begin with `plan_`.
    plan_id: Field<Option<String>>,
    /// What the plan owns, or where a stated holding is: a name of at most 100 characters.
    #[schema(example = "US Treasury bills")]
    asset: Field<Option<String>>,
    /// Which revenue is paid out: `course_revenue` or `fee_revenue`.
    source: Field<Option<String>>,
    /// The network of the payment.
    #[schema(example = "Bitcoin")]
    network: Field<Option<String>>,
    /// The hash of the payment, as people paste it.
    txid: Field<Option<String>>,
    /// Its output.
    vout: Field<Option<u32>>,
    /// The document that proves it, with who issued it and its date: where there is no payment.
    #[schema(example = "Contract note 17")]
    document: Field<Option<String>>,
    issuer: Field<Option<String>>,
    document_at: Field<Option<String>>,
    /// Its file: a picture or PDF as a data URL. Needed with a document.
    file: Field<Option<String>>,
    /// For the audit log, 1 to 500 characters.
    note: Field<String>,
}

/// Propose a movement of the treasury
///
/// Capital, revenue, costs, and what plans buy, sell and own. Another treasurer confirms.
#[post("/admin/treasury/movements", "Back office")]
pub async fn propose(caller: StaffMember, Keyed { value, claim }: Keyed<MovementRequest>) -> Created<Proposed> {
    let mut form = Form::new();
    let plan_id = form.text("planId", &value.plan_id);
    let plans = if plan_id.is_empty() { Vec::new() } else { caller.app.plans.get().await? };
    let plan_title = plans.into_iter().find(|plan| plan.id == plan_id).map(|plan| plan.title).unwrap_or_default();
    let mut message = wallet::ProposeMovementRequest {
        kind: form.text("kind", &value.kind),
        amount_cents: form.amount("amount", &value.amount).get(),
        plan_id,
        plan_title,
        asset: form.text("asset", &value.asset),
        source: form.text("source", &value.source),
        network: form.text("network", &value.network),
        txid: form.text("txid", &value.txid),
        vout: form.optional_index("vout", &value.vout),
        document: form.text("document", &value.document),
        issuer: form.text("issuer", &value.issuer),
        document_at: form.moment("documentAt", &value.document_at).map(chassis::clock::to_proto),
        note: form.text("note", &value.note),
        client_address: caller.client.address,
        idempotency: claim.clone(),
        file: String::new(),
        file_digest: Vec::new(),
    };
    let file = form.file("file", value.file);
    form.finish()?;
    if !file.is_empty() {
        // The sweep removes it if the proposal is refused.
        let stored = caller.app.files.store("file", file, Purpose::Document).await?;
        (message.file, message.file_digest) = (stored.key, stored.stored_digest);
    }
    let (answer, replayed) = keyed!(caller.treasury.propose_movement(message), claim)?;
    Ok(marked(replayed, created(Proposed::new(Service::Wallet, answer.proposal)?)))
}
