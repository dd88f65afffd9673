//! TLS between the processes, PostgreSQL and RabbitMQ, with the certificates of `make secrets`.

use std::{fs, net::SocketAddr, path::Path, time::Duration};

use anyhow::{Context, Result};
use chassis::{
    config::Tls,
    grpc::{self, Channel, Outgoing},
};
use play::testing::{Options, TestStack};
use sqlx::{Connection, PgConnection};
use stack::{Service, host::certificates::Certificates};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
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

async fn answers(client: &mut HealthClient<Channel>) -> bool {
    client.check(Outgoing::anonymous().request(HealthCheckRequest::default())).await.is_ok()
}

/// Puts certificates in place of those that are in a folder, one file after another.
fn put(from: &Certificates, name: &str, folder: &Path) -> Result<Tls> {
    let own = from.of(name);
    for file in [&own.authority, &own.certificate, &own.key] {
        let new = folder.join("new");
        fs::copy(file, &new)?;
        fs::rename(&new, folder.join(file.file_name().context("a name")?))?;
    }
    let file = |name: String| Some(folder.join(name));
    Ok(Tls {
        tls_ca_file: file("ca.crt".to_owned()),
        tls_cert_file: file(format!("{name}.crt")),
        tls_key_file: file(format!("{name}.key")),
    })
}

/// [D-V4] [D-H7] Renewed certificates are used from the next connection on, by the server and by its clients, without a
/// restart of either; files that fit no certificate change nothing.
#[tokio::test]
async fn renewed_certificates_need_no_restart() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let first = Certificates::make(&folder.path().join("first"), &log).await?;
    let second = Certificates::make(&folder.path().join("second"), &log).await?;
    let (server_files, client_files) = (folder.path().join("auth"), folder.path().join("gateway"));
    for files in [&server_files, &client_files] {
        fs::create_dir(files)?;
    }
    let server = put(&first, "auth", &server_files)?;
    let client = put(&first, "gateway", &client_files)?;

    let listener = grpc::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let url = format!("https://{}", listener.local_addr()?);
    let (_, health) = tonic_health::server::health_reporter();
    // Connections last for a second, so that their clients come again soon.
    let (age, stop) = (Duration::from_secs(1), CancellationToken::new());
    let certificates = grpc::Certificates::read(&server)?;
    let serving = tokio::spawn(grpc::serve(listener, Routes::new(health), age, certificates, stop.clone()));
    let connect = |tls: &Tls| Ok::<_, anyhow::Error>(HealthClient::new(grpc::channel("auth", &url, tls)?));
    let mut kept = connect(&client)?;
    assert!(answers(&mut kept).await);

    fs::write(server_files.join("auth.key"), "half a key")?;
    assert!(answers(&mut connect(&files(&first, "gateway"))?).await, "a file in the middle of a change");

    put(&second, "auth", &server_files)?;
    put(&second, "gateway", &client_files)?;
    assert!(!answers(&mut connect(&files(&first, "gateway"))?).await, "with a certificate from before");
    assert!(answers(&mut connect(&files(&second, "gateway"))?).await, "with a renewed certificate");
    let end = Instant::now() + Duration::from_secs(20);
    let mut answered = Vec::new();
    // The connection from before ends within the second; the same client makes the next one with what its files hold now.
    while answered.len() < 20 {
        assert!(Instant::now() < end, "{answered:?}");
        answered.push(answers(&mut kept).await);
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(answered.iter().filter(|answered| !**answered).count(), 0, "{answered:?}");
    stop.cancel();
    serving.await?
}
