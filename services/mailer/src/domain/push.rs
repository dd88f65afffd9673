//! Notices on devices (Web Push): where they may be sent, and what they say there. [D-M7]

use chassis::id::{SessionId, UserId};
use serde::Serialize;

use super::notice::Facts;
use super::template::Template;

/// Bytes of an address; those of the known push services have up to 500.
const LONGEST_ENDPOINT: usize = 1_024;
/// Bytes of a public key: an uncompressed point of P-256.
pub const POINT: usize = 65;
/// Bytes of the secret that a browser shares with this service alone.
pub const SECRET: usize = 16;

/// The hosts of push services. `*.` stands for every host below.
#[derive(Debug, Clone)]
pub struct PushServices(Vec<String>);

impl PushServices {
    /// Those of the setting.
    ///
    /// # Errors
    /// Names the entry that is no host.
    pub fn parse(hosts: &[String]) -> Result<Self, String> {
        let hosts = hosts.iter().map(|host| host.trim().to_ascii_lowercase()).filter(|host| !host.is_empty());
        let hosts: Vec<_> = hosts.collect();
        match hosts.iter().find(|host| !is_name(host.strip_prefix("*.").unwrap_or(host))) {
            Some(host) => Err(format!("{host} is no host")),
            None => Ok(Self(hosts)),
        }
    }

    /// Whether there are none: then notices are not sent to devices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|known| match known.strip_prefix('*') {
            Some(below) => host.len() > below.len() && host.ends_with(below),
            None => host == known,
        })
    }

    /// The host of an address that a browser named, if notices may be sent there: `https` at its usual port, at a known push
    /// service, without anything that parsers of addresses read differently.
    #[must_use]
    pub fn host<'a>(&self, endpoint: &'a str) -> Option<&'a str> {
        let rest = endpoint.strip_prefix("https://")?;
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'<' | b'>' | b'"' | b'`');
        let (host, path) = rest.split_once('/')?;
        let is_well_formed = endpoint.len() <= LONGEST_ENDPOINT && !path.is_empty() && endpoint.bytes().all(plain);
        (is_well_formed && is_name(host) && self.has(host)).then_some(host)
    }
}

/// A name of at least two labels, in lower case; not an address, whose last label is a number.
fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let last = host.rsplit_once('.').map(|(_, last)| last);
    host.split('.').all(is_label) && last.is_some_and(|label| label.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// What a browser named: where its notices go, and the keys that they are encrypted with.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    pub endpoint: String,
    pub p256dh: [u8; POINT],
    pub auth: [u8; SECRET],
}

impl Subscription {
    /// As it is sealed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.auth.as_slice(), &self.p256dh, self.endpoint.as_bytes()].concat()
    }

    /// As it was sealed.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (auth, rest) = bytes.split_first_chunk()?;
        let (p256dh, endpoint) = rest.split_first_chunk()?;
        let endpoint = String::from_utf8(endpoint.to_vec()).ok()?;
        Some(Self { endpoint, p256dh: *p256dh, auth: *auth })
    }
}

/// Sessions that were ended, and whose devices get no more notices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Sessions(Vec<SessionId>),
    /// All of a member, except one if it is given, those included that were no longer used.
    AllOf(UserId, Option<SessionId>),
}

/// What a device shows. Anyone who holds it reads that, also while it is locked: no amount, name, address or reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PushText {
    pub title: &'static str,
    pub body: &'static str,
    /// The page that it opens.
    pub path: String,
    /// The notice, so that a second copy takes the place of the first.
    pub tag: String,
}

