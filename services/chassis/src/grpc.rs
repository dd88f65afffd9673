//! gRPC: the server of every service, and channels and calls to other services.

mod channel;

mod client;

mod metadata;

mod server;

pub use self::channel::{Channel, channel};
pub use self::client::{Call, DEADLINE, Outgoing, call_with_retry};
pub use self::metadata::{REQUEST_ID, Reply, answer, request_id};
pub use self::server::{CONNECTION_AGE, bind, serve};
pub use crate::error::REPLAYED;
