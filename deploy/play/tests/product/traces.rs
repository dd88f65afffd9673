//! Traces over real OTLP: each request is one trace across all processes involved. And no secrets in traces, events,
//! logs or databases.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chassis::auth_client::SESSION_CACHE;
use chassis::bus::Bus;
use futures::StreamExt;
use opentelemetry_proto::tonic::collector::logs::v1::logs_service_server::{LogsService, LogsServiceServer};
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::resource::v1::Resource;
use play::mails;
use play::request;
use play::testing::{Options, PASSWORD, TestStack};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use stack::Service;
use stack::running::Running;
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// One span, as much of it as the tests look at.
#[derive(Clone, Debug)]
struct Span {
    service: String,
    name: String,
    trace: Vec<u8>,
    id: Vec<u8>,
    parent: Vec<u8>,
    attributes: String,
}

/// Takes everything that is sent: spans, and log records by service.
#[derive(Clone, Default)]
struct Receiver {
    spans: Arc<Mutex<Vec<Span>>>,
    logs: Arc<Mutex<Vec<(String, String)>>>,
}

fn service_of(resource: Option<Resource>) -> String {
    let attributes = resource.unwrap_or_default().attributes;
    let named = attributes.into_iter().find(|attribute| attribute.key == "service.name");
    match named.and_then(|attribute| attribute.value?.value) {
        Some(Value::StringValue(name)) => name,
        _ => String::new(),
    }
}

