//! Delivery of notices to devices through the push services of their browsers (RFC 8030): signed, so that a push service knows
//! who sends ([keys]), and encrypted, so that it does not know what ([encryption]).

pub mod encryption;

pub mod keys;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode};
use time::OffsetDateTime;

use self::encryption::encrypt;
use self::keys::PushKeys;
use crate::domain::push::{PushServices, Subscription};

/// How long one message may take, from the first byte sent to the status.
const DEADLINE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(3);

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The browser has ended its subscription, or it belongs to another deployment.
    #[error("the subscription has ended")]
    Gone,
    /// The push service cannot be reached, or asks to come back later: after this time, if it says so.
    #[error("the push service takes nothing now: {1}")]
    Deferred(Option<Duration>, String),
    /// It refuses this message.
    #[error("the push service refuses: {0}")]
    Refused(String),
}

/// A message to one device.
pub struct Message<'a> {
    pub to: &'a Subscription,
    pub text: &'a [u8],
    /// For so long the push service keeps it while the device is away.
    pub life: Duration,
    /// Whether it may wake a device that saves its battery.
    pub is_urgent: bool,
}

pub struct Push {
    pub keys: PushKeys,
    pub services: PushServices,
    pub http: Client,
    /// Whom a push service writes to when something is wrong with the messages.
    pub subject: String,
}

/// The settings of the client: a push service is named by a browser, so that no redirect is followed, no answer is read, and
/// each call ends in time.
pub fn client(resolver: Arc<dyn Resolve>) -> ClientBuilder {
    let client = Client::builder().https_only(true).redirect(Policy::none()).dns_resolver(resolver);
    client.connect_timeout(CONNECT).timeout(DEADLINE).user_agent("solvane")
}

impl Push {
    /// Sends one message.
    ///
    /// # Errors
    /// Why it was not taken.
    pub async fn send(&self, message: &Message<'_>, now: OffsetDateTime) -> Result<(), PushError> {
        // Also those that the setting had when the browser subscribed.
        let host = self.services.host(&message.to.endpoint).ok_or(PushError::Gone)?;
        let body = encrypt(message.text, message.to).map_err(|error| PushError::Refused(error.to_string()))?;
        let signed = self.keys.authorization(host, &self.subject, now);
        let signed = signed.map_err(|error| PushError::Refused(error.to_string()))?;
        let request = self.http.post(&message.to.endpoint).header(AUTHORIZATION, signed);
        let request = request.header(CONTENT_ENCODING, "aes128gcm").header("TTL", message.life.as_secs());
        let request = request.header("Urgency", if message.is_urgent { "high" } else { "normal" }).body(body);
        // The address is a secret of the browser.
        let away = |error: reqwest::Error| PushError::Deferred(None, causes(&error.without_url()));
        let answer = tokio::time::timeout(DEADLINE, request.send()).await;
        let answer = answer.map_err(|_| PushError::Deferred(None, "it did not answer in time".to_owned()))?;
        let answer = answer.map_err(away)?;
        let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let status = answer.status();
        let said = format!("status {}", status.as_u16());
        match status {
            _ if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND | StatusCode::GONE => Err(PushError::Gone),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Err(PushError::Deferred(seconds.map(Duration::from_secs), said))
            }
            _ if status.is_server_error() => Err(PushError::Deferred(seconds.map(Duration::from_secs), said)),
            _ => Err(PushError::Refused(said)),
        }
    }
}

/// An error with what caused it, which it does not say by itself.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Resolves names to addresses of the public internet alone: a name may lead to a machine of this network.
pub struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<_> = found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(io::Error::other("its name leads to no public address").into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address is one of the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        // An assigned address, neither for documentation nor with an embedded IPv4 address.
        IpAddr::V6(address) => {
            address.to_ipv4_mapped().is_some_and(is_public_v4)
                || address.segments()[0] & 0xe000 == 0x2000
                    && !matches!(address.segments(), [0x2001, 0..0x200 | 0xdb8, ..] | [0x2002 | 0x3fff, ..])
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_special = matches!(
        address.octets(),
        [0 | 10 | 127 | 224.., ..]
            | [100, 64..128, ..]
            | [169, 254, ..]
            | [172, 16..32, ..]
            | [192, 0, 0 | 2, _]
            | [192, 88, 99, _]
            | [192, 168, ..]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    );
    !is_special
}

#[cfg(test)]
mod tests {
    use reqwest::dns::Resolve;

    use super::{PublicAddresses, is_public};

    /// [D-M7] No name leads a message into this network.
    #[tokio::test]
    async fn private_addresses_are_never_called() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
            "64:ff9b::a00:1",
            "2001:db8::1",
            "2001::1",
            "2002:a00:1::",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in
            ["142.250.74.202", "172.32.0.1", "100.128.0.1", "2a00:1450:400f:80d::200a", "2001:4860:4860::8888"]
        {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for name in ["localhost", "127.0.0.1"] {
            assert!(PublicAddresses.resolve(name.parse().unwrap()).await.is_err(), "{name}");
        }
    }
}
