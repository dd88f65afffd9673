//! What handlers take from a request about its sender. A handler that takes a [`VerifiedMember`], an [`ActiveMember`] or a
//! [`StaffMember`] is only reached by one; the services check again.

mod client_address;

mod member;

mod request_id;

mod session;

mod staff;

pub use self::client_address::client_address;
pub use self::member::{ActiveMember, MaybeVerifiedMember, VerifiedMember};
pub use self::request_id::RequestId;
pub use self::session::{MaybeSignedIn, SignedIn, Visitor, bearer, on_behalf};
pub use self::staff::{AnyStaff, StaffMember};
