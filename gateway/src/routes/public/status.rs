//! What works now: public, so that members and visitors need not ask support.

use axum::extract::State;
use proto::mailer::v1::ListAnnouncementsRequest;
use proto::payment_method::v1::{ListChainsRequest, ObservedChain};
use proto::wallet::v1::{GetWithdrawalStateRequest, GetWithdrawalStateResponse};
use route_macros::{get, response};

use crate::app::App;
use crate::extract::Visitor;
use crate::http::convert::{FromProto, from_proto};
use crate::http::error::{ApiError, Errors};
use crate::http::json::{Reply, ok};
use crate::peers::clients::call_retrying;
use crate::routes::account::notices::Announcement;

/// What works now. A part that cannot be asked about is `null`.
#[response]
pub struct Status {
    #[nullable]
    withdrawals: Option<WithdrawalState>,
    /// The chains on which we watch payments.
    #[nullable]
    chains: Option<Vec<ChainState>>,
    /// What staff announce now, newest first; at most 5.
    #[nullable]
    announcements: Option<Vec<Announcement>>,
}

/// Whether members can withdraw.
#[response]
pub struct WithdrawalState {
    open: bool,
    /// The sentence that a member reads who tries. Only while paused.
    reason: Option<String>,
    /// Since when they are paused, if that is known.
    since: Option<String>,
}

/// How recent our view of a chain is.
#[response(from = ObservedChain)]
pub struct ChainState {
    #[schema(example = "bitcoin")]
    chain: String,
    /// Whether it was looked at within the last minute.
    fresh: bool,
    /// When it was last looked at. `null` if never.
    #[nullable]
    observed_at: Option<String>,
}

impl FromProto<GetWithdrawalStateResponse> for WithdrawalState {
    fn from_proto(state: GetWithdrawalStateResponse) -> Result<Self, ApiError> {
        Ok(Self {
            open: state.paused.is_empty(),
            reason: from_proto(state.paused)?,
            since: from_proto(state.paused_at)?,
        })
    }
}

/// Read what works now
///
/// Whether members can withdraw, how recent our view of each chain is, and what staff announce. Needs no session.
#[get("/status", "Status", responses((status = 200, body = Status), Errors))]
pub async fn get(State(app): State<App>, Visitor { out, .. }: Visitor) -> Reply<Status> {
    let withdrawals = async {
        let message = GetWithdrawalStateRequest {};
        from_proto(call_retrying!(app.clients.wallet_status, get_withdrawal_state, out, message)?.into_inner())
    };
    let chains = async {
        let message = ListChainsRequest {};
        from_proto(call_retrying!(app.clients.chain_status, list_chains, out, message)?.into_inner().chains)
    };
    let announcements = async {
        let message = ListAnnouncementsRequest {};
        let answer = call_retrying!(app.clients.announcements, list_announcements, out, message)?.into_inner();
        from_proto(answer.announcements)
    };
    let (withdrawals, chains, announcements) = futures::join!(withdrawals, chains, announcements);
    ok(Status { withdrawals: withdrawals.ok(), chains: chains.ok(), announcements: announcements.ok() })
}
