//! Proposals of all services: changes that a second person has to confirm.

mod change;

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use chassis::grpc::Outgoing;
use futures::future::try_join_all;
use proto::common::v1::{
    self as common, ConfirmProposalRequest, ListProposalsRequest, PageRequest, ProposalStatus, RejectProposalRequest,
};
use route_macros::{get, post, response};
use serde::Deserialize;
use serde_json::value::RawValue;
use time::OffsetDateTime;

use crate::app::App;
use crate::extract::StaffMember;
use crate::http::convert::{choice, from_proto, required};
use crate::http::error::{ApiError, Errors};
use crate::http::idempotency::Key;
use crate::http::json::{Answer, inert, ok};
use crate::http::names::{ListFormat, Permission, ProposalFilter};
use crate::peers::cache::profiles::People;
use crate::peers::clients::{Service, call_keyed, call_retrying};
use crate::routes::admin::csv_file::{CsvFile, MOST_ROWS, is_csv, word};

/// State of a proposal.
#[response(from = ProposalStatus)]
#[schema(as = ProposalStatus)]
pub enum Status {
    Open,
    Confirmed,
    Rejected,
    Expired,
}

/// A change that a second person has to confirm.
#[response(from = common::Proposal)]
pub struct Proposal {
    id: String,
    /// The kind of change, e.g. `bonus`, `plan.create`, `plan.value`, `payment_method.update`, `rate.publish`,
    /// `staff.invite`.
    kind: String,
    status: Status,
    subject_id: Option<String>,
    /// The new values, in the names and units of the request that proposed them.
    #[from(change_json, with = |json: String| change::on_the_wire(&json))]
    #[schema(value_type = BTreeMap<String, Value>)]
    #[nullable]
    change: Option<Box<RawValue>>,
    /// The values that it replaces.
    #[from(before_json, with = |json: String| change::on_the_wire(&json))]
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    #[nullable]
    before: Option<Box<RawValue>>,
    proposed_by: String,
    /// Name of the proposer, only in lists.
    #[from(skip)]
    proposed_by_name: Option<String>,
    #[nullable]
    proposed_at: Option<String>,
    decided_by: Option<String>,
    /// Name of the person who decided, only in lists.
    #[from(skip)]
    decided_by_name: Option<String>,
    decided_at: Option<String>,
    /// The stored file of its document, for 15 minutes; only in lists.
    #[from(skip)]
    document_link: Option<String>,
    /// Until when it can be decided.
    #[nullable]
    expires_at: Option<String>,
    /// The permission to decide it.
    #[schema(value_type = Permission)]
    permission: String,
    /// Why it cannot be confirmed now, while it is open; only in lists.
    blocker: Option<ProposalBlocker>,
}

/// What confirming a proposal would be refused with.
#[response(from = common::ProposalBlocker)]
pub struct ProposalBlocker {
    code: String,
    message: String,
}

impl Proposal {
    fn new(service: Service, proposal: common::Proposal) -> Result<Self, ApiError> {
        Ok(Self { id: format!("{}{}", service.prefix(), proposal.id), ..from_proto(proposal)? })
    }

    fn named(self, people: &People) -> Self {
        Self {
            proposed_by_name: people.name(&self.proposed_by),
            decided_by_name: self.decided_by.as_deref().and_then(|id| people.name(id)),
            ..self
        }
    }
}

/// A proposal that was opened or decided.
#[response]
pub struct Proposed {
    message: String,
    proposal_id: String,
    /// Id of the plan, method or member that changes, once it exists.
    subject_id: Option<String>,
    proposal: Proposal,
}

impl Proposed {
    /// Converts the proposal in a service's response. The error is 500 if there is none.
    pub fn new(service: Service, proposal: Option<common::Proposal>) -> Result<Self, ApiError> {
        let proposal = required(proposal, "a proposal")?;
        let message = match proposal.status() {
            ProposalStatus::Confirmed => "The proposal has taken effect.",
            ProposalStatus::Rejected => "The proposal has been rejected.",
            ProposalStatus::Open | ProposalStatus::Unspecified | ProposalStatus::Expired => {
                "Proposed. Another person has to confirm it."
            }
        };
        let proposal = Proposal::new(service, proposal)?;
        Ok(Self {
            message: message.to_owned(),
            proposal_id: proposal.id.clone(),
            subject_id: proposal.subject_id.clone(),
            proposal,
        })
    }
}

/// The status and the page.
#[derive(Debug, Default, Deserialize)]
pub struct Filter {
    status: Option<String>,
    cursor: Option<String>,
    format: Option<String>,
}

/// Proposals on a page.
const PAGE: i32 = 100;

/// A page of proposals, newest first.
#[response]
pub struct Proposals {
    proposals: Vec<Proposal>,
    next_cursor: Option<String>,
}

/// List the proposals
///
/// Of every service, newest first, with the names of who proposed and decided them. `format=csv` answers those that match as
/// one file of at most 100,000.
#[get("/admin/proposals", "Back office",
    params(("status" = inline(Option<ProposalFilter>), Query),
        ("cursor" = Option<String>, Query), ("format" = inline(Option<ListFormat>), Query)),
    responses((status = 200, content((Proposals = "application/json"), (String = "text/csv"))), Errors))]
pub async fn list(caller: StaffMember, Query(filter): Query<Filter>) -> Result<Response, ApiError> {
    let status = choice::<Status>("status", filter.status.as_deref())?;
    let cursor = filter.cursor.unwrap_or_default();
    if is_csv(filter.format.as_deref())? {
        return file(caller.app, caller.out, status, cursor).await;
    }
    let (proposals, next_cursor) = read(&caller.app, &caller.out, status, cursor).await?;
    Ok(ok(Proposals { proposals, next_cursor: from_proto(next_cursor)? }).into_response())
}

