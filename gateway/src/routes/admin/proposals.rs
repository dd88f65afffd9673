//! Changes that wait for a second person, of whichever service.

use axum::extract::{Path, Query, State};
use proto::common::v1::{self as common, PageRequest, ProposalStatus};
use proto::payment_method::v1 as payment_method;
use proto::trade::v1 as trade;
use proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::caller::{SignedIn, StaffMember};
use crate::clients::{fetch, send};
use crate::error::{ApiError, Errors};
use crate::json::{Reply, field, moment, ok};
use crate::router::App;

/// The service that owns a proposal: the first part of its id on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Bonus, release, adjustment.
    Wallet,
    /// Plans and values.
    Trade,
    /// Platform methods.
    PaymentMethod,
}

impl Owner {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Wallet, "wal_"), (Self::Trade, "trd_"), (Self::PaymentMethod, "pay_")];

    fn prefix(self) -> &'static str {
        Self::ALL.into_iter().find(|(owner, _)| *owner == self).map_or("", |(_, prefix)| prefix)
    }

    fn of(id: &str) -> Result<(Self, String), ApiError> {
        Self::ALL
            .into_iter()
            .find_map(|(owner, prefix)| id.strip_prefix(prefix).map(|rest| (owner, rest.to_owned())))
            .ok_or_else(ApiError::not_found)
    }
}

/// A change that waits for a second person, or waited.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    id: String,
    /// E.g. bonus, plan.create, plan.value, payment_method.update.
    kind: String,
    /// open, confirmed or rejected.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_id: Option<String>,
    /// What would change.
    #[schema(value_type = Object)]
    change: Option<Box<RawValue>>,
    /// What it replaces.
    #[schema(value_type = Option<Object>)]
    before: Option<Box<RawValue>>,
    proposed_by: String,
    proposed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<String>,
}

impl Proposal {
    fn new(owner: Owner, proposal: common::Proposal) -> Self {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        let json = |text: String| RawValue::from_string(text).ok();
        Self {
            status: match proposal.status() {
                ProposalStatus::Confirmed => "confirmed",
                ProposalStatus::Rejected => "rejected",
                ProposalStatus::Open | ProposalStatus::Unspecified => "open",
            },
            id: format!("{}{}", owner.prefix(), proposal.id),
            kind: proposal.kind,
            subject_id: given(proposal.subject_id),
            change: json(proposal.change_json),
            before: json(proposal.before_json),
            proposed_by: proposal.proposed_by,
            proposed_at: moment(proposal.proposed_at.as_ref()),
            decided_by: given(proposal.decided_by),
            decided_at: moment(proposal.decided_at.as_ref()),
        }
    }
}

/// A proposal that was made or decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposed {
    success: bool,
    message: String,
    proposal_id: String,
    /// The thing it is about, once it exists: a plan, a method, a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_id: Option<String>,
    proposal: Proposal,
}

impl Proposed {
    /// From a service's answer.
    ///
    /// # Errors
    /// If it holds no proposal.
    pub fn new(owner: Owner, proposal: Option<common::Proposal>) -> Result<Self, ApiError> {
        let proposal = proposal.ok_or_else(|| ApiError::internal("an answer without proposal"))?;
        let message = match proposal.status() {
            ProposalStatus::Confirmed => "The proposal has taken effect.",
            ProposalStatus::Rejected => "The proposal has been rejected.",
            ProposalStatus::Open | ProposalStatus::Unspecified => "Proposed. Another person has to confirm it.",
        };
        let proposal = Proposal::new(owner, proposal);
        Ok(Self {
            success: true,
            message: message.to_owned(),
            proposal_id: proposal.id.clone(),
            subject_id: proposal.subject_id.clone(),
            proposal,
        })
    }
}

/// Which proposals.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    status: Option<String>,
}

/// Proposals.
#[derive(Debug, Serialize, ToSchema)]
pub struct Proposals {
    success: bool,
    proposals: Vec<Proposal>,
}

