//! Client of wallet, which knows who has bought the course.

use chassis::id::MemberId;
use std::time::Duration;

use chassis::call;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use proto::wallet::v1::GetMemberCourseAccessRequest;
use proto::wallet::v1::course_access_service_client::CourseAccessServiceClient;

/// How long wallet may take: less than what the member's client waits.
const DEADLINE: Duration = Duration::from_secs(3);

/// What a member has bought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    pub has_purchased: bool,
    /// Whether a payment for the course waits for review.
    pub is_pending: bool,
}

#[derive(Clone)]
pub struct Wallet {
    client: CourseAccessServiceClient<Channel>,
    credential: Credential,
}

impl Wallet {
    /// Asks wallet over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: CourseAccessServiceClient::new(channel), credential }
    }

    /// What a member has bought.
    ///
    /// # Errors
    /// Unavailable if wallet does not answer.
    pub async fn course_access(&self, user_id: MemberId) -> Result<Access, Refusal> {
        let request = Outgoing::service(&self.credential)
            .deadline(DEADLINE)
            .idempotent(GetMemberCourseAccessRequest { user_id: user_id.to_string() });
        let answer = call!(self.client, get_member_course_access, request)
            .await
            .map_err(|status| from_status(&status))?
            .into_inner();
        Ok(Access { has_purchased: answer.purchased, is_pending: answer.pending })
    }
}
