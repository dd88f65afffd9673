//! Clients of payment-method and auth.

mod methods;

mod quotes;

mod codes;

mod chains;

pub use self::chains::{Chains, Look};
pub use self::codes::Codes;
pub use self::methods::Methods;
pub use self::quotes::{Quoted, Quotes};
