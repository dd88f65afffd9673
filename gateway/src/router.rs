//! Every route on one page, in the order of the contract.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::http::error::ApiError;
use crate::middleware::class::{Class, Classes};
use crate::middleware::{self, Chain, headers};
use crate::openapi::{self, ApiDoc};
use crate::routes::{
    account::{activity, auth, cases, closing, export, factors, notices, passkeys, push, users},
    admin,
    course::{certificates, course_media, courses, notes},
    investments::{plans, trades},
    money::{
        daily_balances, destinations, liabilities, payment_methods, quotes, solvency, statements, terms, transactions,
        wallet,
    },
    public::{documents, events, files, status},
};
use crate::web;

/// The `/v1` API: its handlers, its document, and how requests to each route are admitted.
pub struct Api {
    pub router: Router<App>,
    pub document: Document,
    pub classes: Classes,
}

/// Registers every route of the `/v1` API.
#[must_use]
pub fn api() -> Api {
    let mut classes = Classes::default();
    let v1 = OpenApiRouter::new()
        .merge(session(&mut classes))
        .merge(money(&mut classes))
        .merge(member(&mut classes))
        .merge(course(&mut classes))
        .merge(communication(&mut classes))
        .merge(admin::routes(&mut classes));
    let (router, mut document) = OpenApiRouter::with_openapi(ApiDoc::openapi()).nest("/v1", v1).split_for_parts();
    openapi::name_operations(&mut document);
    openapi::add_success(&mut document);
    openapi::share(&mut document);
    Api { router, document, classes }
}

/// Registration, logins and sessions.
fn session(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(classes.declare(Class::Session, routes!(auth::register)))
        .routes(classes.declare(Class::Session, routes!(auth::verify)))
        .routes(classes.declare(Class::Session, routes!(auth::resend)))
        .routes(classes.declare(Class::Session, routes!(auth::login)))
        .routes(routes!(passkeys::begin_login))
        .routes(classes.declare(Class::Session, routes!(passkeys::login)))
        .routes(classes.declare(Class::Session, routes!(auth::forgot_password)))
        .routes(classes.declare(Class::Session, routes!(auth::reset_password)))
        .routes(classes.declare(Class::Session, routes!(auth::undo)))
        .routes(classes.declare(Class::Session, routes!(auth::not_me)))
        .routes(routes!(auth::check))
        .routes(routes!(auth::logout))
        .routes(routes!(auth::list_sessions))
        .routes(routes!(auth::end_session))
        .routes(routes!(passkeys::begin_step_up))
        .routes(routes!(factors::step_up))
}

/// Balances, transactions, plans and trades.
fn money(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        // Money.
        .routes(routes!(terms::get))
        .routes(routes!(status::get))
        .routes(routes!(wallet::get))
        .routes(routes!(daily_balances::list))
        .routes(routes!(quotes::terms))
        .routes(routes!(quotes::create))
        .routes(classes.declare(Class::Upload, routes!(transactions::deposits::deposit)))
        .routes(routes!(transactions::deposits::deposit_arrived))
        .routes(routes!(transactions::withdrawals::withdraw))
        .routes(classes.declare(Class::Upload, routes!(transactions::deposits::pay_fee)))
        .routes(routes!(transactions::list::list))
        .routes(routes!(transactions::statement::statement))
        .routes(routes!(transactions::times::times))
        .routes(routes!(transactions::list::get, transactions::deposits::take_back))
        .routes(routes!(transactions::payments::payments))
        .routes(routes!(transactions::receipt::receipt))
        .routes(routes!(statements::year))
        .routes(routes!(transactions::withdrawals::set_destination))
        .routes(routes!(destinations::confirm_withdrawal))
        .routes(routes!(destinations::resend_withdrawal_code))
        .routes(routes!(liabilities::get))
        .routes(routes!(solvency::get))
        .routes(routes!(liabilities::proof))
        .routes(routes!(liabilities::publish))
        // Plans and trades.
        .routes(routes!(plans::list))
        .routes(routes!(plans::courses))
        .routes(routes!(plans::get))
        .routes(routes!(plans::values))
        .routes(routes!(trades::create))
        .routes(routes!(trades::claim))
        .routes(routes!(trades::close))
        .routes(routes!(trades::list))
        .routes(routes!(trades::risk_answer, trades::answer_risk))
}

