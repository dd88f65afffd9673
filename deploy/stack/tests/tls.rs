//! TLS between the processes, PostgreSQL and RabbitMQ, with the certificates of `make secrets`.

use anyhow::{Context, Result};
use chassis::{
    config::Tls,
    grpc::{self, Outgoing},
};
use sqlx::{Connection, PgConnection};
use stack::{
    Service,
    certificates::Certificates,
    testing::{Options, TestStack},
};
use time::OffsetDateTime;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

/// Whether auth answers a call at this host, made with these certificates.
async fn is_served(stack: &TestStack, scheme: &str, host: &str, tls: &Tls) -> Result<bool> {
    let url = format!("{scheme}://{host}:{}", stack.ports(Service::Auth).main);
    let mut client = HealthClient::new(grpc::channel("auth", &url, tls)?);
    Ok(client.check(Outgoing::anonymous().request(HealthCheckRequest::default())).await.is_ok())
}

fn files(certificates: &Certificates, name: &str) -> Tls {
    let own = certificates.of(name);
    Tls { tls_ca_file: Some(own.authority), tls_cert_file: Some(own.certificate), tls_key_file: Some(own.key) }
}

/// [D-V4] [D-A11] A member's deposit passes every service, the database and the broker, all of it encrypted. Anyone who
/// shows no certificate of the deployment's authority is not served, and a server that shows another name is not called.
#[tokio::test]
async fn what_processes_say_to_each_other_is_encrypted() -> Result<()> {
    let stack = TestStack::with(Options { tls: true, ..Options::default() }).await?;
    let member = stack.member_with("250").await?;
    stack.mail(&member.email, "confirmed").await?;

    let log = stack.folder().join("logs/tls-test.log");
    let ours = files(&Certificates::make(&stack.folder().join("tls"), &log).await?, "gateway");
    assert!(is_served(&stack, "https", "127.0.0.1", &ours).await?);
    assert!(!is_served(&stack, "http", "127.0.0.1", &Tls::default()).await?, "without TLS");
    let anonymous = Tls { tls_cert_file: None, tls_key_file: None, ..ours.clone() };
    assert!(!is_served(&stack, "https", "127.0.0.1", &anonymous).await?, "without a certificate");
    assert!(!is_served(&stack, "https", "localhost", &ours).await?, "under another name");
    let foreign = files(&Certificates::make(&stack.folder().join("other-tls"), &log).await?, "gateway");
    assert!(!is_served(&stack, "https", "127.0.0.1", &foreign).await?, "of another authority");
    let mixed = Tls { tls_ca_file: ours.tls_ca_file.clone(), ..foreign.clone() };
    assert!(!is_served(&stack, "https", "127.0.0.1", &mixed).await?, "signed by another authority");

    for service in [Service::Auth, Service::Gateway] {
        let metrics =
            reqwest::get(format!("http://127.0.0.1:{}/metrics", stack.ports(service).ops)).await?.text().await?;
        let ends_at =
            metrics.lines().find(|line| line.starts_with("tls_certificate_ends_at")).context("not reported")?;
        let ends_at: i64 = ends_at.rsplit(' ').next().context("a value")?.parse()?;
        let left = OffsetDateTime::from_unix_timestamp(ends_at)? - OffsetDateTime::now_utc();
        assert!((364..=365).contains(&left.whole_days()), "{service:?} reports {left}");
    }

    let url = stack.databases().url(Service::Wallet)?;
    let mut connection = PgConnection::connect(&stack.databases().owner_url(Service::Wallet)?).await?;
    let versions: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT coalesce(version, 'none') FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE backend_type = 'client backend'",
    )
    .fetch_all(&mut connection)
    .await?;
    assert_eq!(versions, ["TLSv1.3"], "every connection to PostgreSQL");
    let (before, _) = url.split_once("sslrootcert=").context("the authority is named")?;
    let foreign = foreign.tls_ca_file.context("a file")?;
    let url = format!("{before}sslrootcert={}", foreign.display());
    assert!(PgConnection::connect(&url).await.is_err(), "a server of another authority");

    assert!(stack.broken_promises().await?.is_empty(), "the audit reads over TLS too");
    Ok(())
}
