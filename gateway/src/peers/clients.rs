//! The services, as the gateway needs them.

use std::collections::HashMap;

use chassis::grpc::{Channel, REPLAYED, channel};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::factor_service_client::FactorServiceClient;
use proto::auth::v1::staff_service_client::StaffServiceClient as AuthStaffClient;
use proto::cases::v1::case_service_client::CaseServiceClient;
use proto::cases::v1::staff_service_client::StaffServiceClient as CasesStaffClient;
use proto::common::v1::audit_service_client::AuditServiceClient;
use proto::common::v1::dead_letter_service_client::DeadLetterServiceClient;
use proto::common::v1::file_owner_service_client::FileOwnerServiceClient;
use proto::common::v1::member_data_service_client::MemberDataServiceClient;
use proto::common::v1::proposal_service_client::ProposalServiceClient;
use proto::course::v1::course_service_client::CourseServiceClient;
use proto::course::v1::media_service_client::MediaServiceClient;
use proto::course::v1::staff_service_client::StaffServiceClient as CourseStaffClient;
use proto::mailer::v1::announcement_service_client::AnnouncementServiceClient;
use proto::mailer::v1::notice_service_client::NoticeServiceClient;
use proto::payment_method::v1::payment_method_service_client::PaymentMethodServiceClient;
use proto::payment_method::v1::staff_service_client::StaffServiceClient as PaymentMethodStaffClient;
use proto::payment_method::v1::status_service_client::StatusServiceClient as ChainStatusClient;
use proto::trade::v1::staff_service_client::StaffServiceClient as TradeStaffClient;
use proto::trade::v1::trade_service_client::TradeServiceClient;
use proto::wallet::v1::backing_service_client::BackingServiceClient;
use proto::wallet::v1::liabilities_service_client::LiabilitiesServiceClient;
use proto::wallet::v1::receipt_service_client::ReceiptServiceClient;
use proto::wallet::v1::staff_service_client::StaffServiceClient as WalletStaffClient;
use proto::wallet::v1::status_service_client::StatusServiceClient as WalletStatusClient;
use proto::wallet::v1::treasury_service_client::TreasuryServiceClient;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;

use serde::Serialize;
use utoipa::ToSchema;

use crate::config::Config;
use crate::http::error::ApiError;
use crate::http::json::Kept;

/// The gRPC clients. Clones share the connections.
#[derive(Clone)]
pub struct Clients {
    /// Registration, sessions, profiles.
    pub auth: AuthServiceClient<Channel>,
    /// The second factors of the caller.
    pub factors: FactorServiceClient<Channel>,
    /// Accounts by id.
    pub directory: DirectoryServiceClient<Channel>,
    /// Members and staff, for staff.
    pub auth_staff: AuthStaffClient<Channel>,
    /// The member's money.
    pub wallet: WalletServiceClient<Channel>,
    /// Receipts before they are stored.
    pub receipts: ReceiptServiceClient<Channel>,
    /// Review, corrections and the ledger, for staff.
    pub wallet_staff: WalletStaffClient<Channel>,
    common: HashMap<Service, Common>,
    /// Whether withdrawals are open.
    pub wallet_status: WalletStatusClient<Channel>,
    /// How recent the view of each chain is.
    pub chain_status: ChainStatusClient<Channel>,
    /// Which stored files are in use.
    pub file_owners: FileOwners,
    /// The operator's money, for staff.
    pub treasury: TreasuryServiceClient<Channel>,
    /// What stands behind plans.
    pub backing: BackingServiceClient<Channel>,
    /// The proof of liabilities.
    pub liabilities: LiabilitiesServiceClient<Channel>,
    /// Plans and trades.
    pub trade: TradeServiceClient<Channel>,
    /// Plans and values, for staff.
    pub trade_staff: TradeStaffClient<Channel>,
    /// The course and the member's progress in it.
    pub course: CourseServiceClient<Channel>,
    /// The files of the course, for staff.
    pub course_media: MediaServiceClient<Channel>,
    /// The course, for staff.
    pub course_staff: CourseStaffClient<Channel>,
    /// The cases of the member.
    pub cases: CaseServiceClient<Channel>,
    /// Cases, for staff.
    pub cases_staff: CasesStaffClient<Channel>,
    /// The member's own payment methods, and those of the platform.
    pub payment_method: PaymentMethodServiceClient<Channel>,
    /// Platform methods, for staff.
    pub payment_method_staff: PaymentMethodStaffClient<Channel>,
    /// What happened to the member's money and account.
    pub notices: NoticeServiceClient<Channel>,
    /// What staff announce to all members.
    pub announcements: AnnouncementServiceClient<Channel>,
}

