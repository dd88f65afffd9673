//! Client of auth: names and addresses of accounts and the secrets of emails, fetched just before sending.

use chassis::call;
use chassis::clock;
use chassis::error::{Kind, Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::id::UserId;
use chassis::identity::Credential;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::{GetMailSecretRequest, GetUsersRequest, ListStaffContactsRequest, User};
use time::OffsetDateTime;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// As the account's owner wrote it.
    pub name: String,
    pub email: String,
}

/// A code or a link's token, with the address it is meant for.
pub struct MailSecret {
    pub contact: Contact,
    pub secret: String,
    pub expires_at: OffsetDateTime,
    /// The token of the link "This was not me" in the mail of a code, and until when that works.
    pub link: Option<(String, OffsetDateTime)>,
}

#[derive(Clone)]
pub struct Directory {
    client: DirectoryServiceClient<Channel>,
    credential: Credential,
}

impl Directory {
    /// Asks auth over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: DirectoryServiceClient::new(channel), credential }
    }

    /// An account; `None` if there is none. A closed one has no address: it may be somebody else's by now.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn contact(&self, user_id: UserId) -> Result<Option<Contact>, Refusal> {
        let message = GetUsersRequest { user_ids: vec![user_id.to_string()] };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_users, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().users.into_iter().next().map(|user| Contact {
            name: user.name,
            email: if user.closed_at.is_some() { String::new() } else { user.email },
        }))
    }

    /// Every live staff account.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn staff(&self) -> Result<Vec<(UserId, Contact)>, Refusal> {
        let contact = |user: User| Ok((id(&user)?, Contact { name: user.name, email: user.email }));
        self.list_staff().await?.into_iter().map(contact).collect()
    }

    /// The live staff accounts of a role.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn staff_of(&self, role: &str) -> Result<Vec<UserId>, Refusal> {
        self.list_staff().await?.iter().filter(|user| user.role == role).map(id).collect()
    }

    async fn list_staff(&self) -> Result<Vec<User>, Refusal> {
        let request = Outgoing::service(&self.credential).idempotent(ListStaffContactsRequest {});
        let answer = call!(self.client, list_staff_contacts, request).await.map_err(|status| from_status(&status))?;
        Ok(answer.into_inner().staff)
    }

    /// The secret of a mail; `None` once it is used, superseded or past its time: the mail must not be sent any more.
    ///
    /// # Errors
    /// Unavailable if auth cannot tell.
    pub async fn mail_secret(&self, reference: &str) -> Result<Option<MailSecret>, Refusal> {
        let message = GetMailSecretRequest { reference: reference.to_owned() };
        let request = Outgoing::service(&self.credential).idempotent(message);
        let answer = call!(self.client, get_mail_secret, request).await;
        let answer = match answer.map_err(|status| from_status(&status)) {
            Ok(answer) => answer.into_inner(),
            Err(refusal) if refusal.kind == Kind::NotFound => return Ok(None),
            Err(refusal) => return Err(refusal),
        };
        let expires_at = answer.expires_at.as_ref().and_then(clock::from_proto).ok_or_else(Refusal::unavailable)?;
        let link = answer.link_expires_at.as_ref().and_then(clock::from_proto).map(|at| (answer.link_token, at));
        let contact = Contact { name: answer.name, email: answer.email };
        Ok(Some(MailSecret { contact, secret: answer.secret, expires_at, link }))
    }
}

fn id(user: &User) -> Result<UserId, Refusal> {
    user.id.parse().map_err(|_| Refusal::unavailable())
}