/// List the proposals
///
/// The newest of every service.
#[utoipa::path(get, path = "/admin/proposals", params(("status" = Option<String>, Query)),
    responses((status = 200, body = Proposals), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn list(
    State(app): State<App>,
    StaffMember(caller): StaffMember,
    Query(filter): Query<Filter>,
) -> Result<Reply<Proposals>, ApiError> {
    let status = match filter.status.as_deref() {
        None | Some("" | "all") => ProposalStatus::Unspecified,
        Some("open") => ProposalStatus::Open,
        Some("confirmed") => ProposalStatus::Confirmed,
        Some("rejected") => ProposalStatus::Rejected,
        Some(_) => return Err(field("status", "Choose open, confirmed or rejected")),
    }
    .into();
    let page = Some(PageRequest { size: 0, cursor: String::new() });
    let out = &caller.out;
    let of_wallet = async {
        let message = wallet::ListProposalsRequest { status, page: page.clone() };
        Ok::<_, ApiError>(fetch!(app.clients.wallet_staff, list_proposals, out, message)?.into_inner().proposals)
    };
    let of_trade = async {
        let message = trade::ListProposalsRequest { status, page: page.clone() };
        Ok::<_, ApiError>(fetch!(app.clients.trade_staff, list_proposals, out, message)?.into_inner().proposals)
    };
    let of_methods = async {
        let message = payment_method::ListProposalsRequest { status, page: page.clone() };
        Ok::<_, ApiError>(
            fetch!(app.clients.payment_method_staff, list_proposals, out, message)?.into_inner().proposals,
        )
    };
    let (of_wallet, of_trade, of_methods) = futures::try_join!(of_wallet, of_trade, of_methods)?;
    let mut proposals: Vec<Proposal> =
        [(Owner::Wallet, of_wallet), (Owner::Trade, of_trade), (Owner::PaymentMethod, of_methods)]
            .into_iter()
            .flat_map(|(owner, list)| list.into_iter().map(move |proposal| Proposal::new(owner, proposal)))
            .collect();
    proposals.sort_by(|one, other| other.proposed_at.cmp(&one.proposed_at));
    Ok(ok(Proposals { success: true, proposals }))
}

/// Confirm a proposal
#[utoipa::path(post, path = "/admin/proposals/{id}/confirm", params(("id" = String, Path)),
    responses((status = 200, body = Proposed), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn confirm(
    State(app): State<App>,
    StaffMember(SignedIn { client, out, .. }): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<Proposed>, ApiError> {
    let (owner, proposal_id) = Owner::of(&id)?;
    let client_address = client.address;
    let proposal = match owner {
        Owner::Wallet => {
            let message = wallet::ConfirmProposalRequest { proposal_id, client_address };
            send!(app.clients.wallet_staff, confirm_proposal, out, message)?.into_inner().proposal
        }
        Owner::Trade => {
            let message = trade::ConfirmProposalRequest { proposal_id, client_address };
            let confirmed = send!(app.clients.trade_staff, confirm_proposal, out, message)?;
            app.offers.forget();
            confirmed.into_inner().proposal
        }
        Owner::PaymentMethod => {
            let message = payment_method::ConfirmProposalRequest { proposal_id, client_address };
            send!(app.clients.payment_method_staff, confirm_proposal, out, message)?.into_inner().proposal
        }
    };
    Ok(ok(Proposed::new(owner, proposal)?))
}

/// Reject a proposal
#[utoipa::path(post, path = "/admin/proposals/{id}/reject", params(("id" = String, Path)),
    responses((status = 200, body = Proposed), Errors), security(("bearer" = [])), tag = "Back office")]
pub async fn reject(
    State(app): State<App>,
    StaffMember(SignedIn { client, out, .. }): StaffMember,
    Path(id): Path<String>,
) -> Result<Reply<Proposed>, ApiError> {
    let (owner, proposal_id) = Owner::of(&id)?;
    let client_address = client.address;
    let proposal = match owner {
        Owner::Wallet => {
            let message = wallet::RejectProposalRequest { proposal_id, client_address };
            send!(app.clients.wallet_staff, reject_proposal, out, message)?.into_inner().proposal
        }
        Owner::Trade => {
            let message = trade::RejectProposalRequest { proposal_id, client_address };
            send!(app.clients.trade_staff, reject_proposal, out, message)?.into_inner().proposal
        }
        Owner::PaymentMethod => {
            let message = payment_method::RejectProposalRequest { proposal_id, client_address };
            send!(app.clients.payment_method_staff, reject_proposal, out, message)?.into_inner().proposal
        }
    };
    Ok(ok(Proposed::new(owner, proposal)?))
}
