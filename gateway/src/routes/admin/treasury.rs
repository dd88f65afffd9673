//! The operator's own money, and the cash and assets of plans.

use proto::wallet::v1 as wallet;
use route_macros::{get, post, request, response};

use crate::extract::StaffMember;
use crate::http::convert::from_proto;
use crate::http::idempotency::Keyed;
use crate::http::json::{Answer, Created, Dollars, Field, Form, ToProto, ok};
use crate::http::names::MovementKind;
use crate::peers::clients::{Service, ask, keyed};
use crate::routes::admin::proposals::{Proposal, Proposed, named};
use crate::storage::files::Purpose;

/// What is owed to members beside what is held for them, in dollars.
#[response(from = wallet::Solvency)]
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
    #[from(is_observed)]
    observed: bool,
    /// What is missing beyond the tolerance; 0 if nothing is.
    missing: Dollars,
}

/// Something that a plan owns outside of the platform.
#[response(from = wallet::PlanAsset)]
pub struct PlanAsset {
    name: String,
    /// What it cost, in dollars.
    #[from(book_cents)]
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
#[response(from = wallet::PlanBacking)]
pub struct Backing {
    plan_id: String,
    title: String,
    /// Pays gains and takes losses, in dollars.
    cash: Dollars,
    /// What the plan owns, in dollars.
    #[from(assets_cents)]
    assets_value: Dollars,
    assets: Vec<PlanAsset>,
    /// What open trades cost, in dollars.
    cost: Dollars,
    /// What they are worth, in dollars.
    value: Dollars,
    /// When both were summed up.
    #[from(reported_at)]
    #[nullable]
    at: Option<String>,
    /// What is missing for all open trades at their value, in dollars; 0 if nothing is.
    missing: Dollars,
}

/// The treasury.
#[response(from = wallet::GetTreasuryResponse)]
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
    #[from(default)]
    solvency: Solvency,
    /// Confirmed movements, newest first, at most 100.
    #[from(skip)]
    movements: Vec<Proposal>,
}

/// Read the treasury
#[get("/admin/treasury", "Back office")]
pub async fn get(caller: StaffMember) -> Answer<Treasury> {
    let message = wallet::GetTreasuryRequest {};
    let mut found = ask!(caller.treasury.get_treasury(message))?;
    let movements = std::mem::take(&mut found.movements).into_iter().map(|one| (Service::Wallet, one));
    let movements = named(&caller.app, movements.collect()).await?;
    Ok(ok(Treasury { movements, ..from_proto(found)? }))
}

/// A movement of the treasury.
#[request(to = wallet::ProposeMovementRequest)]
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
    #[to(skip)]
    file: Field<Option<String>>,
    /// A refund: the rejected payment of a member that went back; its network is then `network`, and its amount what the chain shows.
    transaction_id: Field<Option<String>>,
    /// The hash of what arrived for it, and its output.
    arrived_txid: Field<Option<String>>,
    arrived_vout: Field<Option<u32>>,
    /// Where it went: a destination that the member confirmed.
    address: Field<Option<String>>,
    memo: Field<Option<String>>,
    /// For the audit log, 1 to 500 characters.
    note: Field<String>,
}

/// Propose a movement of the treasury
///
/// Capital, revenue, costs, and what plans buy, sell and own. Another treasurer confirms.
#[post("/admin/treasury/movements", "Back office")]
pub async fn propose(caller: StaffMember, Keyed { value, claim }: Keyed<MovementRequest>) -> Created<Proposed> {
    let mut form = Form::new();
    let mut message = wallet::ProposeMovementRequest {
        client_address: caller.client.address,
        idempotency: claim,
        ..value.fill(&mut form)
    };
    let file = form.file("file", value.file);
    form.finish()?;
    if !message.plan_id.is_empty() {
        let plan = caller.app.plans.get().await?.into_iter().find(|plan| plan.id == message.plan_id);
        message.plan_title = plan.map(|plan| plan.title).unwrap_or_default();
    }
    if !file.is_empty() {
        // The sweep removes it if the proposal is refused.
        let stored = caller.app.files.store("file", file, Purpose::Document).await?;
        (message.file, message.file_digest) = (stored.key, stored.stored_digest);
    }
    keyed!(caller.treasury.propose_movement(message))?.reply(|answer| Proposed::new(Service::Wallet, answer.proposal))
}
