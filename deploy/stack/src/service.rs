//! The processes of the product, and the environment each of them takes.

use std::path::{Path, PathBuf};

use crate::host::{
    certificates::Certificates,
    launch::{Launch, Output},
};

/// A process of the product.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Service {
    /// Accounts, sessions, staff.
    Auth,
    /// The ledger, deposits and withdrawals.
    Wallet,
    /// Plans and trades.
    Trade,
    /// The course and the progress of members.
    Course,
    /// The cases of members.
    Cases,
    /// Deposit addresses and payout destinations.
    PaymentMethod,
    Mailer,
    /// REST, files and the web application.
    Gateway,
    /// Makes videos of uploaded files: a second process of course, which nobody calls.
    CourseWorker,
}

/// One of the processes of a service, by its number from 0; a service alone is its first.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Replica(pub Service, pub u8);

/// Where a service listens.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// gRPC, or HTTP for the gateway.
    pub main: u16,
    /// Health and metrics.
    pub ops: u16,
}

/// What all processes share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Data of this stack: keys, mail, files.
    pub folder: PathBuf,
    /// Where the binaries are.
    pub binaries: PathBuf,
    /// The built web application.
    pub web: PathBuf,
    /// Whether rate limits by address are off: in tests, all clients share one address.
    pub unlimited: bool,
    /// Whether staff need a second factor; off only in a local stack.
    pub staff_totp: bool,
    /// An SMTP server, instead of mail as files.
    pub smtp_url: Option<String>,
    /// The certificates, if processes and servers use TLS.
    pub certificates: Option<Certificates>,
    /// The origin that members see.
    pub public_url: String,
}

// === impl Replica ===

impl Replica {
    /// Its name in logs.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self(service, 0) => service.name().to_owned(),
            Self(service, number) => format!("{}-{number}", service.name()),
        }
    }
}

impl From<Service> for Replica {
    fn from(service: Service) -> Self {
        Self(service, 0)
    }
}

// === impl Service ===

impl Service {
    /// All that are called; the gateway last, because it becomes ready only after the others.
    pub const ALL: [Self; 8] = [
        Self::Auth,
        Self::Wallet,
        Self::Trade,
        Self::Course,
        Self::Cases,
        Self::PaymentMethod,
        Self::Mailer,
        Self::Gateway,
    ];

