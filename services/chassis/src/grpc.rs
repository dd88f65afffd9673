//! gRPC: the server of every service, and channels and calls to other services.

mod channel;

mod client;

mod metadata;

mod server;

mod tls;

pub use self::channel::{Channel, channel};
pub use self::client::{Call, DEADLINE, Outgoing, call_with_retry};
pub use self::metadata::{REQUEST_ID, Reply, answer, request_id};
pub use self::server::{bind, serve};
pub use self::tls::Certificates;
pub use crate::config::CONNECTION_AGE;
pub use crate::error::REPLAYED;
