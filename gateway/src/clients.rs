//! The services, as the gateway needs them.

use chassis::grpc::{Channel, channel};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::directory_service_client::DirectoryServiceClient;
use proto::auth::v1::factor_service_client::FactorServiceClient;
use proto::auth::v1::staff_service_client::StaffServiceClient as AuthStaffClient;
use proto::common::v1::file_owner_service_client::FileOwnerServiceClient;
use proto::common::v1::member_data_service_client::MemberDataServiceClient;
use proto::course::v1::course_service_client::CourseServiceClient;
use proto::course::v1::media_service_client::MediaServiceClient;
use proto::course::v1::staff_service_client::StaffServiceClient as CourseStaffClient;
use proto::mailer::v1::staff_service_client::StaffServiceClient as MailerStaffClient;
use proto::payment_method::v1::payment_method_service_client::PaymentMethodServiceClient;
use proto::payment_method::v1::staff_service_client::StaffServiceClient as PaymentMethodStaffClient;
use proto::trade::v1::staff_service_client::StaffServiceClient as TradeStaffClient;
use proto::trade::v1::trade_service_client::TradeServiceClient;
use proto::wallet::v1::backing_service_client::BackingServiceClient;
use proto::wallet::v1::liabilities_service_client::LiabilitiesServiceClient;
use proto::wallet::v1::receipt_service_client::ReceiptServiceClient;
use proto::wallet::v1::staff_service_client::StaffServiceClient as WalletStaffClient;
use proto::wallet::v1::treasury_service_client::TreasuryServiceClient;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;

use crate::config::Config;

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
    /// What each service keeps about the caller.
    pub member_data: MemberData,
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
    /// The member's own payment methods, and those of the platform.
    pub payment_method: PaymentMethodServiceClient<Channel>,
    /// Platform methods, for staff.
    pub payment_method_staff: PaymentMethodStaffClient<Channel>,
    /// Dead letters of the mailer, for staff.
    pub mailer_staff: MailerStaffClient<Channel>,
}

/// The services that keep something about members.
#[derive(Clone)]
pub struct MemberData {
    pub auth: MemberDataServiceClient<Channel>,
    pub wallet: MemberDataServiceClient<Channel>,
    pub trade: MemberDataServiceClient<Channel>,
    pub course: MemberDataServiceClient<Channel>,
    pub payment_method: MemberDataServiceClient<Channel>,
    pub mailer: MemberDataServiceClient<Channel>,
}

/// The services that refer to stored files, by the purpose of the files.
#[derive(Clone)]
pub struct FileOwners {
    pub receipts: FileOwnerServiceClient<Channel>,
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
        let mailer = channel("mailer", &config.mailer_url, &config.tls)?;
        let file_owners = FileOwners {
            receipts: FileOwnerServiceClient::new(wallet.clone()),
            photos: FileOwnerServiceClient::new(auth.clone()),
            methods: FileOwnerServiceClient::new(payment_method.clone()),
        };
        let member_data = MemberData {
            auth: MemberDataServiceClient::new(auth.clone()),
            wallet: MemberDataServiceClient::new(wallet.clone()),
            trade: MemberDataServiceClient::new(trade.clone()),
            course: MemberDataServiceClient::new(course.clone()),
            payment_method: MemberDataServiceClient::new(payment_method.clone()),
            mailer: MemberDataServiceClient::new(mailer.clone()),
        };
        Ok(Self {
            member_data,
            file_owners,
            receipts: ReceiptServiceClient::new(wallet.clone()),
            auth: AuthServiceClient::new(auth.clone()),
            factors: FactorServiceClient::new(auth.clone()),
            directory: DirectoryServiceClient::new(auth.clone()),
            auth_staff: AuthStaffClient::new(auth),
            wallet: WalletServiceClient::new(wallet.clone()),
            wallet_staff: WalletStaffClient::new(wallet.clone()),
            treasury: TreasuryServiceClient::new(wallet.clone()),
            backing: BackingServiceClient::new(wallet.clone()),
            liabilities: LiabilitiesServiceClient::new(wallet),
            trade: TradeServiceClient::new(trade.clone()),
            trade_staff: TradeStaffClient::new(trade),
            course: CourseServiceClient::new(course.clone()),
            course_media: MediaServiceClient::new(course.clone()),
            course_staff: CourseStaffClient::new(course),
            payment_method: PaymentMethodServiceClient::new(payment_method.clone()),
            payment_method_staff: PaymentMethodStaffClient::new(payment_method),
            mailer_staff: MailerStaffClient::new(mailer),
        })
    }
}

/// Calls a method once, because each call takes effect.
macro_rules! call {
    ($client:expr, $method:ident, $out:expr, $message:expr) => {
        $crate::clients::call_with_retry!($client, $method, $out.clone().once($message))
    };
}

/// Calls a method that may be repeated: a read, or a mutation under a key.
macro_rules! call_retrying {
    ($client:expr, $method:ident, $out:expr, $message:expr) => {
        $crate::clients::call_with_retry!($client, $method, $out.clone().idempotent($message))
    };
}

macro_rules! call_with_retry {
    ($client:expr, $method:ident, $call:expr) => {
        chassis::call!($client, $method, $call).await.map_err($crate::error::ApiError::from)
    };
}

/// Calls a mutation, with retries if it carries an idempotency key.
macro_rules! call_keyed {
    ($client:expr, $method:ident, $out:expr, $claim:expr, $message:expr) => {
        if $claim.is_some() {
            $crate::clients::call_retrying!($client, $method, $out, $message)
        } else {
            $crate::clients::call!($client, $method, $out, $message)
        }
    };
}

pub(crate) use {call, call_keyed, call_retrying, call_with_retry};