/// A service with a database of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    Auth,
    Wallet,
    Trade,
    Course,
    Cases,
    PaymentMethod,
    Mailer,
}

impl Service {
    pub const ALL: [Self; 7] =
        [Self::Auth, Self::Wallet, Self::Trade, Self::Course, Self::Cases, Self::PaymentMethod, Self::Mailer];
    /// Those with changes that take two people.
    pub const WITH_PROPOSALS: [Self; 5] = [Self::Wallet, Self::Trade, Self::PaymentMethod, Self::Auth, Self::Mailer];
    /// Those that consume events.
    pub const WITH_DEAD_LETTERS: [Self; 2] = [Self::Wallet, Self::Mailer];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Wallet => "wallet",
            Self::Trade => "trade",
            Self::Course => "course",
            Self::Cases => "cases",
            Self::PaymentMethod => "payment-method",
            Self::Mailer => "mailer",
        }
    }

    /// Begins the public ids of its proposals and dead letters.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Auth => "aut_",
            Self::Wallet => "wal_",
            Self::Trade => "trd_",
            Self::Course => "crs_",
            Self::Cases => "cas_",
            Self::PaymentMethod => "pay_",
            Self::Mailer => "mai_",
        }
    }

    /// The service of a public id among these, and its own id.
    pub fn of_id<'a>(among: &[Self], id: &'a str) -> Option<(Self, &'a str)> {
        among.iter().find_map(|service| id.strip_prefix(service.prefix()).map(|rest| (*service, rest)))
    }
}

/// What every service offers: its audit log, its proposals and dead letters if it has any, and what it keeps about the calling
/// member.
#[derive(Clone)]
pub struct Common {
    pub audit: AuditServiceClient<Channel>,
    pub proposals: ProposalServiceClient<Channel>,
    pub dead_letters: DeadLetterServiceClient<Channel>,
    pub member_data: MemberDataServiceClient<Channel>,
}

impl Common {
    fn new(channel: &Channel) -> Self {
        Self {
            audit: AuditServiceClient::new(channel.clone()),
            proposals: ProposalServiceClient::new(channel.clone()),
            dead_letters: DeadLetterServiceClient::new(channel.clone()),
            member_data: MemberDataServiceClient::new(channel.clone()),
        }
    }
}

/// The services that refer to stored files, by the purpose of the files.
#[derive(Clone)]
pub struct FileOwners {
    pub papers: FileOwnerServiceClient<Channel>,
    pub cases: FileOwnerServiceClient<Channel>,
    pub photos: FileOwnerServiceClient<Channel>,
    pub methods: FileOwnerServiceClient<Channel>,
}

