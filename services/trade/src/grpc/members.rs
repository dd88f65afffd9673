//! Members: plans, values, their own trades, and their answer to the risk page.

use chassis::clock;
use chassis::grpc::{Reply, answer, request_id};
use chassis::id::{MemberId, PlanId};
use chassis::idempotency::{Answer, Claim};
use chassis::money::Cents;
use chassis::permission::MemberAct;
use proto::common::v1::Idempotency;
use proto::trade::v1::trade_service_server::TradeService;
use proto::trade::v1::{
    AnswerRiskRequest, AnswerRiskResponse, BatchListPlanValuesRequest, BatchListPlanValuesResponse, ClaimTradeRequest,
    ClaimTradeResponse, CloseTradeRequest, CloseTradeResponse, CreateTradeRequest, CreateTradeResponse, GetPlanRequest,
    GetPlanResponse, GetRiskAnswerRequest, GetRiskAnswerResponse, ListPlanValuesRequest, ListPlanValuesResponse,
    ListPlansRequest, ListPlansResponse, ListTradesRequest, ListTradesResponse, Plan, PlanValue, Trade,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::answer_risk::{VERSION, answer_risk, find_risk_answer};
use crate::app::claim_trade::claim_trade;
use crate::app::close_trade::close_trade;
use crate::app::create_trade::{CreateTrade, create_trade};
use crate::app::get_plan::get_plan;
use crate::app::list_plan_values::{batch_list_plan_values, list_plan_values};
use crate::app::list_plans::list_plans;
use crate::app::list_trades::{Which, list_trades};
use crate::error::Error;

#[tonic::async_trait]
impl TradeService for GrpcServer {
    async fn list_plans(&self, request: Request<ListPlansRequest>) -> Reply<ListPlansResponse> {
        self.verifier.visitor(request.metadata())?;
        let plans = list_plans(&self.db).await?;
        Ok(Response::new(ListPlansResponse { plans: plans.into_iter().map(Plan::from).collect() }))
    }

    async fn get_plan(&self, request: Request<GetPlanRequest>) -> Reply<GetPlanResponse> {
        self.verifier.visitor(request.metadata())?;
        let plan_id = convert::plan_id(&request.into_inner().plan_id)?;
        let (plan, facts) = get_plan(&self.db, plan_id).await?;
        Ok(Response::new(GetPlanResponse { plan: Some(plan.into()), facts: Some(facts.into()) }))
    }

    async fn list_plan_values(&self, request: Request<ListPlanValuesRequest>) -> Reply<ListPlanValuesResponse> {
        self.verifier.visitor(request.metadata())?;
        let plan_id = convert::plan_id(&request.into_inner().plan_id)?;
        let values = list_plan_values(&self.db, plan_id).await?;
        Ok(Response::new(ListPlanValuesResponse { values: values.into_iter().map(PlanValue::from).collect() }))
    }

    async fn batch_list_plan_values(
        &self,
        request: Request<BatchListPlanValuesRequest>,
    ) -> Reply<BatchListPlanValuesResponse> {
        self.verifier.visitor(request.metadata())?;
        let request = request.into_inner();
        // Text that is no id names no plan.
        let plan_ids: Vec<PlanId> = request.plan_ids.iter().filter_map(|id| id.parse().ok()).collect();
        let points = (request.points > 0).then_some(i64::from(request.points));
        let values = batch_list_plan_values(&self.db, &plan_ids, points).await?;
        Ok(Response::new(BatchListPlanValuesResponse { plans: convert::values_of_plans(values) }))
    }

    async fn create_trade(&self, request: Request<CreateTradeRequest>) -> Reply<CreateTradeResponse> {
        let opened = self.create(request).await?;
        Ok(answer(opened.map(|trade| CreateTradeResponse { trade: Some(trade) })))
    }

    async fn claim_trade(&self, request: Request<ClaimTradeRequest>) -> Reply<ClaimTradeResponse> {
        let claimed = self.claim(request).await?;
        Ok(answer(claimed.map(|trade| ClaimTradeResponse { trade: Some(trade) })))
    }

    async fn close_trade(&self, request: Request<CloseTradeRequest>) -> Reply<CloseTradeResponse> {
        let closed = self.close(request).await?;
        Ok(answer(closed.map(|trade| CloseTradeResponse { trade: Some(trade) })))
    }

    async fn list_trades(&self, request: Request<ListTradesRequest>) -> Reply<ListTradesResponse> {
        let trades = self.list(request).await?;
        Ok(Response::new(ListTradesResponse { trades }))
    }

    async fn get_risk_answer(&self, request: Request<GetRiskAnswerRequest>) -> Reply<GetRiskAnswerResponse> {
        let user_id = self.reader(request.metadata()).await?;
        let answered_at = find_risk_answer(&self.db, user_id).await?.map(clock::to_proto);
        Ok(Response::new(GetRiskAnswerResponse { version: VERSION, answered_at }))
    }

    async fn answer_risk(&self, request: Request<AnswerRiskRequest>) -> Reply<AnswerRiskResponse> {
        let user_id = self.actor(request.metadata()).await?;
        let answered_at = answer_risk(&self.db, user_id, request.get_ref().version).await?;
        Ok(Response::new(AnswerRiskResponse { answered_at: Some(clock::to_proto(answered_at)) }))
    }
}

impl GrpcServer {
    async fn create(&self, request: Request<CreateTradeRequest>) -> Result<Answer<Trade>, Error> {
        let user_id = self.actor(request.metadata()).await?;
        let claim = claim_of(user_id, request.metadata(), request.get_ref().idempotency.as_ref())?;
        let message = request.into_inner();
        let command = CreateTrade {
            user_id,
            plan_id: convert::plan_id(&message.plan_id)?,
            amount: Cents::new(message.amount_cents),
        };
        shown(create_trade(&self.db, &self.wallet, &command, claim).await?)
    }

    async fn claim(&self, request: Request<ClaimTradeRequest>) -> Result<Answer<Trade>, Error> {
        let user_id = self.actor(request.metadata()).await?;
        let claim = claim_of(user_id, request.metadata(), request.get_ref().idempotency.as_ref())?;
        let trade_id = convert::trade_id(&request.get_ref().trade_id)?;
        shown(claim_trade(&self.db, &self.wallet, user_id, trade_id, claim).await?)
    }

    async fn close(&self, request: Request<CloseTradeRequest>) -> Result<Answer<Trade>, Error> {
        let user_id = self.actor(request.metadata()).await?;
        let claim = claim_of(user_id, request.metadata(), request.get_ref().idempotency.as_ref())?;
        let trade_id = convert::trade_id(&request.get_ref().trade_id)?;
        shown(close_trade(&self.db, &self.wallet, user_id, trade_id, claim).await?)
    }

    async fn list(&self, request: Request<ListTradesRequest>) -> Result<Vec<Trade>, Error> {
        let user_id = self.reader(request.metadata()).await?;
        let which = if request.get_ref().include_ended { Which::All } else { Which::Open };
        list_trades(&self.db, user_id, which).await?.into_iter().map(convert::trade).collect()
    }

    async fn reader(&self, metadata: &MetadataMap) -> Result<MemberId, Error> {
        Ok(self.verifier.session(metadata).await?.reader()?.member_id())
    }

    async fn actor(&self, metadata: &MetadataMap) -> Result<MemberId, Error> {
        Ok(self.verifier.member(metadata, MemberAct::Trade).await?.member_id())
    }
}

fn claim_of(user_id: MemberId, metadata: &MetadataMap, message: Option<&Idempotency>) -> Result<Option<Claim>, Error> {
    Ok(Claim::of(user_id, message, request_id(metadata))?)
}

fn shown(answer: Answer<crate::domain::trade::Trade>) -> Result<Answer<Trade>, Error> {
    Ok(Answer { result: convert::trade(answer.result)?, replayed: answer.replayed })
}
