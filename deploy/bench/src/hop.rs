//! A small axum service that queries PostgreSQL directly.

use anyhow::{Context, Result};
use axum::extract::{Path as Part, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Serialize;
use sqlx::FromRow;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::types::time::OffsetDateTime;
use tokio::net::TcpListener;
use uuid::Uuid;

/// A service without gateway, session or contract.
pub struct Plain {
    /// Where it listens.
    pub port: u16,
}

#[derive(Clone)]
struct Databases {
    wallet: PgPool,
    peer: PgPool,
}

/// A transaction, with the fields that the gateway returns.
#[derive(FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: Uuid,
    user_id: Uuid,
    kind: String,
    description: String,
    status: String,
    direction: String,
    amount_cents: i64,
    fee_cents: Option<i64>,
    net_amount_cents: Option<i64>,
    currency: Option<String>,
    network: Option<String>,
    destination_address: Option<String>,
    revision: i32,
    created_at: OffsetDateTime,
}

impl Plain {
    /// Starts it in this process, with as many connections to each database as a service has.
    pub async fn start(wallet_url: &str, peer_url: &str) -> Result<Self> {
        let pool = || PgPoolOptions::new().max_connections(8).test_before_acquire(false);
        let state = Databases { wallet: pool().connect(wallet_url).await?, peer: pool().connect(peer_url).await? };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let router =
            Router::new().route("/lines/{user}/{id}", get(line)).route("/transfer", post(transfer)).with_state(state);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port })
    }
}

async fn line(State(state): State<Databases>, Part((user_id, id)): Part<(Uuid, Uuid)>) -> Response {
    let found: Result<Option<Line>, _> = sqlx::query_as("SELECT * FROM transactions WHERE id = $1 AND user_id = $2")
        .bind(id)
        .bind(user_id)
        .fetch_optional(&state.wallet)
        .await;
    match found {
        Ok(Some(line)) => Json(line).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// One function call and one commit per request.
async fn transfer(State(state): State<Databases>) -> Response {
    let (debtor, other) = (rand::random_range(1..=10_000i64), rand::random_range(1..10_000i64));
    let creditor = if other == debtor { 10_000 } else { other };
    let done: Result<String, _> = sqlx::query_scalar("SELECT transfer($1, $2, 1, $3)")
        .bind(debtor)
        .bind(creditor)
        .bind(Uuid::new_v4())
        .fetch_one(&state.peer)
        .await;
    match done {
        Ok(verdict) => (StatusCode::CREATED, Json(verdict)).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The url of another database on the same server.
pub fn sibling(url: &str, name: &str) -> Result<String> {
    let (server, _) = url.rsplit_once('/').context("a url names a database")?;
    Ok(format!("{server}/{name}"))
}
