//! Readers and members: the published course, and their own progress.

use chassis::error::Refusal;
use chassis::grpc::Reply;
use chassis::identity::Session;
use proto::course::v1::course_service_server::CourseService;
use proto::course::v1::{
    AddNoteRequest, AddNoteResponse, ChangeNoteRequest, ChangeNoteResponse, GetCaptionsRequest, GetCaptionsResponse,
    GetCertificateRequest, GetCertificateResponse, GetCourseRequest, GetCourseResponse, GetLessonRequest,
    GetLessonResponse, IssueCertificateRequest, IssueCertificateResponse, ListNotesRequest, ListNotesResponse,
    OpenMediaRequest, OpenMediaResponse, PutProgressRequest, PutProgressResponse, RemoveNoteRequest,
    RemoveNoteResponse,
};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response};
use uuid::Uuid;

use super::{GrpcServer, convert};
use crate::app::add_note::add_note;
use crate::app::change_note::change_note;
use crate::app::get_captions::get_captions;
use crate::app::get_certificate::get_certificate;
use crate::app::get_course::get_course;
use crate::app::get_lesson::get_lesson;
use crate::app::issue_certificate::issue_certificate;
use crate::app::list_notes::list_notes;
use crate::app::open_media::{OpenMedia, open_media};
use crate::app::put_progress::put_progress;
use crate::app::remove_note::remove_note;
use crate::domain::media::{MediaId, results_folder};
use crate::domain::note::{NoteId, Written};
use crate::error::Error;

#[tonic::async_trait]
impl CourseService for GrpcServer {
    async fn get_course(&self, request: Request<GetCourseRequest>) -> Reply<GetCourseResponse> {
        self.verifier.visitor(request.metadata())?;
        // Anyone who is no verified member, or cannot be known now, sees what visitors see.
        let user_id = self.reader(request.metadata()).await.ok().map(|session| session.member_id());
        Ok(Response::new(get_course(&self.db, &self.wallet, user_id).await?.into()))
    }

    async fn get_lesson(&self, request: Request<GetLessonRequest>) -> Reply<GetLessonResponse> {
        self.verifier.visitor(request.metadata())?;
        let caller = self.reader(request.metadata()).await;
        let lesson_id = request.into_inner().lesson_id;
        Ok(Response::new(get_lesson(&self.db, &self.wallet, caller, &lesson_id).await?.into()))
    }

    async fn put_progress(&self, request: Request<PutProgressRequest>) -> Reply<PutProgressResponse> {
        let member = self.reader(request.metadata()).await?;
        let report = convert::report(request.into_inner())?;
        let progress = put_progress(&self.db, &self.wallet, member.member_id(), &report).await?;
        Ok(Response::new(PutProgressResponse { progress: Some(progress.into()) }))
    }

    async fn issue_certificate(&self, request: Request<IssueCertificateRequest>) -> Reply<IssueCertificateResponse> {
        let member = self.reader(request.metadata()).await?;
        let certificate =
            issue_certificate(&self.db, &self.wallet, member.member_id(), request.into_inner().holder_name).await?;
        Ok(Response::new(IssueCertificateResponse { certificate: Some(certificate.into()) }))
    }

    async fn get_certificate(&self, request: Request<GetCertificateRequest>) -> Reply<GetCertificateResponse> {
        self.verifier.visitor(request.metadata())?;
        // The parser takes other spellings too, such as braces; pages and PDFs repeat what was asked for.
        let text = &request.get_ref().number;
        let number = Uuid::try_parse(text).ok().filter(|number| number.to_string() == *text);
        let number = number.ok_or(Error::CertificateNotFound)?;
        let (certificate, ended) = get_certificate(&self.db, &self.wallet, number).await?;
        let user_id = certificate.user_id.to_string();
        Ok(Response::new(GetCertificateResponse { certificate: Some(certificate.into()), user_id, ended }))
    }

