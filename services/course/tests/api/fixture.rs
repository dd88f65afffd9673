//! A world for one test: database with the first version, wallet, members.

use chassis::config::Tls;
use chassis::db::Db;
use chassis::error::from_status;
use chassis::grpc;
use chassis::testing::{self, Realm, with_token};
use course::MIGRATOR;
use course::app::publish_first_version::publish_first_version;
use course::clients::Wallet;
use course::content;
use course::domain::media::Limits;
use course::grpc::GrpcServer;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::{
    GetCourseRequest, GetCourseResponse, GetLessonRequest, GetLessonResponse, LessonOutline, Progress,
    PutProgressRequest,
};
use sqlx::PgPool;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::wallet::FakeWallet;

/// The free preview of the first version, and a lesson that is sold.
pub const PREVIEW: &str = "what-brands-buy";
pub const SOLD: &str = "film-with-a-phone";

pub struct World {
    pub db: Db,
    pub pool: PgPool,
    pub realm: Realm,
    pub wallet: FakeWallet,
    pub grpc: GrpcServer,
}

#[derive(Clone)]
pub struct Member {
    pub id: Uuid,
    pub token: String,
}

impl World {
    pub async fn new(pool: PgPool) -> Self {
        let db = testing::database(pool.clone(), &MIGRATOR).await;
        let realm = Realm::new();
        let wallet = FakeWallet::start(realm.verifier()).await;
        let client = Wallet::new(
            grpc::channel(testing::SERVICE, &wallet.url, &Tls::default()).unwrap(),
            realm.credential("course"),
        );
        let limits = Limits { video_bytes: 20_000_000, attachment_bytes: 1_000_000 };
        let grpc = GrpcServer { db: db.clone(), verifier: realm.verifier(), wallet: client, limits };
        publish_first_version(&db, &content::first_version().unwrap()).await.unwrap();
        Self { db, pool, realm, wallet, grpc }
    }

    pub fn member(&self) -> Member {
        let (id, token) = self.realm.member();
        Member { id: id.get(), token }
    }

    pub fn buyer(&self) -> Member {
        let member = self.member();
        self.wallet.sell(member.id);
        member
    }

    pub async fn course(&self, member: Option<&Member>) -> Result<GetCourseResponse, Status> {
        let answer = self.grpc.get_course(self.request(GetCourseRequest {}, member)).await?;
        Ok(answer.into_inner())
    }

    pub async fn lessons(&self, member: Option<&Member>) -> Vec<LessonOutline> {
        let course = self.course(member).await.unwrap();
        course.modules.into_iter().flat_map(|module| module.lessons).collect()
    }

    pub async fn lesson(&self, member: Option<&Member>, id: &str) -> Result<GetLessonResponse, Status> {
        let message = GetLessonRequest { lesson_id: id.to_owned() };
        Ok(self.grpc.get_lesson(self.request(message, member)).await?.into_inner())
    }

    /// A call for a member, or for a visitor.
    pub fn request<T>(&self, message: T, member: Option<&Member>) -> Request<T> {
        match member {
            Some(member) => with_token(message, &member.token),
            None => self.realm.visitor(message),
        }
    }

    pub async fn put(&self, member: &Member, report: PutProgressRequest) -> Result<Progress, Status> {
        let answer = self.grpc.put_progress(with_token(report, &member.token)).await?;
        Ok(answer.into_inner().progress.unwrap())
    }
}

/// The code of a refusal.
#[track_caller]
pub fn code<T>(result: Result<T, Status>) -> String {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(status) => from_status(&status).code,
    }
}