#[tonic::async_trait]
impl LogsService for Receiver {
    async fn export(
        &self,
        request: Request<ExportLogsServiceRequest>,
    ) -> Result<Response<ExportLogsServiceResponse>, Status> {
        for group in request.into_inner().resource_logs {
            let service = service_of(group.resource);
            let records = group.scope_logs.into_iter().flat_map(|scope| scope.log_records);
            let records = records.map(|record| (service.clone(), format!("{:?} {:?}", record.body, record.attributes)));
            self.logs.lock().map_err(|_| Status::internal("poisoned"))?.extend(records);
        }
        Ok(Response::new(ExportLogsServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for group in request.into_inner().resource_spans {
            let service = service_of(group.resource);
            let spans = group.scope_spans.into_iter().flat_map(|scope| scope.spans).map(|span| Span {
                service: service.clone(),
                attributes: format!("{:?} {:?}", span.attributes, span.events),
                name: span.name,
                trace: span.trace_id,
                id: span.span_id,
                parent: span.parent_span_id,
            });
            self.spans.lock().map_err(|_| Status::internal("poisoned"))?.extend(spans);
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Receiver {
    async fn start() -> Result<(Self, u16)> {
        let receiver = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let server = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(receiver.clone()))
            .add_service(LogsServiceServer::new(receiver.clone()));
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Ok((receiver, port))
    }

    fn spans(&self) -> Vec<Span> {
        self.spans.lock().map(|spans| spans.clone()).unwrap_or_default()
    }

    fn logs(&self) -> Vec<(String, String)> {
        self.logs.lock().map(|logs| logs.clone()).unwrap_or_default()
    }

    /// Waits until one trace holds a span of each of these services, and returns it.
    async fn trace_across(&self, root: &str, services: &[&str]) -> Result<Vec<Span>> {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let spans = self.spans();
            for start in spans.iter().filter(|span| span.name == root) {
                let trace: Vec<Span> = spans.iter().filter(|span| span.trace == start.trace).cloned().collect();
                if services.iter().all(|service| trace.iter().any(|span| span.service == *service)) {
                    return Ok(trace);
                }
            }
            ensure!(
                Instant::now() < end,
                "no trace across {services:?}; spans: {:#?}",
                spans.iter().map(|s| (&s.service, &s.name)).collect::<Vec<_>>()
            );
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// [D-E1] [K7] A deposit is one trace from the gateway through wallet and the broker to the mailer, each span with its
/// parent, and nothing secret or personal in it. (Invariant Q7.)
#[tokio::test]
async fn a_deposit_is_one_trace() -> Result<()> {
    let (receiver, port) = Receiver::start().await?;
    let stack = TestStack::with(Options { otlp_port: Some(port), ..Options::default() }).await?;
    let member = stack.member().await?;
    member.deposit("250.50").await?;
    stack.mail(&member.email, "deposit").await?;
    let trace = receiver
        .trace_across("POST /v1/transactions/deposit", &["gateway", "wallet", "payment-method", "mailer"])
        .await?;
    let by_id: HashMap<&[u8], &Span> = trace.iter().map(|span| (span.id.as_slice(), span)).collect();
    let roots: Vec<&Span> = trace.iter().filter(|span| span.parent.is_empty()).collect();
    assert_eq!(roots.len(), 1, "{roots:?}");
    for span in trace.iter().filter(|span| !span.parent.is_empty()) {
        assert!(by_id.contains_key(span.parent.as_slice()), "{span:?} hangs in the air");
    }
    // The mailer's work goes back to the gateway's request through wallet.
    let mut span = trace.iter().find(|span| span.service == "mailer").context("a span of the mailer")?;
    let mut way = vec![span.service.as_str()];
    while let Some(parent) = by_id.get(span.parent.as_slice()) {
        span = parent;
        if way.last() != Some(&span.service.as_str()) {
            way.push(&span.service);
        }
    }
    assert_eq!(way, ["mailer", "wallet", "gateway"]);
    let token = member.client.token().context("a token")?;
    let code = mails::wait_for_code(stack.mail_dir(), &member.email).await?;
    for span in receiver.spans() {
        for secret in [token, PASSWORD, member.email.as_str(), &format!("\"{code}\"")] {
            assert!(!span.attributes.contains(secret), "{span:?}");
        }
    }
    Ok(())
}

/// [D-R13] [B9] A withdrawal asks each other service once: the wallet asks auth for the session and payment-method for the method,
/// and the gateway, which would ask auth for the same session, asks nobody else. What it refuses by itself still comes
/// after what the session does not permit.
#[tokio::test]
async fn a_withdrawal_asks_each_service_once() -> Result<()> {
    let (receiver, port) = Receiver::start().await?;
    let stack = TestStack::with(Options { otlp_port: Some(port), ..Options::default() }).await?;
    let member = stack.member_with("250.00").await?;
    let method = member.platform_method("TRC20").await?;
    let body = json!({ "amount": 100, "method": method, "address": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" });
    // Until no process may answer from what it asked before.
    tokio::time::sleep(SESSION_CACHE).await;
    member.client.post("/transactions/withdraw", body).await?.success()?;
    let services = ["gateway", "wallet", "payment-method", "auth"];
    let trace = receiver.trace_across("POST /v1/transactions/withdraw", &services).await?;
    let asked = |method: &str| trace.iter().filter(|span| span.name.starts_with(method)).count();
    let calls = ["grpc.RequestWithdrawal", "grpc.GetSession", "grpc.ResolveWithdrawalMethod"].map(asked);
    assert_eq!(calls, [1, 1, 1], "{:?}", trace.iter().map(|span| (&span.service, &span.name)).collect::<Vec<_>>());

    let unreadable = json!({ "amount": "much" });
    let refused = member.client.post("/transactions/withdraw", unreadable.clone()).await?;
    assert_eq!((refused.status, refused.code()), (422, Some("VALIDATION_FAILED")));
    let unverified = stack.register().await?;
    let refused = unverified.client.post("/transactions/withdraw", unreadable).await?;
    assert_eq!((refused.status, refused.code()), (403, Some("EMAIL_NOT_VERIFIED")));
    Ok(())
}

/// Every row of every table, as text.
async fn dump(url: &str) -> Result<String> {
    let mut connection = PgConnection::connect(url).await?;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    .fetch_all(&mut connection)
    .await?;
    let mut text = String::new();
    for table in tables {
        let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(format!("SELECT one::text FROM {table} one")))
            .fetch_all(&mut connection)
            .await?;
        text.push_str(&format!("{table}\n{}\n", rows.join("\n")));
    }
    Ok(text)
}

/// Where the text holds the secret, as it is or as PostgreSQL shows bytes. Six digits count only where they stand alone:
/// parts of times and ids look like codes.
fn find(text: &str, secret: &str) -> Option<String> {
    let bytes: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let alone = |next: Option<char>| next.is_none_or(|next| !next.is_ascii_alphanumeric() && next != '.');
    let plain = text.match_indices(secret).map(|(at, _)| at).find(|&at| {
        secret.len() > 6 || alone(text[..at].chars().next_back()) && alone(text[at + secret.len()..].chars().next())
    });
    let at = plain.or_else(|| text.find(&bytes))?;
    let around = text.char_indices().map(|(at, _)| at);
    let from = around.clone().rfind(|&start| start + 60 <= at).unwrap_or_default();
    let to = around.clone().find(|&end| end >= at + 80).unwrap_or(text.len());
    Some(text[from..to].to_owned())
}

/// Everything that only the member may know, from a life with registration, a lost password, a new one, and a proof.
async fn live(stack: &TestStack) -> Result<Vec<(&'static str, String)>> {
    let member = stack.member_with("125.00").await?;
    let code = mails::wait_for_code(stack.mail_dir(), &member.email).await?;
    let rows = member.client.get("/transactions/user").await?.success()?;
    let link = rows["transactions"][0]["receipt"]["url"].as_str().context("a link")?.to_owned();
    let signature = link.rsplit('=').next().context("a signature")?.to_owned();
    stack.client().make(request::forget_password(&member.email)).await?;
    let reset = mails::wait_for_secret(stack.mail_dir(), &member.email, "/reset-password").await?;
    let chosen = "an entirely new passphrase 7".to_owned();
    stack.client().make(request::set_password(&reset, &chosen)).await?;
    let again = stack.client().login(&member.email, &chosen).await?;
    let changed = "yet another passphrase 8".to_owned();
    let body = json!({ "oldPassword": chosen, "newPassword": changed });
    again.put(&format!("/users/password/{}", member.id), body).await?.success()?;
    stack.mail(&member.email, "password").await?;
    let tokens = [member.client.token(), again.token()].map(|token| token.unwrap_or_default().to_owned());
    let [first, second] = tokens;
    Ok(vec![
        ("a password", PASSWORD.to_owned()),
        ("a password", chosen),
        ("a password", changed),
        ("a code", code),
        ("a reset token", reset),
        ("a session token", first),
        ("a session token", second),
        ("a link's signature", signature),
    ])
}

/// [D-E1] [D-S6] After a full life, no password, code, token or signature is in a database, an event, a log or a trace.
/// (Invariant Q7.) The search is proven on what is there: the member's email in the database.
#[tokio::test]
async fn secrets_are_nowhere() -> Result<()> {
    let (receiver, port) = Receiver::start().await?;
    let mut stack = TestStack::with(Options { otlp_port: Some(port), own_broker: true, ..Options::default() }).await?;
    let url = stack.servers().amqp_url(Service::Gateway)?;
    let mut events = Bus::new(&url).tap("test", &["#"]).await?;
    let secrets = live(&stack).await?;
    let mut places = Vec::new();
    let mut heard = String::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_secs(2), events.next()).await {
        let (key, payload) = event?;
        heard.push_str(&format!("{key} {}\n", String::from_utf8_lossy(&payload)));
    }
    ensure!(heard.contains("auth.v1."), "events were heard");
    places.push(("events".to_owned(), heard));
    for (service, url) in Running::of(&stack)?.databases {
        places.push((format!("database of {service}"), dump(&url).await?));
    }
    for entry in std::fs::read_dir(stack.folder().join("logs"))? {
        let path = entry?.path();
        places.push((path.display().to_string(), String::from_utf8_lossy(&std::fs::read(&path)?).into_owned()));
    }
    // Spans come in batches: those of the last call of this life, too.
    receiver.trace_across("PUT /v1/users/password/{userId}", &["gateway", "auth"]).await?;
    let spans = receiver.spans();
    places
        .push(("traces".to_owned(), spans.iter().map(|span| format!("{} {}\n", span.name, span.attributes)).collect()));
    let logs = receiver.logs();
    for service in Service::ALL {
        ensure!(logs.iter().any(|(from, _)| from == service.name()), "{} logs to the collector", service.name());
    }
    places
        .push(("collected logs".to_owned(), logs.into_iter().map(|(from, text)| format!("{from} {text}\n")).collect()));
    ensure!(places.iter().any(|(_, text)| find(text, "example.test").is_some()), "the search finds what is there");
    for (place, text) in &places {
        for (what, secret) in &secrets {
            assert_eq!(find(text, secret), None, "{what} is in {place}");
        }
    }
    Ok(())
}
