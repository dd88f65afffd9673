//! Confirmations of destinations by auth.

use chassis::call;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::id::MemberId;
use chassis::identity::{Credential, Session};
use proto::auth::v1::confirmation_service_client::ConfirmationServiceClient;
use proto::auth::v1::{CheckDestinationCodeRequest, IssueDestinationCodeRequest, NoteDestinationRequest};

use crate::domain::destination::PayoutAddress;

/// The codes by which members confirm destinations, which auth issues and checks.
#[derive(Clone)]
pub struct Codes {
    client: ConfirmationServiceClient<Channel>,
    credential: Credential,
}

impl Codes {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: ConfirmationServiceClient::new(channel), credential }
    }

    /// Has a code mailed to a member for the destination with this key.
    ///
    /// # Errors
    /// RateLimited within a minute of the last one, and after six within an hour; Unavailable if auth cannot be asked.
    pub async fn issue(&self, user_id: MemberId, key: Vec<u8>, to: &PayoutAddress) -> Result<(), Refusal> {
        let message = IssueDestinationCodeRequest {
            user_id: user_id.to_string(),
            destination: key,
            currency: to.currency.clone(),
            network: to.network.clone(),
            address: to.address.clone(),
            memo: to.memo.clone(),
        };
        let request = Outgoing::service(&self.credential).once(message);
        call!(self.client, issue_destination_code, request).await.map(drop).map_err(|status| from_status(&status))
    }

    /// Confirms the destination with this key by the second factor that the member gave in this session: it is noted in their
    /// activity. Returns what auth signs about it.
    ///
    /// # Errors
    /// Forbidden if auth knows of no such factor; Unavailable if it cannot be asked.
    pub async fn note(&self, member: &Session, key: Vec<u8>) -> Result<String, Refusal> {
        let message = NoteDestinationRequest {
            user_id: member.member_id().to_string(),
            destination: key,
            session_id: member.id.to_string(),
        };
        let request = Outgoing::service(&self.credential).once(message);
        let answer = call!(self.client, note_destination, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().assertion)
    }

    /// Uses up the code of the destination with this key. Returns what auth signs about it.
    ///
    /// # Errors
    /// Invalid (`INVALID_CODE`) if it is another, was replaced or is too old; Unavailable if auth cannot be asked.
    pub async fn check(&self, user_id: MemberId, key: Vec<u8>, code: &str) -> Result<String, Refusal> {
        let message =
            CheckDestinationCodeRequest { user_id: user_id.to_string(), destination: key, code: code.to_owned() };
        let request = Outgoing::service(&self.credential).once(message);
        let answer =
            call!(self.client, check_destination_code, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().assertion)
    }
}
