//! Sends a mail that says nothing but that mails arrive: how an operator learns whether the relay takes them.

use std::time::Duration;

use chassis::clock;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clients::Contact;
use crate::message::Sender;
use crate::render::Content;
use crate::smtp::{SendError, Transport};

/// How long all of it may take: a relay that is not there is known after this.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends it to this address, once, and returns what the relay answered.
///
/// # Errors
/// What the relay answered instead, or why it cannot be reached.
pub async fn send_test(transport: &Transport, sender: &Sender, address: &str) -> Result<String, SendError> {
    let to = Contact { name: String::new(), email: address.to_owned() };
    let text = format!("This is a test of the mail settings, sent at {}.\n", clock::to_text(OffsetDateTime::now_utc()));
    let html = format!("<p>{}</p>\n", text.trim_end());
    let content = Content { subject: "Test of the mail settings".to_owned(), text, html };
    let sender = sender.clone();
    let write = move || sender.message(Uuid::now_v7(), &to, content).map_err(|error| error.to_string());
    let sending = transport.send("test", write);
    let late = |_| Err(SendError::Unreachable(format!("no answer within {} s", PATIENCE.as_secs())));
    tokio::time::timeout(PATIENCE, sending).await.unwrap_or_else(late)
}
