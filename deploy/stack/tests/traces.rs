//! Traces over real OTLP: one request is one trace, across every process that had a part in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use serde_json::json;
use stack::testing::{Options, PASSWORD, PROOF, TestStack};
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

/// Takes everything that is sent.
#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for group in request.into_inner().resource_spans {
            let resource = group.resource.unwrap_or_default();
            let named = resource.attributes.iter().find(|attribute| attribute.key == "service.name");
            let service = match named.and_then(|attribute| attribute.value.as_ref()?.value.clone()) {
                Some(Value::StringValue(name)) => name,
                _ => String::new(),
            };
            let spans = group.scope_spans.into_iter().flat_map(|scope| scope.spans).map(|span| Span {
                service: service.clone(),
                attributes: format!("{:?} {:?}", span.attributes, span.events),
                name: span.name,
                trace: span.trace_id,
                id: span.span_id,
                parent: span.parent_span_id,
            });
            self.0.lock().map_err(|_| Status::internal("poisoned"))?.extend(spans);
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Receiver {
    async fn start() -> Result<(Self, u16)> {
        let receiver = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let server = tonic::transport::Server::builder().add_service(TraceServiceServer::new(receiver.clone()));
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Ok((receiver, port))
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().map(|spans| spans.clone()).unwrap_or_default()
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
    let methods = member.client.get("/payment-methods").await?.success()?;
    let method = methods["paymentMethods"][0]["id"].as_str().context("a seeded method")?;
    let body = json!({ "amount": "250.50", "method": method, "receipt": PROOF, "type": "deposit" });
    member.client.post("/transactions/deposit", body).await?.success()?;
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
    let code = stack::mails::wait_for_code(stack.mail_dir(), &member.email).await?;
    for span in receiver.spans() {
        for secret in [token, PASSWORD, member.email.as_str(), &format!("\"{code}\"")] {
            assert!(!span.attributes.contains(secret), "{span:?}");
        }
    }
    Ok(())
}
