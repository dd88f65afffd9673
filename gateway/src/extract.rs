//! What handlers take from a request about its sender. A handler that takes a [`VerifiedMember`], an [`ActiveMember`] or a
//! [`StaffMember`] is only reached by one; the services check again. One that takes a [`NamedMember`] leaves the check to the
//! service that it calls.

mod client_address;

mod named;

mod request_id;

mod role;

mod session;

pub use self::client_address::client_address;
pub use self::named::NamedMember;
pub use self::request_id::RequestId;
pub use self::role::{ActiveMember, AnyStaff, MaybeVerifiedMember, SignedIn, StaffMember, VerifiedMember};
pub use self::session::{Caller, MaybeSignedIn, Visitor, bearer, on_behalf};
