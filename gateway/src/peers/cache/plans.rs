//! Cache of the investment plans.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chassis::batch::Batch;
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use futures::future::join_all;
use proto::trade::v1::trade_service_client::TradeServiceClient;
use proto::trade::v1::{GetPlanRequest, GetPlanResponse, ListPlansRequest, Plan};

use crate::http::error::ApiError;
use crate::peers::clients::call_retrying;

/// Maximum age, because some changes of a plan have no event.
const LIFE: Duration = Duration::from_secs(10);
/// Pages of plans that are kept; more than an operator offers.
const PAGES: usize = 256;

/// Cache of the investment plans. Concurrent lookups share one call. The answer is kept until an event says that a plan
/// changed; while the broker is disconnected nothing is kept.
pub struct PlanCache {
    lookup: Batch<(), Result<Vec<Plan>, ApiError>>,
    page_lookup: Batch<String, Result<GetPlanResponse, ApiError>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_connected: bool,
    /// Counts invalidations, so that an answer to an older lookup is not kept.
    invalidations: u64,
    plans: Option<(Instant, Vec<Plan>)>,
    /// By the plan's id.
    pages: HashMap<String, (Instant, GetPlanResponse)>,
}

impl PlanCache {
    /// Must be called inside the runtime.
    #[must_use]
    pub fn new(trade: TradeServiceClient<Channel>, credential: Credential) -> Self {
        let (page_client, page_credential) = (trade.clone(), credential.clone());
        let lookup = Batch::new(move |waiting: Vec<()>| {
            let (trade, out) = (trade.clone(), Outgoing::service(&credential));
            async move {
                let answer = call_retrying!(trade, list_plans, out, ListPlansRequest {});
                vec![answer.map(|answer| answer.into_inner().plans); waiting.len()]
            }
        });
        let page_lookup = Batch::new(move |ids: Vec<String>| {
            let (trade, credential) = (page_client.clone(), page_credential.clone());
            async move {
                let mut distinct = ids.clone();
                distinct.sort_unstable();
                distinct.dedup();
                let looked_up = distinct.into_iter().map(|plan_id| {
                    let (trade, out) = (trade.clone(), Outgoing::service(&credential));
                    async move {
                        let answer = call_retrying!(trade, get_plan, out, GetPlanRequest { plan_id: plan_id.clone() });
                        (plan_id, answer.map(tonic::Response::into_inner))
                    }
                });
                let answers: HashMap<_, _> = join_all(looked_up).await.into_iter().collect();
                let lost = || Err(ApiError::internal("the lookup of a plan was dropped"));
                ids.iter().map(|id| answers.get(id).cloned().unwrap_or_else(lost)).collect()
            }
        });
        Self { lookup, page_lookup, state: Mutex::default() }
    }

    /// The plans, at most 10 seconds old. Fails if trade does not answer.
    pub async fn get(&self) -> Result<Vec<Plan>, ApiError> {
        let invalidations = {
            let state = self.state();
            if let Some((since, plans)) = &state.plans
                && since.elapsed() < LIFE
            {
                return Ok(plans.clone());
            }
            state.invalidations
        };
        let since = Instant::now();
        let plans =
            self.lookup.ask(()).await.ok_or_else(|| ApiError::internal("the lookup of plans was dropped"))??;
        let mut state = self.state();
        if state.is_connected && state.invalidations == invalidations {
            state.plans = Some((since, plans.clone()));
        }
        Ok(plans)
    }

    /// A plan with what its past says, at most 10 seconds old. Fails if there is none, or if trade does not answer.
    pub async fn page(&self, id: String) -> Result<GetPlanResponse, ApiError> {
        let invalidations = {
            let state = self.state();
            if let Some((since, page)) = state.pages.get(&id)
                && since.elapsed() < LIFE
            {
                return Ok(page.clone());
            }
            state.invalidations
        };
        let since = Instant::now();
        let answer = self.page_lookup.ask(id.clone()).await;
        let page = answer.ok_or_else(|| ApiError::internal("the lookup of a plan was dropped"))??;
        let mut state = self.state();
        if state.is_connected && state.invalidations == invalidations {
            // An id may be written in several ways, so what is kept needs an end.
            if state.pages.len() >= PAGES {
                state.pages.clear();
            }
            state.pages.insert(id, (since, page.clone()));
        }
        Ok(page)
    }

    /// Drops what is cached, because a plan or its value changed.
    pub fn invalidate(&self) {
        let mut state = self.state();
        state.invalidations += 1;
        state.plans = None;
        state.pages.clear();
    }

    /// Records whether the broker is connected, and clears the cache because events may have been missed.
    pub fn set_connected(&self, is_connected: bool) {
        self.state().is_connected = is_connected;
        self.invalidate();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
