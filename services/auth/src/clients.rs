//! Client of wallet: the end of a member's wallet.

use chassis::id::UserId;
use std::time::Duration;

use chassis::call;
use chassis::error::{Refusal, from_status};
use chassis::grpc::{Channel, Outgoing};
use chassis::identity::Credential;
use proto::wallet::v1::closing_service_client::ClosingServiceClient;
use proto::wallet::v1::{CheckClosingRequest, CloseWalletRequest};

/// How long wallet may take: less than what the member's client waits.
const DEADLINE: Duration = Duration::from_secs(3);

#[derive(Clone)]
pub struct Wallet {
    client: ClosingServiceClient<Channel>,
    credential: Credential,
}

impl Wallet {
    /// Asks over this channel with this credential.
    #[must_use]
    pub fn new(channel: Channel, credential: Credential) -> Self {
        Self { client: ClosingServiceClient::new(channel), credential }
    }

    /// Checks that a member's wallet could be closed now.
    ///
    /// # Errors
    /// As [`Self::close`].
    pub async fn check(&self, user_id: UserId, give_up_bonus: bool) -> Result<(), Refusal> {
        let request = CheckClosingRequest { user_id: user_id.to_string(), give_up_bonus };
        let request = Outgoing::service(&self.credential).deadline(DEADLINE).idempotent(request);
        call!(self.client, check_closing, request).await.map(drop).map_err(|status| from_status(&status))
    }

    /// Closes a member's wallet for good, with its bonus if that is given up; succeeds again if it is closed.
    ///
    /// # Errors
    /// Conflict (`ACCOUNT_IN_USE`) with what is open in it; Unavailable if wallet does not say.
    pub async fn close(&self, user_id: UserId, give_up_bonus: bool) -> Result<(), Refusal> {
        let request = CloseWalletRequest { user_id: user_id.to_string(), give_up_bonus };
        let request = Outgoing::service(&self.credential).deadline(DEADLINE).idempotent(request);
        call!(self.client, close_wallet, request).await.map(drop).map_err(|status| from_status(&status))
    }
}

/// Whether nothing but a withdrawal keeps a wallet open, so that its closing can wait for the payout.
#[must_use]
pub fn is_paying_out(refusal: &Refusal) -> bool {
    matters(refusal) == [WITHDRAWAL]
}

/// Whether a payout of the balance would leave nothing that keeps a wallet open, or nothing but that payout.
#[must_use]
pub fn is_payable(refusal: &Refusal) -> bool {
    let matters = matters(refusal);
    !matters.is_empty() && matters.iter().all(|name| [BALANCE, WITHDRAWAL].contains(name))
}

const BALANCE: &str = "BALANCE";
const WITHDRAWAL: &str = "WITHDRAWAL";

/// What keeps a wallet open, by its names in the API.
fn matters(refusal: &Refusal) -> Vec<&str> {
    let matters = refusal.facts.as_ref().and_then(|facts| facts.get("matters")?.as_array());
    matters.into_iter().flatten().map(|name| name.as_str().unwrap_or_default()).collect()
}