    async fn list_notes(&self, request: Request<ListNotesRequest>) -> Reply<ListNotesResponse> {
        let member = self.reader(request.metadata()).await?;
        let notes = list_notes(&self.db, &self.wallet, member.member_id(), &request.get_ref().lesson_id).await?;
        Ok(Response::new(ListNotesResponse { notes: notes.into_iter().map(Into::into).collect() }))
    }

    async fn add_note(&self, request: Request<AddNoteRequest>) -> Reply<AddNoteResponse> {
        let member = self.reader(request.metadata()).await?;
        let AddNoteRequest { lesson_id, position_seconds, text } = request.into_inner();
        let written = Written { position_seconds, text };
        let note = add_note(&self.db, &self.wallet, member.member_id(), &lesson_id, &written).await?;
        Ok(Response::new(AddNoteResponse { note: Some(note.into()) }))
    }

    async fn change_note(&self, request: Request<ChangeNoteRequest>) -> Reply<ChangeNoteResponse> {
        let member = self.reader(request.metadata()).await?;
        let ChangeNoteRequest { lesson_id, note_id, position_seconds, text } = request.into_inner();
        let place = (member.member_id(), lesson_id.as_str(), known_note(&note_id)?);
        let note = change_note(&self.db, &self.wallet, place, &Written { position_seconds, text }).await?;
        Ok(Response::new(ChangeNoteResponse { note: Some(note.into()) }))
    }

    async fn remove_note(&self, request: Request<RemoveNoteRequest>) -> Reply<RemoveNoteResponse> {
        let member = self.reader(request.metadata()).await?;
        let RemoveNoteRequest { lesson_id, note_id } = request.into_inner();
        remove_note(&self.db, &self.wallet, member.member_id(), &lesson_id, known_note(&note_id)?).await?;
        Ok(Response::new(RemoveNoteResponse {}))
    }

    async fn open_media(&self, request: Request<OpenMediaRequest>) -> Reply<OpenMediaResponse> {
        let caller = self.caller(request.metadata()).await?;
        let OpenMediaRequest { lesson_id, media_id, streams } = request.into_inner();
        let command = OpenMedia { lesson_id, media: known_media(&media_id)?, streams };
        let media = open_media(&self.db, &self.wallet, caller, &command).await?;
        Ok(Response::new(OpenMediaResponse {
            folder: media.attempt.map(|attempt| results_folder(media.id, attempt)).unwrap_or_default(),
            name: media.name,
            content_type: media.content_type.unwrap_or_default(),
        }))
    }

    async fn get_captions(&self, request: Request<GetCaptionsRequest>) -> Reply<GetCaptionsResponse> {
        let caller = self.caller(request.metadata()).await?;
        let GetCaptionsRequest { lesson_id, media_id, language } = request.into_inner();
        let command = OpenMedia { lesson_id, media: known_media(&media_id)?, streams: false };
        let vtt = get_captions(&self.db, &self.wallet, caller, &command, &language).await?;
        Ok(Response::new(GetCaptionsResponse { vtt }))
    }
}

/// A malformed id counts as unknown.
fn known_note(id: &str) -> Result<NoteId, Error> {
    id.parse().map_err(|_| Error::NoteNotFound)
}

/// A malformed id counts as unknown.
pub(super) fn known_media(id: &str) -> Result<MediaId, Error> {
    id.parse().map_err(|_| Error::MediaNotFound)
}

impl GrpcServer {
    async fn reader(&self, metadata: &MetadataMap) -> Result<Session, Refusal> {
        self.verifier.session(metadata).await?.reader()
    }

    /// The session that a call names. One that has ended is refused: it is no visitor.
    async fn caller(&self, metadata: &MetadataMap) -> Result<Option<Session>, Refusal> {
        self.verifier.visitor(metadata)?;
        let is_visitor = self.verifier.named_user(metadata).is_err();
        if is_visitor { Ok(None) } else { Ok(Some(self.verifier.session(metadata).await?)) }
    }
}
