//! A world for one test: database, members and staff.

use cases::MIGRATOR;
use cases::grpc::GrpcServer;
use chassis::db::Db;
use chassis::error::from_status;
use chassis::identity::Role;
use chassis::testing::{self, Realm, with_token};
use proto::cases::v1::case_service_server::CaseService;
use proto::cases::v1::staff_service_server::StaffService;
use proto::cases::v1::{
    AddCaseMessageRequest, AnswerCaseRequest, Case, CaseFilter, CaseMessage, CloseCaseRequest, CloseStaffCaseRequest,
    GetCaseRequest, ListCasesRequest, ListStaffCasesRequest, OpenCaseRequest, Topic,
};
use proto::common::v1::{Idempotency, PageRequest};
use sqlx::PgPool;
use time::Duration;
use tonic::Status;
use uuid::Uuid;

pub struct World {
    pub db: Db,
    pub pool: PgPool,
    pub realm: Realm,
    pub grpc: GrpcServer,
}

#[derive(Clone)]
pub struct Person {
    pub id: Uuid,
    pub token: String,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        let db = testing::database(pool.clone(), &MIGRATOR).await;
        let realm = Realm::new();
        let grpc = GrpcServer { db: db.clone(), verifier: realm.verifier(), answer_time: Duration::hours(24) };
        Self { db, pool, realm, grpc }
    }

    pub fn member(&self) -> Person {
        let (id, token) = self.realm.member();
        Person { id: id.get(), token }
    }

    pub fn staff(&self, role: Role) -> Person {
        let (id, token) = self.realm.staff(role);
        Person { id: id.get(), token }
    }

    pub async fn send(&self, member: &Person, message: OpenCaseRequest) -> Result<Case, Status> {
        let answer = self.grpc.open_case(with_token(message, &member.token)).await?;
        Ok(answer.into_inner().case.unwrap())
    }

    pub async fn open(&self, member: &Person, text: &str) -> Result<Case, Status> {
        self.send(member, question(text)).await
    }

    pub async fn complain(&self, member: &Person) -> Case {
        self.send(member, OpenCaseRequest { complaint: true, ..question("This is wrong.") }).await.unwrap()
    }

    pub async fn write(&self, member: &Person, case: &Case, text: &str) -> Result<Case, Status> {
        let message = AddCaseMessageRequest { id: case.id.clone(), text: text.to_owned(), ..Default::default() };
        Ok(self.grpc.add_case_message(with_token(message, &member.token)).await?.into_inner().case.unwrap())
    }

    pub async fn read(&self, member: &Person, case: &Case) -> Result<(Case, Vec<CaseMessage>), Status> {
        let message = GetCaseRequest { id: case.id.clone() };
        let answer = self.grpc.get_case(with_token(message, &member.token)).await?.into_inner();
        Ok((answer.case.unwrap(), answer.messages))
    }

    pub async fn close(&self, member: &Person, case: &Case) -> Result<Case, Status> {
        let message = CloseCaseRequest { id: case.id.clone() };
        Ok(self.grpc.close_case(with_token(message, &member.token)).await?.into_inner().case.unwrap())
    }

    pub async fn own(&self, member: &Person) -> Vec<i64> {
        let message = ListCasesRequest { page: None };
        let answer = self.grpc.list_cases(with_token(message, &member.token)).await.unwrap().into_inner();
        answer.cases.into_iter().map(|case| case.number).collect()
    }

    pub async fn answer(&self, staff: &Person, case: &Case, seen: i32) -> Result<Case, Status> {
        let message = AnswerCaseRequest {
            id: case.id.clone(),
            text: "It is on its way.".to_owned(),
            seen,
            client_address: "::1".to_owned(),
            idempotency: None,
        };
        Ok(self.grpc.answer_case(with_token(message, &staff.token)).await?.into_inner().case.unwrap())
    }

    pub async fn close_as_staff(&self, staff: &Person, case: &Case) -> Result<Case, Status> {
        let client_address = "::1".to_owned();
        let message = CloseStaffCaseRequest { id: case.id.clone(), client_address, idempotency: None };
        Ok(self.grpc.close_staff_case(with_token(message, &staff.token)).await?.into_inner().case.unwrap())
    }

    /// The numbers of a list for staff, page by page of this size.
    pub async fn listed(&self, staff: &Person, filter: CaseFilter, member_id: &str, size: i32) -> Vec<i64> {
        let (mut numbers, mut cursor) = (Vec::new(), String::new());
        loop {
            let message = ListStaffCasesRequest {
                filter: filter.into(),
                member_id: member_id.to_owned(),
                page: Some(PageRequest { size, cursor }),
            };
            let page = self.grpc.list_staff_cases(with_token(message, &staff.token)).await.unwrap().into_inner();
            numbers.extend(page.cases.iter().map(|case| case.number));
            cursor = page.next_cursor;
            if cursor.is_empty() {
                return numbers;
            }
        }
    }

    /// The keys of the events so far.
    pub async fn events(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT key FROM outbox ORDER BY id").fetch_all(&self.pool).await.unwrap()
    }

    /// The actions in the audit log so far.
    pub async fn audited(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT action FROM audit_rows ORDER BY id").fetch_all(&self.pool).await.unwrap()
    }
}

pub fn question(text: &str) -> OpenCaseRequest {
    OpenCaseRequest { topic: Topic::Deposit.into(), text: text.to_owned(), ..Default::default() }
}

pub fn key(key: &str, body: &str) -> Option<Idempotency> {
    let (key, route) = (key.to_owned(), "POST /v1/cases".to_owned());
    Some(Idempotency { key, route, fingerprint: body.as_bytes().to_vec() })
}

/// The code of a refusal.
#[track_caller]
pub fn code<T>(result: Result<T, Status>) -> String {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(status) => from_status(&status).code,
    }
}
