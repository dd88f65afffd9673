//! ConfirmationService: for the wallet, by its own credential.

use chassis::grpc::Reply;
use proto::auth::v1::confirmation_service_server::ConfirmationService;
use proto::auth::v1::{
    CheckDestinationCodeRequest, CheckDestinationCodeResponse, IssueDestinationCodeRequest,
    IssueDestinationCodeResponse, NoteDestinationRequest, NoteDestinationResponse,
};
use tonic::{Request, Response};

use super::{GrpcServer, convert};
use crate::app::security::check_destination_code::check_destination_code;
use crate::app::security::issue_destination_code::issue_destination_code;
use crate::app::security::note_destination::note_destination;
use crate::domain::code::{self, Destination};
use crate::error::Error;

const CALLERS: [&str; 1] = ["wallet"];

#[tonic::async_trait]
impl ConfirmationService for GrpcServer {
    async fn issue_destination_code(
        &self,
        request: Request<IssueDestinationCodeRequest>,
    ) -> Reply<IssueDestinationCodeResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let user_id = convert::id(&message.user_id, "account")?;
        let destination = Destination {
            key: key(message.destination)?,
            currency: message.currency,
            network: message.network,
            address: message.address,
            memo: message.memo,
        };
        issue_destination_code(&self.app, user_id, &destination).await?;
        Ok(Response::new(IssueDestinationCodeResponse {}))
    }

    async fn check_destination_code(
        &self,
        request: Request<CheckDestinationCodeRequest>,
    ) -> Reply<CheckDestinationCodeResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let user_id = convert::id(&message.user_id, "account")?;
        let key = key(message.destination)?;
        // A slip of the finger costs no submission.
        let code = code::parse(&message.code).map_err(|_| Error::field("code", "The code has 6 digits"))?;
        let assertion = check_destination_code(&self.app, user_id, &key, code).await?;
        Ok(Response::new(CheckDestinationCodeResponse { assertion }))
    }

    async fn note_destination(&self, request: Request<NoteDestinationRequest>) -> Reply<NoteDestinationResponse> {
        self.verifier.service(request.metadata(), &CALLERS)?;
        let message = request.into_inner();
        let session = (convert::id(&message.user_id, "account")?, convert::id(&message.session_id, "session")?);
        let assertion = note_destination(&self.app, session, &key(message.destination)?).await?;
        Ok(Response::new(NoteDestinationResponse { assertion }))
    }
}

fn key(bytes: Vec<u8>) -> Result<[u8; 32], Error> {
    bytes.try_into().map_err(|_| Error::field("destination", "A destination digest has 32 bytes"))
}
