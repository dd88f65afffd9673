//! Readers and members: the published course, and their own progress.

use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::identity::Session;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::{
    GetCertificateRequest, GetCertificateResponse, GetCourseRequest, GetCourseResponse, GetLessonRequest,
    GetLessonResponse, IssueCertificateRequest, IssueCertificateResponse, PutProgressRequest, PutProgressResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};
use uuid::Uuid;

use super::{GrpcServer, convert};
use crate::app::get_certificate::get_certificate;
use crate::app::get_course::get_course;
use crate::app::get_lesson::get_lesson;
use crate::app::issue_certificate::issue_certificate;
use crate::app::put_progress::put_progress;
use crate::error::Error;

#[tonic::async_trait]
impl CourseService for GrpcServer {
    async fn get_course(&self, request: Request<GetCourseRequest>) -> Reply<GetCourseResponse> {
        // Whoever is no verified member, or cannot be known now, sees what visitors see.
        let user_id = self.reader(request.metadata()).await.ok().map(|session| session.user_id);
        Ok(Response::new(get_course(&self.db, &self.wallet, user_id).await?.into()))
    }

    async fn get_lesson(&self, request: Request<GetLessonRequest>) -> Reply<GetLessonResponse> {
        let caller = self.reader(request.metadata()).await;
        let lesson_id = request.into_inner().lesson_id;
        let (lesson, progress) = get_lesson(&self.db, &self.wallet, caller, &lesson_id).await?;
        Ok(Response::new(GetLessonResponse { lesson: Some(lesson.into()), progress: progress.map(Into::into) }))
    }

    async fn put_progress(&self, request: Request<PutProgressRequest>) -> Reply<PutProgressResponse> {
        let member = self.reader(request.metadata()).await?;
        let report = convert::report(request.into_inner())?;
        let progress = put_progress(&self.db, &self.wallet, member.user_id, &report).await?;
        Ok(Response::new(PutProgressResponse { progress: Some(progress.into()) }))
    }

    async fn issue_certificate(&self, request: Request<IssueCertificateRequest>) -> Reply<IssueCertificateResponse> {
        let member = self.reader(request.metadata()).await?;
        let certificate = issue_certificate(&self.db, &self.wallet, member.user_id).await?;
        Ok(Response::new(IssueCertificateResponse { certificate: Some(certificate.into()) }))
    }

    async fn get_certificate(&self, request: Request<GetCertificateRequest>) -> Reply<GetCertificateResponse> {
        // What is no number is no certificate's.
        let number = Uuid::try_parse(&request.get_ref().number).map_err(|_| Error::CertificateNotFound)?;
        let certificate = get_certificate(&self.db, number).await?;
        let user_id = certificate.user_id.to_string();
        Ok(Response::new(GetCertificateResponse { certificate: Some(certificate.into()), user_id }))
    }
}

impl GrpcServer {
    async fn reader(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        self.verifier.session(metadata).await?.reader()
    }
}