impl Clients {
    /// Connects on the first call. Fails if a URL is malformed.
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        let auth = channel("auth", &config.auth_url, &config.tls)?;
        let wallet = channel("wallet", &config.wallet_url, &config.tls)?;
        let trade = channel("trade", &config.trade_url, &config.tls)?;
        let payment_method = channel("payment-method", &config.payment_method_url, &config.tls)?;
        let course = channel("course", &config.course_url, &config.tls)?;
        let cases = channel("cases", &config.cases_url, &config.tls)?;
        let mailer = channel("mailer", &config.mailer_url, &config.tls)?;
        let file_owners = FileOwners {
            papers: FileOwnerServiceClient::new(wallet.clone()),
            cases: FileOwnerServiceClient::new(cases.clone()),
            photos: FileOwnerServiceClient::new(auth.clone()),
            methods: FileOwnerServiceClient::new(payment_method.clone()),
        };
        let common = [
            (Service::Auth, &auth),
            (Service::Wallet, &wallet),
            (Service::Trade, &trade),
            (Service::Course, &course),
            (Service::Cases, &cases),
            (Service::PaymentMethod, &payment_method),
            (Service::Mailer, &mailer),
        ];
        let common = common.map(|(service, channel)| (service, Common::new(channel))).into();
        Ok(Self {
            common,
            file_owners,
            receipts: ReceiptServiceClient::new(wallet.clone()),
            auth: AuthServiceClient::new(auth.clone()),
            factors: FactorServiceClient::new(auth.clone()),
            directory: DirectoryServiceClient::new(auth.clone()),
            auth_staff: AuthStaffClient::new(auth),
            wallet: WalletServiceClient::new(wallet.clone()),
            wallet_staff: WalletStaffClient::new(wallet.clone()),
            wallet_status: WalletStatusClient::new(wallet.clone()),
            chain_status: ChainStatusClient::new(payment_method.clone()),
            treasury: TreasuryServiceClient::new(wallet.clone()),
            backing: BackingServiceClient::new(wallet.clone()),
            liabilities: LiabilitiesServiceClient::new(wallet),
            trade: TradeServiceClient::new(trade.clone()),
            trade_staff: TradeStaffClient::new(trade),
            course: CourseServiceClient::new(course.clone()),
            course_media: MediaServiceClient::new(course.clone()),
            course_staff: CourseStaffClient::new(course),
            cases: CaseServiceClient::new(cases.clone()),
            cases_staff: CasesStaffClient::new(cases),
            payment_method: PaymentMethodServiceClient::new(payment_method.clone()),
            payment_method_staff: PaymentMethodStaffClient::new(payment_method),
            notices: NoticeServiceClient::new(mailer.clone()),
            announcements: AnnouncementServiceClient::new(mailer),
        })
    }

    /// What a service offers like every other.
    ///
    /// # Errors
    /// Internal if it has no client.
    pub fn of(&self, service: Service) -> Result<&Common, ApiError> {
        self.common.get(&service).ok_or_else(|| ApiError::internal(format!("no client of {}", service.name())))
    }
}

/// Calls a method once, because each call takes effect.
macro_rules! call {
    ($client:expr, $method:ident, $out:expr, $message:expr) => {
        $crate::peers::clients::call_with_retry!($client, $method, $out.clone().once($message))
    };
}

/// Calls a method that may be repeated: a read, or a mutation under a key.
macro_rules! call_retrying {
    ($client:expr, $method:ident, $out:expr, $message:expr) => {
        $crate::peers::clients::call_with_retry!($client, $method, $out.clone().idempotent($message))
    };
}

macro_rules! call_with_retry {
    ($client:expr, $method:ident, $call:expr) => {
        chassis::call!($client, $method, $call).await.map_err($crate::http::error::ApiError::from)
    };
}

/// Calls a mutation, with retries if it has an idempotency key.
macro_rules! call_keyed {
    ($client:expr, $method:ident, $out:expr, $message:expr) => {{
        let message = $message;
        if message.idempotency.is_some() {
            $crate::peers::clients::call_retrying!($client, $method, $out, message)
        } else {
            $crate::peers::clients::call!($client, $method, $out, message)
        }
        .map($crate::peers::clients::kept)
    }};
}

/// Asks a service on behalf of the caller, again if it does not answer: a read, or a change that may be repeated.
///
/// `ask!(caller.auth_staff.get_member(message))?` is the answer.
macro_rules! ask {
    ($caller:ident.$client:ident.$method:ident($message:expr)) => {
        $crate::peers::clients::call_retrying!($caller.app.clients.$client, $method, $caller.out, $message)
            .map(tonic::Response::into_inner)
    };
}

/// Like [`ask`], but once, because each call takes effect.
macro_rules! send {
    ($caller:ident.$client:ident.$method:ident($message:expr)) => {
        $crate::peers::clients::call!($caller.app.clients.$client, $method, $caller.out, $message)
            .map(tonic::Response::into_inner)
    };
}

/// Like [`send`], with retries if the message has an idempotency key.
///
/// `keyed!(caller.trade.close_trade(message))?` is the answer as it is [`Kept`].
macro_rules! keyed {
    ($caller:ident.$client:ident.$method:ident($message:expr)) => {
        $crate::peers::clients::call_keyed!($caller.app.clients.$client, $method, $caller.out, $message)
    };
}

pub(crate) use {ask, call, call_keyed, call_retrying, call_with_retry, keyed, send};

/// The answer of a change with an idempotency key.
pub fn kept<T>(response: tonic::Response<T>) -> Kept<T> {
    let is_replay = response.metadata().get(REPLAYED).is_some();
    Kept { sent: response.into_inner(), is_replay }
}