/// The account of a member, and its payment methods.
fn member(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        // Profile.
        .routes(classes.declare(Class::Upload, routes!(users::update_image)))
        .routes(routes!(users::update_profile))
        .routes(routes!(users::change_password))
        .routes(routes!(closing::close, closing::keep))
        .routes(routes!(activity::list))
        .routes(classes.declare(Class::Download, routes!(export::export)))
        .routes(routes!(factors::get, factors::begin_totp, factors::remove_totp))
        .routes(routes!(factors::confirm_totp))
        .routes(routes!(factors::replace_recovery_codes))
        .routes(routes!(passkeys::list))
        .routes(routes!(passkeys::begin))
        .routes(routes!(passkeys::finish))
        .routes(routes!(passkeys::remove))
        // Payment methods.
        .routes(routes!(payment_methods::list))
        .routes(classes.declare(Class::Upload, routes!(payment_methods::create)))
        .routes(classes.declare(Class::Upload, routes!(payment_methods::update)))
        .routes(routes!(payment_methods::delete))
        .routes(routes!(destinations::confirm_method))
        .routes(routes!(destinations::resend_method_code))
}

/// The course, its media and its certificates.
fn course(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(courses::get))
        .routes(routes!(courses::lesson))
        .routes(routes!(notes::list, notes::add))
        .routes(routes!(notes::change, notes::remove))
        .routes(classes.declare(Class::Download, routes!(course_media::get)))
        .routes(classes.declare(Class::Download, routes!(course_media::segment)))
        .routes(routes!(courses::put_progress))
        .routes(routes!(courses::purchase))
        .routes(routes!(courses::issue_certificate))
        .routes(routes!(certificates::get))
}

/// Cases, documents, live updates and notices.
fn communication(classes: &mut Classes) -> OpenApiRouter<App> {
    OpenApiRouter::new()
        // Cases.
        .routes(routes!(cases::list))
        .routes(classes.declare(Class::Upload, routes!(cases::open)))
        .routes(routes!(cases::get))
        .routes(classes.declare(Class::Upload, routes!(cases::add_message)))
        .routes(routes!(cases::close))
        // Documents, files, live updates and notices.
        .routes(classes.declare(Class::Session, routes!(documents::check)))
        .routes(classes.declare(Class::Download, routes!(files::get)))
        .routes(classes.declare(Class::Stream, routes!(events::stream)))
        .routes(routes!(notices::list))
        .routes(routes!(notices::read))
        .routes(routes!(notices::preferences, notices::set_preferences))
        .routes(routes!(push::state, push::subscribe, push::unsubscribe))
}

/// The whole gateway: the API, the web app, and the middleware around them.
///
/// # Errors
/// If the build of the web app cannot be read.
pub fn router(app: App) -> anyhow::Result<Router> {
    let Api { router: api, document, classes } = api();
    let router = Router::new()
        .merge(api)
        .merge(openapi::routes(&document))
        .route("/v1", get(nothing))
        .route("/v1/", get(nothing))
        .route("/v1/{*rest}", axum::routing::any(nothing))
        .method_not_allowed_fallback(async || ApiError::of_status(StatusCode::METHOD_NOT_ALLOWED));
    let router = match &app.config.web_dir {
        Some(folder) => router.fallback_service(web::service(folder, &app.config.operator)?),
        None => router.fallback(nothing),
    };
    let chain = Chain { app: app.clone(), classes: Arc::new(classes) };
    let router = router.layer(from_fn_with_state(chain, middleware::pass));
    // Answers every OPTIONS request before the chain, so it is there only for origins that need it.
    let router = match app.config.cors_origins.as_slice() {
        [] => router,
        origins => router.layer(headers::cors(origins)),
    };
    Ok(router.with_state(app))
}

async fn nothing() -> ApiError {
    ApiError::of_status(StatusCode::NOT_FOUND)
}
