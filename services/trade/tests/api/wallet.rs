//! A wallet for tests: keeps to the contract of TradeSettlementService, and loses calls or answers as set.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use chassis::error::{Kind, Refusal, refusal_to_status};
use chassis::grpc;
use chassis::identity::Verifier;
use proto::common::v1::ErrorReason;
use proto::wallet::v1::backing_service_server::{BackingService, BackingServiceServer};
use proto::wallet::v1::trade_settlement_service_server::{TradeSettlementService, TradeSettlementServiceServer};
use proto::wallet::v1::{
    CheckBackingRequest, CheckBackingResponse, FundTradeRequest, FundTradeResponse, GetBackingRequest,
    GetBackingResponse, KnownGains, ReportGainsRequest, ReportGainsResponse, ReportPlansRequest, ReportPlansResponse,
    SettleTradeRequest, SettleTradeResponse,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What goes wrong with every call, until set otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call does not arrive.
    Away,
    /// The call takes effect, its answer is lost.
    LostAnswer,
    /// The caller is not trusted.
    Distrust,
}

#[derive(Debug, Default)]
pub struct Books {
    /// What every plan has for gains, if it is limited.
    pub cash: Option<i64>,
    /// What was reported last: plan, cost and value.
    pub reported: Vec<(String, i64, i64)>,
    /// Gains that were reported: trade and cents.
    pub gains: Vec<(String, i64)>,
    /// Up to which values they are complete.
    pub gains_at: Vec<KnownGains>,
    /// Cents by member.
    pub balances: HashMap<String, i64>,
    pub trades: HashMap<String, Line>,
    fault: Option<Fault>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Not enough money; stands.
    Refused,
    /// The amount was taken.
    Funded(i64),
    /// The amount was taken, the value paid.
    Settled(i64, i64),
}

#[derive(Clone)]
pub struct FakeWallet {
    pub url: String,
    books: Arc<Mutex<Books>>,
    verifier: Verifier,
    _stop: Arc<DropGuard>,
}

impl FakeWallet {
    pub async fn start(verifier: Verifier) -> Self {
        let listener = grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let books = Arc::new(Mutex::new(Books::default()));
        let wallet = Self { url, books, verifier, _stop: Arc::new(stop.clone().drop_guard()) };
        let server = || GrpcServer { books: Arc::clone(&wallet.books), verifier: wallet.verifier.clone() };
        let routes =
            Routes::new(TradeSettlementServiceServer::new(server())).add_service(BackingServiceServer::new(server()));
        tokio::spawn(grpc::serve(listener, routes, grpc::CONNECTION_AGE, None, stop));
        wallet
    }

    pub fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }

    /// Lets every call go wrong, or none.
    pub fn fail(&self, fault: impl Into<Option<Fault>>) {
        self.books().fault = fault.into();
    }
}

struct GrpcServer {
    books: Arc<Mutex<Books>>,
    verifier: Verifier,
}

impl GrpcServer {
    fn call<T>(
        &self,
        request: &Request<T>,
        effect: impl FnOnce(&mut Books, &T) -> Result<(), Refusal>,
    ) -> Result<(), Status> {
        self.verifier.service(request.metadata(), &["trade"]).map_err(|refusal| refusal_to_status(&refusal))?;
        let mut books = self.books.lock().unwrap();
        match books.fault {
            Some(Fault::Away) => return Err(Status::unavailable("away")),
            Some(Fault::Distrust) => return Err(refusal_to_status(&chassis::identity::not_permitted())),
            Some(Fault::LostAnswer) | None => {}
        }
        let done = effect(&mut books, request.get_ref());
        match books.fault {
            Some(_) => Err(Status::deadline_exceeded("lost")),
            None => done.map_err(|refusal| refusal_to_status(&refusal)),
        }
    }
}

fn insufficient() -> Refusal {
    let mut refusal = Refusal::new(Kind::Invalid, ErrorReason::InsufficientBalance, "Insufficient balance");
    refusal.fields = vec![("amount".to_owned(), "Insufficient balance".to_owned())];
    refusal
}

