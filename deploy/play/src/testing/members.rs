//! Members of a stack.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};

use super::TestStack;
use crate::{
    client::{Answer, Client},
    mails,
    request::{self, Decision, txid},
};

/// The password of every member made here.
pub const PASSWORD: &str = "correct horse battery";

/// A member who has registered and verified the email.
#[derive(Clone, Debug)]
pub struct Member {
    pub client: Client,
    pub email: String,
    /// The id of the account.
    pub id: String,
}

impl TestStack {
    /// Registers a fresh account that has not verified its email.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn register(&self) -> Result<Member> {
        self.register_through(&self.client()).await
    }

    async fn register_through(&self, client: &Client) -> Result<Member> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let email = format!("member{}@example.test", COUNT.fetch_add(1, Ordering::Relaxed));
        let answer = client.make(request::register("Mia Member", &email, PASSWORD, "Germany")).await?;
        let id = request::id(&answer)?;
        let token = answer["token"].as_str().context("registration gives a token")?;
        Ok(Member { client: client.with_token(token), email, id })
    }

    /// Registers a fresh account and verifies its email with the mailed code.
    ///
    /// # Errors
    /// When the product refuses, or no mail comes.
    pub async fn member(&self) -> Result<Member> {
        self.member_through(&self.client()).await
    }

    /// The same through a client of the caller's.
    ///
    /// # Errors
    /// When the product refuses, or no mail comes.
    pub async fn member_through(&self, client: &Client) -> Result<Member> {
        let member = self.register_through(client).await?;
        let code = mails::wait_for_code(&self.mail_dir, &member.email).await?;
        member.client.make(request::verify_email(&member.email, &code)).await?;
        Ok(member)
    }

    /// A member with this balance, by a deposit that a reviewer confirmed, or two where it takes them.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn member_with(&self, amount: &str) -> Result<Member> {
        let member = self.member().await?;
        let id = member.deposit(amount).await?;
        let received = Decision::Received { amount, txid: &txid() };
        for name in ["reviewer", "reviewer2"] {
            if self.staff(name).await?.decide(&id, received).await?.success()?["needsSecond"] != true {
                break;
            }
        }
        Ok(member)
    }

    /// The member confirms where an open withdrawal goes, by the mailed code, if the destination is new.
    ///
    /// # Errors
    /// When the product refuses, or no mail comes.
    pub async fn confirm_destination(&self, member: &Member, id: &str) -> Result<()> {
        let seen = member.client.get(&format!("/transactions/{id}")).await?.success()?;
        if seen["transaction"]["needsConfirmation"] != true {
            return Ok(());
        }
        let address = seen["transaction"]["destination"]["address"].as_str().context("an address")?;
        let code = mails::wait_for_destination_code(&self.mail_dir, &member.email, address).await?;
        member.client.make(request::confirm_destination(id, &code)).await.map(drop)
    }
}

impl Member {
    /// The id of the platform's deposit address on a network.
    ///
    /// # Errors
    /// When there is none.
    pub async fn platform_method(&self, network: &str) -> Result<String> {
        self.client.platform_method(network).await
    }

    /// Requests a deposit, with proof; its id.
    ///
    /// # Errors
    /// When the product refuses.
    pub async fn deposit(&self, amount: &str) -> Result<String> {
        let method = self.platform_method("TRC20").await?;
        let answer = self.client.send(&request::deposit(amount, &method)).await?;
        ensure!(answer.status == 201, "{}", answer.body);
        request::id(&answer.body)
    }

    /// Requests a withdrawal.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn withdraw(&self, amount: &str) -> Result<Answer> {
        let method = self.platform_method("TRC20").await?;
        self.client.send(&request::withdraw(amount, &method)).await
    }
}