/// A page of those that match, and the cursor of the next.
async fn read(
    app: &App,
    out: &Outgoing,
    status: ProposalStatus,
    cursor: String,
) -> Result<(Vec<Proposal>, String), ApiError> {
    let mut rows = of_every_service(app, out, status.into(), PageRequest { size: PAGE, cursor }).await?;
    // Ids are UUIDv7: one order over the services, and one cursor into each of them.
    rows.sort_by(|(_, one), (_, other)| other.id.cmp(&one.id));
    let size = usize::try_from(PAGE).unwrap_or_default();
    let has_more = rows.len() > size;
    rows.truncate(size);
    let next_cursor = rows.last().filter(|_| has_more).map(|(_, last)| last.id.clone()).unwrap_or_default();
    Ok((named(app, rows).await?, next_cursor))
}

async fn file(app: App, out: Outgoing, status: ProposalStatus, cursor: String) -> Result<Response, ApiError> {
    let file = CsvFile { name: "solvane-proposals".to_owned(), columns: COLUMNS.to_vec(), most: MOST_ROWS };
    let read = move |cursor| {
        let (app, out) = (app.clone(), out.clone());
        async move {
            let (rows, next) = read(&app, &out, status, cursor).await?;
            Ok((rows.into_iter().map(columns).collect(), next))
        }
    };
    file.respond(cursor, read).await
}

const COLUMNS: [&str; 11] = [
    "id",
    "kind",
    "status",
    "subjectId",
    "change",
    "before",
    "proposedAt",
    "proposedByName",
    "decidedAt",
    "decidedByName",
    "expiresAt",
];

fn columns(one: Proposal) -> Vec<String> {
    let json = |value: Option<Box<RawValue>>| inert(value.map(|value| value.get().to_owned()).unwrap_or_default());
    let name = |name: Option<String>, id: Option<String>| inert(name.or(id).unwrap_or_default());
    vec![
        one.id,
        inert(one.kind),
        word(one.status),
        inert(one.subject_id.unwrap_or_default()),
        json(one.change),
        json(one.before),
        one.proposed_at.unwrap_or_default(),
        name(one.proposed_by_name, Some(one.proposed_by)),
        one.decided_at.unwrap_or_default(),
        name(one.decided_by_name, one.decided_by),
        one.expires_at.unwrap_or_default(),
    ]
}

/// Proposals with the names of the people who made and decided them, and the links to their documents.
pub async fn named(app: &App, rows: Vec<(Service, common::Proposal)>) -> Result<Vec<Proposal>, ApiError> {
    let people = rows.iter().flat_map(|(_, row)| [row.proposed_by.clone(), row.decided_by.clone()]);
    let people = app.profiles.look_up(people).await?;
    let now = OffsetDateTime::now_utc();
    let told = |(service, row): (Service, common::Proposal)| {
        let document_link = change::document(&row.change_json).map(|key| app.files.private_link(&key, &row.id, now));
        Ok(Proposal { document_link, ..Proposal::new(service, row)?.named(&people) })
    };
    rows.into_iter().map(told).collect()
}

/// A page of each service, with one row more if another page follows.
async fn of_every_service(
    app: &App,
    out: &Outgoing,
    status: i32,
    page: PageRequest,
) -> Result<Vec<(Service, common::Proposal)>, ApiError> {
    let page = Some(PageRequest { size: page.size + 1, ..page });
    let page = &page;
    let of_each = Service::WITH_PROPOSALS.map(|service| async move {
        let client = &app.clients.of(service)?.proposals;
        let message = ListProposalsRequest { status, page: page.clone() };
        let found = call_retrying!(client, list_proposals, out, message)?.into_inner();
        Ok::<_, ApiError>(found.proposals.into_iter().map(move |proposal| (service, proposal)))
    });
    Ok(try_join_all(of_each).await?.into_iter().flatten().collect())
}

/// Confirm a proposal
#[post("/admin/proposals/{id}/confirm", "Back office")]
pub async fn confirm(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<Proposed> {
    decide(caller, &id, key, Decision::Confirm).await
}

/// Reject a proposal
#[post("/admin/proposals/{id}/reject", "Back office")]
pub async fn reject(caller: StaffMember, Path(id): Path<String>, key: Key) -> Answer<Proposed> {
    decide(caller, &id, key, Decision::Reject).await
}

enum Decision {
    Confirm,
    Reject,
}

/// Has the service that owns the proposal decide it.
async fn decide(caller: StaffMember, id: &str, key: Key, decision: Decision) -> Answer<Proposed> {
    let (service, id) = Service::of_id(&Service::WITH_PROPOSALS, id).ok_or_else(ApiError::not_found)?;
    let (proposal_id, client_address) = (id.to_owned(), caller.client.address);
    let idempotency = key.bodyless();
    let client = &caller.app.clients.of(service)?.proposals;
    match decision {
        Decision::Confirm => {
            let message = ConfirmProposalRequest { proposal_id, client_address, idempotency };
            let kept = call_keyed!(client, confirm_proposal, caller.out, message)?;
            if service == Service::Trade {
                caller.app.plans.invalidate();
            }
            kept.reply(|answer| Proposed::new(service, answer.proposal))
        }
        Decision::Reject => {
            let message = RejectProposalRequest { proposal_id, client_address, idempotency };
            let kept = call_keyed!(client, reject_proposal, caller.out, message)?;
            kept.reply(|answer| Proposed::new(service, answer.proposal))
        }
    }
}
