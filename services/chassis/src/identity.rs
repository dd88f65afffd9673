//! The identity of callers. The gateway knows members and staff by a token of auth and a live session; services know them
//! by what the gateway signed for that one service, and each other by their credentials. A user id in a request never
//! identifies the caller.

mod credential;

mod refusal;

mod role;

mod session;

mod verifier;

pub use self::credential::{Credential, Named};
pub use self::refusal::{must_enrol_totp, not_permitted, role_too_new, step_up_required, unauthenticated};
pub use self::role::Role;
pub use self::session::{PayoutState, Session, Sessions, Staff};
pub use self::verifier::{
    Accepts, Confirmation, MEMBER_AUDIENCE, MEMBER_ISSUER, MemberClaims, Signatures, Verifier, bearer,
};
