//! Every route on one page, in the order of the contract, and what every request passes on its way.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chassis::caller::{Credential, Verifier};
use chassis::telemetry::{self, HttpHeaders};
use futures::FutureExt;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tracing::{Instrument, Span};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::caller::RequestId;
use crate::clients::Clients;
use crate::config::Config;
use crate::error::{self, ApiError};
use crate::files::Files;
use crate::limits::{self, Limits};
use crate::live::Live;
use crate::openapi::{self, ApiDoc};
use crate::routes::courses::Course;
use crate::routes::plans::Offers;
use crate::routes::transactions::Owners;
use crate::routes::{admin, auth, courses, events, files, payment_methods, plans, trades, transactions, users};
use crate::web;

/// What every handler can reach.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// The gateway's parts.
pub struct AppState {
    /// Settings.
    pub config: Config,
    /// The services.
    pub clients: Clients,
    /// The gateway's own credential.
    pub credential: Credential,
    /// Tells who calls.
    pub verifier: Verifier,
    /// Tells what is offered.
    pub offers: Arc<Offers>,
    /// Tells members who they are.
    pub owners: Owners,
    /// Uploaded files.
    pub files: Files,
    /// The course's content.
    pub course: Course,
    /// Counters by address.
    pub limits: Arc<Limits>,
    /// Live updates.
    pub live: Live,
}

impl App {
    /// From its parts.
    #[must_use]
    pub fn new(state: AppState) -> Self {
        Self(Arc::new(state))
    }
}

impl std::ops::Deref for App {
    type Target = AppState;
    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// The /v1 API with its document.
pub fn api() -> (Router<App>, Document) {
    let v1 = OpenApiRouter::new()
        // Session.
        .routes(routes!(auth::register))
        .routes(routes!(auth::verify))
        .routes(routes!(auth::resend))
        .routes(routes!(auth::login))
        .routes(routes!(auth::forgot_password))
        .routes(routes!(auth::reset_password))
        .routes(routes!(auth::check))
        .routes(routes!(auth::logout))
        .routes(routes!(auth::list_sessions))
        .routes(routes!(auth::end_session))
        // Money.
        .routes(routes!(transactions::deposit))
        .routes(routes!(transactions::withdraw))
        .routes(routes!(transactions::pay_fee))
        .routes(routes!(transactions::list))
        .routes(routes!(transactions::statement::statement))
        .routes(routes!(transactions::times::times))
        .routes(routes!(transactions::get))
        .routes(routes!(transactions::set_destination))
        // Plans and trades.
        .routes(routes!(plans::list))
        .routes(routes!(plans::values))
        .routes(routes!(trades::create))
        .routes(routes!(trades::claim))
        .routes(routes!(trades::close))
        .routes(routes!(trades::list))
        // Profile.
        .routes(routes!(users::update_image))
        .routes(routes!(users::update_profile))
        .routes(routes!(users::change_password))
        // Payment methods.
        .routes(routes!(payment_methods::list, payment_methods::create))
        .routes(routes!(payment_methods::update, payment_methods::delete))
        // Course.
        .routes(routes!(courses::get))
        .routes(routes!(courses::lesson))
        .routes(routes!(courses::purchase))
        // Files and live updates.
        .routes(routes!(files::get))
        .routes(routes!(events::stream))
        // Back office.
        .merge(admin::routes());
    let (router, mut document) = OpenApiRouter::with_openapi(ApiDoc::openapi()).nest("/v1", v1).split_for_parts();
    openapi::name_operations(&mut document);
    (router, document)
}

/// The whole gateway.
pub fn router(app: App) -> Router {
    let (api, document) = api();
    let router = Router::new()
        .merge(api)
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(async || "ready"))
        .merge(openapi::routes(&document))
        .route("/v1", get(nothing))
        .route("/v1/", get(nothing))
        .route("/v1/{*rest}", axum::routing::any(nothing))
        .method_not_allowed_fallback(async || ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED));
    let router = match &app.config.web_dir {
        Some(folder) => router.fallback_service(web::service(folder)),
        None => router.fallback(nothing),
    };
    let cors = cors(&app.config.cors_origins);
    router.layer(from_fn_with_state(app.clone(), pass)).layer(cors).with_state(app)
}

async fn nothing() -> ApiError {
    ApiError::of_status(StatusCode::NOT_FOUND)
}

fn panicked(cause: &(dyn Any + Send)) -> Response {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    ApiError::internal(text.unwrap_or("panic")).into_response()
}

/// Origins of the list, never `*`; credentials allowed.
fn cors(origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, HeaderName::from_static("idempotency-key")])
        .expose_headers([HeaderName::from_static("idempotency-replayed"), HeaderName::from_static("x-request-id")])
        .max_age(std::time::Duration::from_secs(600))
}

/// What every request passes on its way to its handler and back. One layer: each further one would copy all that lie
/// below it for every request.
async fn pass(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let seen = Seen::begin(&mut request);
    let is_api = request.uri().path().starts_with("/v1");
    let work = AssertUnwindSafe(limits::run(&app, request, next)).catch_unwind().instrument(seen.span.clone());
    let response = work.await.unwrap_or_else(|cause| panicked(&*cause));
    let mut response = error::render(&seen.id, response);
    add_headers(&app, is_api, response.headers_mut());
    seen.end(&mut response);
    response
}

/// A request as it is named, traced and counted.
struct Seen {
    id: String,
    route: String,
    method: Method,
    span: Span,
    begun: Instant,
}

impl Seen {
    fn begin(request: &mut Request) -> Self {
        let id = Uuid::now_v7().to_string();
        let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
        let method = request.method().clone();
        let span = tracing::info_span!(
            "gateway.request", otel.name = %format_args!("{method} {route}"), http.request.method = %method,
            http.route = %route, request_id = %id, http.response.status_code = tracing::field::Empty
        );
        telemetry::continue_trace(&span, &HttpHeaders(request.headers()));
        request.extensions_mut().insert(RequestId(id.clone()));
        Self { id, route, method, span, begun: Instant::now() }
    }

    fn end(self, response: &mut Response) {
        let status = response.status();
        self.span.record("http.response.status_code", status.as_u16());
        metrics::histogram!(
            "http_server_duration_seconds",
            "method" => self.method.to_string(), "route" => self.route, "status" => status.as_str().to_owned()
        )
        .record(self.begun.elapsed());
        if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::from(self.id)) {
            response.headers_mut().insert("x-request-id", value);
        }
    }
}

/// What a page may load and run; `web` adds what the build wrote into it.
pub(crate) const CONTENT_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self' https://www.youtube-nocookie.com; \
    object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What the browser is told not to do.
fn add_headers(app: &App, is_api: bool, headers: &mut HeaderMap) {
    headers.reserve(12);
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::REFERRER_POLICY, "no-referrer");
    default(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
    default(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    default(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
    default(header::X_FRAME_OPTIONS, "DENY");
    if is_api {
        default(header::CACHE_CONTROL, "no-store");
    }
    if app.config.public_url.starts_with("https://") {
        default(header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains");
    }
}