/// Title, sentence and page of a kind; `None` for a mail without a notice.
#[must_use]
pub fn words(kind: Template, facts: &Facts) -> Option<(&'static str, &'static str, String)> {
    let transaction = || below("/transactions", &facts.transaction_id);
    let case = || below("/cases", &facts.case_id);
    let page = str::to_owned;
    const REASON: &str = "Open it to read why.";
    const NOT_YOU: &str = "If this was not you, use the link in our email.";
    let words = match kind {
        Template::PaymentSeen => (
            "We see your payment",
            "It is added once the network has confirmed it and it has passed our review.",
            page("/transactions"),
        ),
        Template::DepositConfirmed => ("Your deposit is confirmed", "It was added to your balance.", transaction()),
        Template::DepositRejected => ("Your deposit was not accepted", REASON, transaction()),
        Template::PaymentReturned => ("Your payment was returned", "Open it to see where it went.", transaction()),
        Template::WithdrawalReceived => {
            ("A withdrawal was requested", "If this was not you, contact support at once.", transaction())
        }
        Template::WithdrawalApproved => ("Your withdrawal is approved", "It is sent next.", transaction()),
        Template::WithdrawalPaid => ("Your withdrawal was sent", "Open it to see the payment.", transaction()),
        Template::WithdrawalRejected => ("Your withdrawal was not accepted", REASON, transaction()),
        Template::FeeConfirmed => ("Your fee payment is confirmed", "Open it to see the payment.", transaction()),
        Template::FeeRejected => ("Your fee payment was not accepted", REASON, transaction()),
        Template::BonusGranted => ("You received a bonus", "Open it to see its terms.", transaction()),
        Template::BonusReleased => ("Your bonus was released", "It is part of your balance now.", transaction()),
        Template::BalanceAdjusted => ("Your balance was corrected", REASON, transaction()),
        Template::TradeMatured => ("An investment has matured", "It can be claimed.", page("/investments")),
        Template::PayoutDelayed => (
            "A payout waits for the cash of its plan",
            "Its value is fixed. It is paid as soon as cash arrives.",
            page("/investments"),
        ),
        Template::TradeClaimed => ("An investment was paid out", "It is in your balance.", page("/investments")),
        Template::TradeClosed => ("An investment was closed", "It is in your balance.", page("/investments")),
        Template::CourseUnlocked => ("You have access to the course", "Open it to begin.", page("/courses")),
        Template::CourseRefunded => ("The course was refunded", "It is back in your balance.", transaction()),
        Template::CoursePaymentRejected => ("Your course payment was not accepted", REASON, transaction()),
        Template::CaseAnswered => ("We answered in your case", "Open it to read the answer.", case()),
        Template::CaseClosed => ("We closed your case", REASON, case()),
        Template::ComplaintRegistered => {
            ("We registered your complaint", "It is settled within ten working days.", case())
        }
        Template::DestinationCode => {
            ("A payout address waits for your confirmation", "The code is in your email.", page("/profile/activity"))
        }
        Template::PasswordChanged => ("Your password was changed", NOT_YOU, page("/profile/activity")),
        Template::SecondFactorChanged => ("Your second factors were changed", NOT_YOU, page("/profile/activity")),
        Template::EmailChangeRequested => {
            ("Another email address was requested for your account", NOT_YOU, page("/profile/activity"))
        }
        Template::EmailChanged => ("Your email address was changed", NOT_YOU, page("/profile/activity")),
        Template::NewSignIn => ("Login from a new device", NOT_YOU, page("/profile/activity")),
        Template::SignInsRefused => ("Several logins failed", NOT_YOU, page("/profile/activity")),
        Template::AccountFrozen => ("Your account was frozen", "Our team will contact you by email.", page("/notices")),
        Template::AccountClosing => ("Your account will be closed", NOT_YOU, page("/profile")),
        Template::VerificationCode
        | Template::ResetLink
        | Template::StaffInvited
        | Template::AccountClosed
        | Template::DepositReceived
        | Template::CoursePaymentReceived
        | Template::FeeReceived
        | Template::TradeOpened
        | Template::CaseOpened
        | Template::PlatformMethodChanged
        | Template::StaffChanged
        | Template::RootsOfTheDay => return None,
    };
    Some(words)
}

/// The page of one of a list, or the list.
fn below(list: &str, id: &str) -> String {
    if id.is_empty() { list.to_owned() } else { format!("{list}/{id}") }
}

#[cfg(test)]
mod tests {
    use super::{Facts, PushServices, Subscription, Template, words};
    use strum::VariantArray;

    fn services() -> PushServices {
        let hosts = ["fcm.googleapis.com", "*.push.apple.com"].map(str::to_owned);
        PushServices::parse(&hosts).unwrap()
    }

