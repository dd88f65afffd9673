//! The identity of callers: members and staff by a token of auth and a live session, services by their credential. A
//! user id in a request never identifies the caller.

mod credential;

mod refusal;

mod role;

mod session;

mod verifier;

pub use self::credential::{Credential, SERVICE_AUDIENCE};
pub use self::refusal::{must_enrol_totp, not_permitted, role_too_new, step_up_required, unauthenticated};
pub use self::role::Role;
pub use self::session::{PayoutState, Session, Sessions, Staff};
pub use self::verifier::{MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims, Verifier, bearer};