#[tonic::async_trait]
impl TradeSettlementService for GrpcServer {
    async fn fund_trade(&self, request: Request<FundTradeRequest>) -> Result<Response<FundTradeResponse>, Status> {
        self.call(&request, |books, message| {
            match books.trades.get(&message.trade_id) {
                Some(Line::Refused) => return Err(insufficient()),
                Some(_) => return Ok(()),
                None => {}
            }
            let balance = books.balances.entry(message.user_id.clone()).or_default();
            if *balance < message.amount_cents {
                books.trades.insert(message.trade_id.clone(), Line::Refused);
                return Err(insufficient());
            }
            *balance -= message.amount_cents;
            books.trades.insert(message.trade_id.clone(), Line::Funded(message.amount_cents));
            Ok(())
        })?;
        Ok(Response::new(FundTradeResponse {}))
    }

    async fn settle_trade(
        &self,
        request: Request<SettleTradeRequest>,
    ) -> Result<Response<SettleTradeResponse>, Status> {
        self.call(&request, |books, message| match books.trades.get(&message.trade_id) {
            Some(Line::Settled(_, value)) if *value == message.value_cents => Ok(()),
            Some(Line::Funded(amount)) if *amount == message.amount_cents => {
                let gain = message.value_cents - amount;
                if let Some(cash) = &mut books.cash {
                    if *cash < gain {
                        return Err(Refusal::new(Kind::Conflict, ErrorReason::PlanCashShort, "Too little cash"));
                    }
                    *cash -= gain;
                }
                let line = Line::Settled(*amount, message.value_cents);
                books.trades.insert(message.trade_id.clone(), line);
                *books.balances.entry(message.user_id.clone()).or_default() += message.value_cents;
                Ok(())
            }
            _ => Err(Refusal::new(Kind::Conflict, ErrorReason::TradeNotOpen, "Other terms")),
        })?;
        Ok(Response::new(SettleTradeResponse {}))
    }
}

#[tonic::async_trait]
impl BackingService for GrpcServer {
    /// Gains up to the cash of the plan are covered.
    async fn check_backing(
        &self,
        request: Request<CheckBackingRequest>,
    ) -> Result<Response<CheckBackingResponse>, Status> {
        self.call(&request, |books, message| {
            if books.cash.is_some_and(|cash| message.value_cents - message.cost_cents > cash) {
                return Err(Refusal::new(Kind::Conflict, ErrorReason::NotBacked, "Not backed"));
            }
            Ok(())
        })?;
        Ok(Response::new(CheckBackingResponse {}))
    }

    async fn report_plans(
        &self,
        request: Request<ReportPlansRequest>,
    ) -> Result<Response<ReportPlansResponse>, Status> {
        self.call(&request, |books, message| {
            let plans = message.plans.iter();
            books.reported = plans.map(|one| (one.plan_id.clone(), one.cost_cents, one.value_cents)).collect();
            Ok(())
        })?;
        let known = self.books.lock().unwrap().gains_at.clone();
        Ok(Response::new(ReportPlansResponse { gains: known }))
    }

    async fn report_gains(
        &self,
        request: Request<ReportGainsRequest>,
    ) -> Result<Response<ReportGainsResponse>, Status> {
        self.call(&request, |books, message| {
            books.gains.extend(message.gains.iter().map(|one| (one.trade_id.clone(), one.gain_cents)));
            if message.is_last {
                let (plan_id, value_at) = (message.plan_id.clone(), message.value_at);
                books.gains_at.push(KnownGains { plan_id, value_at });
            }
            Ok(())
        })?;
        Ok(Response::new(ReportGainsResponse {}))
    }

    async fn get_backing(&self, _: Request<GetBackingRequest>) -> Result<Response<GetBackingResponse>, Status> {
        Err(Status::unimplemented("not asked by trade"))
    }
}
