//! A world for one test: database, members and treasurers.

use chassis::id::MemberId;
use proto::common::v1::ConfirmProposalRequest;
use proto::common::v1::proposal_service_server::ProposalService;
use std::sync::Arc;

use chassis::db::Db;
use chassis::error::{Refusal, from_status};
use chassis::identity::Role;
use chassis::testing::{self, Realm, with_token};
use payment_method::MIGRATOR;
use payment_method::domain::method::Fields;
use payment_method::domain::quote::Tolerance;
use payment_method::domain::statement::Statement;
use payment_method::grpc::GrpcServer;
use payment_method::treasury::TreasuryKey;
use proto::common::v1::Proposal;
use proto::payment_method::v1::payment_method_service_server::PaymentMethodService;
use proto::payment_method::v1::staff_service_server::StaffService;
use proto::payment_method::v1::{
    CreatePaymentMethodRequest, ListPaymentMethodsRequest, MethodFields, PaymentMethod, ProposePlatformMethodRequest,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::Status;
use uuid::Uuid;

/// Addresses that are valid on their networks.
pub const TRON: &str = "TLnAZ4XWmLqPSWQbLoh7sEBrnn9zv6i312";
pub const TRON_2: &str = "TFnPL6nwMz5dugbjUJroEo6oZhmpgthdXk";
pub const EVM: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
pub const EVM_2: &str = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
pub const BITCOIN: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

pub struct World {
    pub pool: PgPool,
    pub realm: Realm,
    pub grpc: GrpcServer,
    pub treasurers: [String; 2],
    /// The private key of the treasury, whose public key the service has.
    pub treasury: TreasuryKey,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        let db: Db = testing::database(pool.clone(), &MIGRATOR).await;
        let realm = Realm::new();
        let treasury = treasury_key();
        let keys = treasury.public_key().parse().unwrap();
        let verifier = realm.verifier();
        let grpc = GrpcServer {
            db,
            verifier,
            treasury: keys,
            spread_bps: 0,
            tolerance: Tolerance::default(),
            chains: [].into(),
            lookups: Arc::default(),
        };
        let treasurers = [realm.staff(Role::Treasurer).1, realm.staff(Role::Treasurer).1];
        Self { pool, realm, grpc, treasurers, treasury }
    }

    /// The treasury key's signature over a version with these fields.
    pub fn sign(&self, message: &MethodFields, version: i32) -> String {
        self.treasury.sign(&statement(message, version)).unwrap()
    }

    pub async fn list(&self, token: &str) -> Vec<PaymentMethod> {
        let request = with_token(ListPaymentMethodsRequest {}, token);
        self.grpc.list_payment_methods(request).await.unwrap().into_inner().payment_methods
    }

    pub async fn create(&self, token: &str, fields: MethodFields) -> Result<PaymentMethod, Status> {
        let message = CreatePaymentMethodRequest { fields: Some(fields), idempotency: None };
        let answer = self.grpc.create_payment_method(with_token(message, token)).await?;
        Ok(answer.into_inner().payment_method.unwrap())
    }

    /// Proposes as the first treasurer: a new method without an id, an end without fields.
    pub async fn propose(&self, id: &str, fields: Option<MethodFields>) -> Result<Proposal, Status> {
        self.propose_signed(id, fields, "").await
    }

    /// The same with a signature over what is proposed.
    pub async fn propose_signed(
        &self,
        id: &str,
        fields: Option<MethodFields>,
        signature: &str,
    ) -> Result<Proposal, Status> {
        let message = ProposePlatformMethodRequest {
            id: id.to_owned(),
            fields,
            client_address: "::1".to_owned(),
            idempotency: None,
            signature: signature.to_owned(),
        };
        let answer = self.grpc.propose_platform_method(with_token(message, &self.treasurers[0])).await?;
        Ok(answer.into_inner().proposal.unwrap())
    }

    /// Confirms as one of the treasurers; the method's id.
    pub async fn confirm(&self, proposal_id: &str, treasurer: usize) -> Result<String, Status> {
        let message = ConfirmProposalRequest {
            proposal_id: proposal_id.to_owned(),
            client_address: "::1".to_owned(),
            ..Default::default()
        };
        let answer = self.grpc.proposals().confirm_proposal(with_token(message, &self.treasurers[treasurer])).await?;
        Ok(answer.into_inner().proposal.unwrap().subject_id)
    }

    /// A platform method, by both treasurers; its id.
    pub async fn platform(&self, currency: &str, network: &str, address: &str) -> String {
        let proposal = self.propose("", Some(fields(currency, network, address))).await.unwrap();
        self.confirm(&proposal.id, 1).await.unwrap()
    }

    pub fn member(&self) -> (MemberId, String) {
        self.realm.member()
    }
}

/// The statement about a version with these fields, valid from now.
pub fn statement(message: &MethodFields, version: i32) -> Statement {
    let MethodFields { currency, network, address, memo, .. } = message.clone();
    let typed = Fields { currency, network, address, memo, ..Fields::default() };
    Statement::new(&typed, version, OffsetDateTime::now_utc())
}

/// A new private key.
pub fn treasury_key() -> TreasuryKey {
    let path = std::env::temp_dir().join(format!("treasury-{}.key", Uuid::new_v4()));
    let key = TreasuryKey::generate(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    key
}

pub fn fields(currency: &str, network: &str, address: &str) -> MethodFields {
    MethodFields {
        currency: currency.to_owned(),
        network: network.to_owned(),
        address: address.to_owned(),
        ..MethodFields::default()
    }
}

/// What was said to a call that must be refused.
#[track_caller]
pub fn refused<T>(result: Result<T, Status>) -> Refusal {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(status) => from_status(&status),
    }
}
