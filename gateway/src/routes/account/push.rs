//! Notices on devices (Web Push): whether they go to that of the calling session.

use proto::mailer::v1 as mailer;
use proto::mailer::v1::{GetPushRequest, SubscribePushRequest, UnsubscribePushRequest};
use route_macros::{delete, get, put, request, response};

use crate::extract::VerifiedMember;
use crate::http::json::{Answer, Done, Field, Json, ToProto, done, reply};
use crate::peers::clients::ask;

/// Whether notices go to this device.
#[response(from = mailer::GetPushResponse)]
pub struct PushState {
    /// Key that the browser subscribes with (`applicationServerKey`). `null` if notices are not sent to devices.
    #[nullable]
    public_key: Option<String>,
    is_on: bool,
}

/// A subscription that the browser made.
#[request(to = SubscribePushRequest)]
pub struct PushSubscription {
    /// Where its push service takes notices.
    endpoint: Field<String>,
    /// Key of the browser, base64url.
    p256dh: Field<String>,
    /// Secret of the browser, base64url.
    auth: Field<String>,
}

/// Read whether notices go to this device
#[get("/notices/push", "Notices")]
pub async fn state(caller: VerifiedMember) -> Answer<PushState> {
    reply(ask!(caller.notices.get_push(GetPushRequest {}))?)
}

/// Send notices to this device
///
/// Their words have no amounts and no names. Repeated at each visit: it ends 30 days after the last time, with a logout, and
/// when all sessions of the account are ended. An account has ten devices; the one that was renewed longest ago makes room.
#[put("/notices/push", "Notices")]
pub async fn subscribe(caller: VerifiedMember, Json { value, .. }: Json<PushSubscription>) -> Answer<Done> {
    let message: SubscribePushRequest = value.to_proto()?;
    ask!(caller.notices.subscribe_push(message))?;
    done("Notices are shown on this device.")
}

/// Send no more notices to this device
#[delete("/notices/push", "Notices")]
pub async fn unsubscribe(caller: VerifiedMember) -> Answer<Done> {
    ask!(caller.notices.unsubscribe_push(UnsubscribePushRequest {}))?;
    done("Notices are no longer shown on this device.")
}