    /// [D-M7] Notices go to known push services alone.
    #[test]
    fn only_known_push_services_are_called() {
        let services = services();
        assert_eq!(services.host("https://fcm.googleapis.com/fcm/send/a:b_c-d"), Some("fcm.googleapis.com"));
        assert_eq!(services.host("https://web.push.apple.com/Q?x=1"), Some("web.push.apple.com"));
        let long = format!("https://fcm.googleapis.com/{}", "x".repeat(1_024));
        for endpoint in [
            "",
            "https://fcm.googleapis.com",
            "https://fcm.googleapis.com/",
            "http://fcm.googleapis.com/a",
            "HTTPS://fcm.googleapis.com/a",
            "https:fcm.googleapis.com/a",
            "https:///fcm.googleapis.com/a",
            "https://fcm.googleapis.com:443/a",
            "https://fcm.googleapis.com:8443/a",
            "https://fcm.googleapis.com./a",
            "https://FCM.googleapis.com/a",
            "https://a@fcm.googleapis.com/a",
            "https://fcm.googleapis.com@10.0.0.1/a",
            "https://fcm.googleapis.com\\@10.0.0.1/a",
            "https://fcm.googleapis.com#@10.0.0.1/a",
            "https://fcm.googleapis.com?@10.0.0.1/a",
            "https://fcm.googleapis.com/a b",
            "https://fcm.googleapis.com/a\r\nHost: x",
            "https://fcm.googleapis.com/é",
            "https://fcm.googleapis.com/a#b",
            "https://x.fcm.googleapis.com/a",
            "https://evilfcm.googleapis.com/a",
            "https://push.apple.com/a",
            "https://.push.apple.com/a",
            "https://evilpush.apple.com/a",
            "https://a.push.apple.com.evil.example/a",
            "https://127.0.0.1/a",
            "https://[::1]/a",
            "https://0x7f.1/a",
            "https://localhost/a",
            "https://169.254.169.254/latest/meta-data/",
            &long,
        ] {
            assert_eq!(services.host(endpoint), None, "{endpoint}");
        }
    }

    #[test]
    fn settings_name_hosts() {
        for wrong in ["127.0.0.1", "*", "*.com:443", "https://push.example", "localhost", "a b.example", "*.*.example"]
        {
            assert!(PushServices::parse(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
        assert!(PushServices::parse(&[" Push.Example ".to_owned(), String::new()]).unwrap().has("push.example"));
    }

    /// [D-M7] Every notice has words, and only a notice; they have no figure, and nothing that differs from member to member but
    /// the page.
    #[test]
    fn devices_show_no_amounts_and_no_names() {
        let facts = Facts {
            transaction_id: "t-1".to_owned(),
            case_id: "c-1".to_owned(),
            amount_cents: 25_000,
            plan: "Starter".to_owned(),
            reason: "Blurred".to_owned(),
            device: "Firefox on Linux".to_owned(),
            address_block: "203.0.113.0/24".to_owned(),
            change: "passkey_added".to_owned(),
            case_number: 4_711,
        };
        for &kind in Template::VARIANTS {
            let said = words(kind, &facts);
            assert_eq!(said.is_some(), kind.notice_group().is_some(), "{kind:?}");
            let Some((title, body, path)) = said else { continue };
            assert!(!title.is_empty() && !body.is_empty() && title.len() <= 60 && body.len() <= 100, "{kind:?}");
            assert!(!format!("{title}{body}").contains(|c: char| c.is_ascii_digit() || c == '$'), "{kind:?}");
            assert!(path.starts_with('/') && !path.starts_with("//"), "{path}");
            assert!(words(kind, &Facts::default()).is_some_and(|(_, _, path)| !path.ends_with('/')), "{kind:?}");
        }
    }

    #[test]
    fn sealed_subscriptions_read_back() {
        let one = Subscription { endpoint: "https://push.example/a".to_owned(), p256dh: [4; 65], auth: [7; 16] };
        assert!(Subscription::from_bytes(&one.to_bytes()) == Some(one));
        assert!(Subscription::from_bytes(&[0; 80]).is_none());
    }
}
