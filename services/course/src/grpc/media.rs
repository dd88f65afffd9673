//! Staff: the files of the course.

use chassis::db::retrying;
use chassis::grpc::Reply;
use chassis::permission::Permission;
use proto::course::v1::media_service_server::MediaService;
use proto::course::v1::{
    AppendMediaRequest, AppendMediaResponse, CreateMediaRequest, CreateMediaResponse, GetMediaRequest,
    GetMediaResponse, ListMediaRequest, ListMediaResponse, PutCaptionsRequest, PutCaptionsResponse,
    RemoveCaptionsRequest, RemoveCaptionsResponse, RemoveMediaRequest, RemoveMediaResponse,
};
use tonic::{Request, Response};

use super::members::known_media;
use super::{GrpcServer, convert};
use crate::app::append_media::append_media;
use crate::app::create_media::create_media;
use crate::app::get_media::get_media;
use crate::app::list_media::list_media;
use crate::app::put_captions::put_captions;
use crate::app::remove_captions::remove_captions;
use crate::app::remove_media::remove_media;
use crate::domain::media::{Captions, Chunk, chunks_folder};

#[tonic::async_trait]
impl MediaService for GrpcServer {
    async fn create_media(&self, request: Request<CreateMediaRequest>) -> Reply<CreateMediaResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::EditCourse).await?;
        let CreateMediaRequest { kind, name, size } = request.into_inner();
        let file = (convert::kind(kind)?, name.as_str(), size);
        let id = create_media(&self.db, self.limits, staff.id, file).await?.to_string();
        Ok(Response::new(CreateMediaResponse { id }))
    }

    async fn append_media(&self, request: Request<AppendMediaRequest>) -> Reply<AppendMediaResponse> {
        self.verifier.staff(request.metadata(), Permission::EditCourse).await?;
        let AppendMediaRequest { id, offset, bytes, chunk } = request.into_inner();
        let chunk = Chunk { begins_at: offset, bytes, name: known_media(&chunk)?.get() };
        let offset = append_media(&self.db, known_media(&id)?, chunk).await?;
        Ok(Response::new(AppendMediaResponse { offset }))
    }

    async fn get_media(&self, request: Request<GetMediaRequest>) -> Reply<GetMediaResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let id = known_media(&request.get_ref().id)?;
        let media = Some(convert::media(get_media(&self.db, id).await?));
        Ok(Response::new(GetMediaResponse { media, chunks_folder: chunks_folder(id) }))
    }

    async fn list_media(&self, request: Request<ListMediaRequest>) -> Reply<ListMediaResponse> {
        self.verifier.staff(request.metadata(), Permission::See).await?;
        let media = list_media(&self.db).await?.into_iter().map(convert::media).collect();
        Ok(Response::new(ListMediaResponse { media }))
    }

    async fn remove_media(&self, request: Request<RemoveMediaRequest>) -> Reply<RemoveMediaResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::EditCourse).await?;
        let RemoveMediaRequest { id, client_address } = request.into_inner();
        let id = known_media(&id)?;
        retrying(|| remove_media(&self.db, &staff, id, &client_address)).await?;
        Ok(Response::new(RemoveMediaResponse {}))
    }

    async fn put_captions(&self, request: Request<PutCaptionsRequest>) -> Reply<PutCaptionsResponse> {
        // Members who watch the video see them at once.
        let staff = self.verifier.staff(request.metadata(), Permission::PublishCourse).await?;
        let PutCaptionsRequest { id, language, label, vtt, client_address } = request.into_inner();
        let (id, new) = (known_media(&id)?, Captions { language, label });
        let all = retrying(|| put_captions(&self.db, &staff, id, &new, &vtt, &client_address)).await?;
        Ok(Response::new(PutCaptionsResponse { captions: all.into_iter().map(Into::into).collect() }))
    }

    async fn remove_captions(&self, request: Request<RemoveCaptionsRequest>) -> Reply<RemoveCaptionsResponse> {
        let staff = self.verifier.staff(request.metadata(), Permission::PublishCourse).await?;
        let RemoveCaptionsRequest { id, language, client_address } = request.into_inner();
        let id = known_media(&id)?;
        let all = retrying(|| remove_captions(&self.db, &staff, id, &language, &client_address)).await?;
        Ok(Response::new(RemoveCaptionsResponse { captions: all.into_iter().map(Into::into).collect() }))
    }
}
