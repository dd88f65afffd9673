//! The product's virtual host on a broker, with one user per service.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    host::secrets::Secrets,
    servers::rabbitmq::{BrokerUser, Definitions},
    service::Service,
};

/// The virtual host of a broker of our own.
pub const VHOST: &str = "solvane";

/// How often a put is sent while the broker answers with an error of its own.
const ATTEMPTS: u32 = 10;

/// The pause between two of them.
const PAUSE: Duration = Duration::from_secs(2);

/// The users of one stack; `suffix` distinguishes several stacks on one broker.
#[must_use]
pub fn users(suffix: &str, secrets: &Secrets) -> Vec<BrokerUser> {
    Service::ALL
        .iter()
        .map(|service| format!("{}{suffix}", service.name()))
        .map(|name| BrokerUser { password: secrets.password(&format!("broker {name}")), name, administrator: false })
        .collect()
}

/// The definitions that a private broker is started with.
#[must_use]
pub fn definitions(secrets: &Secrets) -> Definitions {
    Definitions { vhosts: vec![VHOST.to_owned()], users: users("", secrets) }
}

/// A virtual host with its users on a shared broker.
#[derive(Clone, Debug)]
pub struct Tenancy {
    management_url: String,
    vhost: String,
    users: Vec<BrokerUser>,
}

impl Tenancy {
    /// Creates the virtual host and the users through the broker's management interface.
    ///
    /// # Errors
    /// When the broker cannot be reached or refuses.
    pub async fn make(management_url: &str, vhost: &str, users: Vec<BrokerUser>) -> Result<Self> {
        let tenancy = Self { management_url: management_url.to_owned(), vhost: vhost.to_owned(), users };
        tenancy.put(&format!("vhosts/{vhost}"), json!({})).await?;
        for BrokerUser { name, password, .. } in &tenancy.users {
            tenancy.put(&format!("users/{name}"), json!({ "password": password, "tags": "" })).await?;
            let all = json!({ "configure": ".*", "write": ".*", "read": ".*" });
            tenancy.put(&format!("permissions/{vhost}/{name}"), all).await?;
        }
        Ok(tenancy)
    }

    /// The address for a service on the broker at `amqp_url`.
    ///
    /// # Errors
    /// When the address is malformed.
    pub fn url(&self, amqp_url: &str, service: Service) -> Result<String> {
        let user = user_of(&self.users, service)?;
        let mut url = reqwest::Url::parse(amqp_url)?;
        let refused = |()| anyhow::anyhow!("AMQP_URL has no host");
        url.set_username(&user.name).map_err(refused)?;
        url.set_password(Some(&user.password)).map_err(refused)?;
        url.set_path(&self.vhost);
        Ok(url.into())
    }

    /// Removes the virtual host and the users.
    ///
    /// # Errors
    /// When the broker cannot be reached.
    pub async fn remove(&self) -> Result<()> {
        let client = reqwest::Client::new();
        let paths = self.users.iter().map(|user| format!("users/{}", user.name));
        for path in std::iter::once(format!("vhosts/{}", self.vhost)).chain(paths) {
            client.delete(format!("{}/api/{path}", self.management_url)).send().await?;
        }
        Ok(())
    }

    /// Every put may be repeated: a node of a cluster that has just started answers 500 when another one is late with
    /// the virtual host.
    async fn put(&self, path: &str, body: Value) -> Result<()> {
        let request = reqwest::Client::new().put(format!("{}/api/{path}", self.management_url)).json(&body).build()?;
        for attempt in 1.. {
            let again = request.try_clone().context("a body in memory can be sent again")?;
            let answer = reqwest::Client::new().execute(again).await?;
            if !answer.status().is_server_error() || attempt == ATTEMPTS {
                answer.error_for_status()?;
                break;
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }
}

/// The user of a service.
///
/// # Errors
/// When there is none.
pub fn user_of(users: &[BrokerUser], service: Service) -> Result<&BrokerUser> {
    users.iter().find(|user| user.name.starts_with(service.name())).context("every service has a broker user")
}
