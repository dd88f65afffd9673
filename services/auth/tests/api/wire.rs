//! Calls of auth over the network, and the background task that mails links.

use std::sync::Arc;
use std::time::Duration;

use auth::app::mail::answer_mail_requests;
use chassis::auth_client::RemoteSessions;
use chassis::config::Tls;
use chassis::identity::Sessions;
use chassis::testing::{SERVICE, with_token};
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::auth::v1::{ForgotPasswordRequest, LogoutRequest};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fixture::{World, registration};

/// [D-S4] S2: a service that asks over the network sees a session live, and dead within five seconds of its end. Requested
/// links are issued by the task, and a shutdown ends both.
#[sqlx::test(migrations = false)]
async fn the_server_serves_and_ends(pool: PgPool) {
    let world = World::new(pool).await;
    let shutdown = CancellationToken::new();
    let listener = chassis::grpc::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(chassis::grpc::serve(
        listener,
        world.grpc.clone().routes(),
        chassis::grpc::CONNECTION_AGE,
        None,
        shutdown.clone(),
    ));
    let (app, stop) = (Arc::clone(&world.app), shutdown.clone());
    let answered = tokio::spawn(async move { answer_mail_requests::run(&app, stop).await });
    let channel = chassis::grpc::channel(SERVICE, &url, &Tls::default()).unwrap();

    let mut client = AuthServiceClient::new(channel.clone());
    let gateway = world.realm.service_token("gateway");
    let registered = client.register(with_token(registration("ada@example.com"), &gateway)).await.unwrap().into_inner();
    let id: Uuid = sqlx::query_scalar("SELECT id FROM sessions").fetch_one(&world.pool).await.unwrap();
    let sessions = RemoteSessions::new(channel, world.realm.credential("wallet"));
    assert!(sessions.live(id.into()).await.unwrap().is_some_and(|session| !session.verified));
    let shown = world.realm.shown_to(SERVICE, &registered.token);
    client.logout(with_token(LogoutRequest {}, &shown)).await.unwrap();
    let dead = async {
        while sessions.live(id.into()).await.unwrap().is_some() {
            tokio::task::yield_now().await
        }
    };
    tokio::time::timeout(Duration::from_secs(5), dead).await.unwrap();

    let forgot = ForgotPasswordRequest { email: "ada@example.com".to_owned(), client: None };
    client.forgot_password(with_token(forgot, &gateway)).await.unwrap();
    let issued = async {
        while world.count("SELECT count(*) FROM reset_tokens").await == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), issued).await.unwrap();

    drop(client);
    drop(sessions);
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(10), served).await.unwrap().unwrap().unwrap();
    tokio::time::timeout(Duration::from_secs(10), answered).await.unwrap().unwrap();
}
