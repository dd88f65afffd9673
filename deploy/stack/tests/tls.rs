//! TLS between the processes, PostgreSQL and RabbitMQ, with the certificates of `make secrets`.

use std::fs;

use anyhow::Result;
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
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

/// How a call to auth ends, at this host and with these certificates.
async fn call(stack: &TestStack, scheme: &str, host: &str, tls: &Tls) -> Result<Code> {
    let url = format!("{scheme}://{host}:{}", stack.ports(Service::Auth).main);
    let mut client = HealthClient::new(grpc::channel("auth", &url, tls)?);
    let call = Outgoing::anonymous().request(HealthCheckRequest::default());
    Ok(client.check(call).await.map_or_else(|status| status.code(), |_| Code::Ok))
}

fn files(certificates: &Certificates, name: &str) -> Tls {
    let own = certificates.of(name);
    Tls { tls_ca_file: Some(own.authority), tls_cert_file: Some(own.certificate), tls_key_file: Some(own.key) }
}

/// [D-V4] [D-A11] A member's deposit passes every service, the database and the broker, all of it encrypted. Whoever
/// shows no certificate of the deployment's authority is not served, and a server that shows another name is not called.
#[tokio::test]
async fn what_processes_say_to_each_other_is_encrypted() -> Result<()> {
    let stack = TestStack::with(Options { tls: true, ..Options::default() }).await?;
    let member = stack.member_with("250").await?;
    stack.mail(&member.email, "confirmed").await?;

    let log = stack.folder().join("logs/tls-test.log");
    let ours = files(&Certificates::make(&stack.folder().join("tls"), &log).await?, "gateway");
    let answered = call(&stack, "https", "127.0.0.1", &ours).await?;
    assert!(matches!(answered, Code::Ok | Code::Unimplemented), "{answered:?}");
    let plain = call(&stack, "http", "127.0.0.1", &Tls::default()).await?;
    assert_eq!(plain, Code::Unavailable, "without TLS");
    let anonymous = Tls { tls_cert_file: None, tls_key_file: None, ..ours.clone() };
    assert_eq!(call(&stack, "https", "127.0.0.1", &anonymous).await?, Code::Unavailable, "without a certificate");
    assert_eq!(call(&stack, "https", "localhost", &ours).await?, Code::Unavailable, "under another name");
    let foreign = files(&Certificates::make(&stack.folder().join("other-tls"), &log).await?, "gateway");
    let mixed = Tls { tls_ca_file: ours.tls_ca_file.clone(), ..foreign.clone() };
    assert_eq!(call(&stack, "https", "127.0.0.1", &foreign).await?, Code::Unavailable, "of another authority");
    assert_eq!(call(&stack, "https", "127.0.0.1", &mixed).await?, Code::Unavailable, "signed by another authority");

    let url = stack.databases().url(Service::Wallet)?;
    let mut connection = PgConnection::connect(&stack.databases().owner_url(Service::Wallet)?).await?;
    let versions: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT coalesce(version, 'none') FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE backend_type = 'client backend'",
    )
    .fetch_all(&mut connection)
    .await?;
    assert_eq!(versions, ["TLSv1.3"], "every connection to PostgreSQL");
    let foreign_root = foreign.tls_ca_file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
    let own_root = ours.tls_ca_file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
    assert!(
        PgConnection::connect(&url.replace(&own_root, &foreign_root)).await.is_err(),
        "a server of another authority"
    );

    assert!(stack.broken_promises().await?.is_empty(), "the audit reads over TLS too");
    assert!(!fs::read_to_string(stack.folder().join("logs/rabbitmq.log"))?.contains("TLS server: In state"));
    Ok(())
}