    /// Everything that runs.
    pub fn processes() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain([Self::CourseWorker])
    }

    /// The services, each of which has a database; the gateway has none.
    pub fn services() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|one| one.database().is_some())
    }

    /// Its name in logs; that of a service is also the name of its crate, binary and credential.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Wallet => "wallet",
            Self::Trade => "trade",
            Self::Course => "course",
            Self::Cases => "cases",
            Self::PaymentMethod => "payment-method",
            Self::Mailer => "mailer",
            Self::Gateway => "gateway",
            Self::CourseWorker => "course-worker",
        }
    }

    /// The service that it is a process of, whose binary, database, broker user and certificate it has.
    #[must_use]
    pub const fn owner(self) -> Self {
        match self {
            Self::CourseWorker => Self::Course,
            other => other,
        }
    }

    /// The name of its database and of its role there, if it has one.
    #[must_use]
    pub const fn database(self) -> Option<&'static str> {
        match self {
            Self::PaymentMethod => Some("payment_method"),
            Self::Gateway => None,
            other => Some(other.owner().name()),
        }
    }

    /// The variable under which the others find its gRPC, if others call it.
    fn url_variable(self) -> Option<String> {
        let name = self.database().filter(|_| self != Self::CourseWorker)?;
        Some(format!("{}_URL", name.to_uppercase()))
    }

    /// The launch of its binary with everything but the database: its own settings, the others' addresses, its keys.
    #[must_use]
    pub fn launch(
        self,
        shared: &Shared,
        own: Ports,
        port_of: impl Fn(Self) -> u16,
        amqp_url: &str,
        output: Output,
    ) -> Launch {
        let path = |name: &str| shared.folder.join(name).display().to_string();
        let key = |name: &str| path(&format!("keys/{name}.key"));
        let owner = self.owner().name();
        let mut launch = Launch::new(self.name(), binary(&shared.binaries, owner), output)
            .env("AMQP_URL", amqp_url)
            .env("OPS_ADDR", format!("127.0.0.1:{}", own.ops))
            .env("SERVICE_KEY_FILE", key(owner))
            .env("TRUSTED_KEYS_FILE", path("keys/trusted.json"))
            .env("PUBLIC_URL", &shared.public_url);
        let scheme = if shared.certificates.is_some() { "https" } else { "http" };
        for other in Self::ALL {
            if let Some(variable) = other.url_variable() {
                launch = launch.env(&variable, format!("{scheme}://127.0.0.1:{}", port_of(other)));
            }
        }
        let main = if self == Self::Gateway { "HTTP_ADDR" } else { "GRPC_ADDR" };
        launch = launch.env(main, format!("127.0.0.1:{}", own.main));
        if let Some(all) = &shared.certificates {
            let own = all.of(owner);
            for (name, file) in
                [("TLS_CA_FILE", own.authority), ("TLS_CERT_FILE", own.certificate), ("TLS_KEY_FILE", own.key)]
            {
                launch = launch.env(name, file.display().to_string());
            }
        }
        if self.database().is_some() {
            launch = launch.env("ROOTS_URL", format!("file://{}", path("roots")));
        }
        match self {
            Self::Auth => {
                let second_factor = if shared.staff_totp { "on" } else { "off" };
                launch
                    .env("TOKEN_KEY_FILE", key("token"))
                    .env("DECISION_KEY_FILE", key("decision"))
                    .env("CODE_KEY_FILE", key("code"))
                    .env("TOTP_KEY_FILE", key("totp"))
                    .env("STAFF_TOTP", second_factor)
                    .env("NEW_STAFF_WAIT_SECONDS", "0")
            }
            Self::Mailer => match &shared.smtp_url {
                Some(url) => launch.env("SMTP_URL", url),
                None => launch.env("MAIL_DIR", path("mail")),
            }
            .env("MAIL_FROM", "Solvane <no-reply@solvane.test>")
            .env("SUPPORT_EMAIL", "hello@solvane.test")
            .env("PUSH_KEY_FILE", key("push")),
            Self::Gateway => launch
                .env("WEB_DIR", shared.web.display().to_string())
                .env("FILES_URL", format!("file://{}", path("files")))
                .env("LINK_KEY_FILE", key("link"))
                // As in the image: see deploy/docker/Dockerfile.
                .env("MIMALLOC_ARENA_PURGE_MULT", "0")
                .envs(if shared.unlimited { &UNLIMITED } else { &[] }),
            Self::CourseWorker => launch
                .args(["worker"])
                .env("FILES_URL", format!("file://{}", path("files")))
                .env("WORK_DIR", path("work")),
            Self::Wallet | Self::Trade | Self::Course | Self::Cases | Self::PaymentMethod => launch,
        }
    }
}

/// The gateway's settings without limits by client address: tests send everything from one.
const UNLIMITED: [(&str, &str); 3] =
    [("RATE_LIMIT", "0"), ("SESSION_RATE_LIMIT", "0"), ("CONNECTIONS_PER_ADDRESS", "0")];

/// The path of one of the product's binaries.
#[must_use]
pub fn binary(binaries: &Path, name: &str) -> PathBuf {
    binaries.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_gateway_has_no_database() {
        let without: Vec<_> = Service::ALL.into_iter().filter(|service| service.database().is_none()).collect();
        assert_eq!(without, [Service::Gateway]);
    }

    #[test]
    fn every_service_finds_those_that_are_called() {
        let shared = Shared {
            folder: "/stack".into(),
            binaries: "/bin".into(),
            web: "/web".into(),
            unlimited: false,
            staff_totp: false,
            smtp_url: None,
            certificates: None,
            public_url: "http://127.0.0.1:1".to_owned(),
        };
        for service in Service::processes() {
            let output = Output::File("/dev/null".into());
            let launch = service.launch(&shared, Ports { main: 1, ops: 2 }, |_| 1, "amqp://", output);
            let named = |name: &str| launch.env.iter().any(|(given, _)| given == name);
            let urls = ["AUTH", "WALLET", "TRADE", "COURSE", "CASES", "PAYMENT_METHOD", "MAILER"];
            let urls = urls.map(|name| format!("{name}_URL"));
            assert!(urls.iter().all(|name| named(name)));
            assert_eq!(named("HTTP_ADDR"), service == Service::Gateway);
            assert_eq!(named("GRPC_ADDR"), service != Service::Gateway);
            assert!(!named("DATABASE_URL"), "the role decides it");
        }
    }
}
