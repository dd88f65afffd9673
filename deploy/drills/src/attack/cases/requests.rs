//! Requests that are complete, and too many or of the wrong kind.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use crate::attack::hostile::{Attack, bearer, get, post, request};

/// What one address may send at once.
const AT_ONCE: u64 = 200;

/// Each method would be a new series, for ever.
pub async fn methods(attack: Attack) -> Result<()> {
    attack.clients(1, |_| attack.flood(0, 1_000, |number| request(&format!("BREW{number}"), "/v1/plans", ""))).await;
    let metrics = attack.metrics().await?;
    ensure!(!metrics.contains("BREW"), "a client's own words are labels of metrics");
    Ok(())
}

pub async fn paths(attack: Attack) -> Result<()> {
    attack.clients(4, |from| attack.flood(from, 100, |number| get(&format!("/v1/plans/none/{number}"), ""))).await;
    let metrics = attack.metrics().await?;
    ensure!(!metrics.contains("/v1/plans/none/"), "a client's own words are labels of metrics");
    Ok(())
}

/// No file system has names of 256 bytes. Each would be an error of the gateway and a line of its log.
pub async fn long_paths(attack: Attack) -> Result<()> {
    let part = "a".repeat(256);
    let paths = [format!("/{part}"), format!("/assets/{part}.js"), format!("/{}", "%61".repeat(256))];
    let of = |number: u64| get(&paths[usize::try_from(number).unwrap_or_default() % paths.len()], "");
    attack.clients(2, |from| attack.flood(from, 400, of)).await;
    ensure!(attack.counted("500") == 0, "a long path is an error of the gateway");
    ensure!(attack.counted("404") > 0, "no long path was answered");
    Ok(())
}

/// The limit of the address that sends counts, no matter what the body says.
pub async fn forged(attack: Attack) -> Result<()> {
    let forged = |number: u64| format!("x-forwarded-for: 203.0.{}.{}\r\n", number / 250 % 250, number % 250);
    attack.clients(4, |_| attack.flood(0, 400, |number| get("/v1/terms", &forged(number)))).await;
    // A slow machine answers less than one address may send, which proves nothing.
    let is_slow = attack.counted("200") < AT_ONCE;
    ensure!(is_slow || attack.counted("429") > 0, "the forged addresses were believed");
    Ok(())
}

/// All accounts but the last ask for quotes of one amount; the last one still gets a quote of it.
pub async fn quotes(attack: Attack) -> Result<()> {
    let method = attack.target.victim.platform_method("TRC20").await?;
    let body = json!({ "direction": "deposit", "amount": 100, "method": method });
    let last = attack.target.accounts.len() - 1;
    let client = |from| {
        let ask = post("POST", "/v1/quotes", &bearer(attack.account(from)), body.to_string().as_bytes());
        let attack = attack.clone();
        async move { attack.flood(from, 20, |_| ask.clone()).await }
    };
    attack.clients(last, client).await;
    ensure!(attack.counted("201") > 0, "no attacker has a quote");
    attack.account(last).client.post("/quotes", body).await?.success().context("a quote of another member")?;
    Ok(())
}

pub async fn reads(attack: Attack) -> Result<()> {
    let client = |from| {
        let head = get("/v1/transactions/user", &bearer(attack.account(from)));
        let attack = attack.clone();
        async move { attack.flood(from, 100, |_| head.clone()).await }
    };
    attack.clients(6, client).await;
    Ok(())
}

pub async fn statements(attack: Attack) -> Result<()> {
    let client = |from| {
        let heads = ["csv", "pdf"].map(|format| {
            get(
                &format!("/v1/transactions/statement?from=2026-01-01&to=2026-06-30&format={format}"),
                &bearer(attack.account(from)),
            )
        });
        let attack = attack.clone();
        async move { attack.flood(from, 20, |number| heads[usize::from(number % 2 == 0)].clone()).await }
    };
    attack.clients(6, client).await;
    Ok(())
}

pub async fn pages(attack: Attack) -> Result<()> {
    let paths = ["/", "/login", "/v1/openapi.json", "/dashboard", "/no/such/page"];
    let request = |number: u64| get(paths[usize::try_from(number).unwrap_or_default() % paths.len()], "");
    attack.clients(2, |from| attack.flood(from, 400, request)).await;
    Ok(())
}

pub async fn options(attack: Attack) -> Result<()> {
    let headers = "origin: https://evil.example\r\naccess-control-request-method: POST\r\n";
    let of =
        |number: u64| request(if number.is_multiple_of(2) { "OPTIONS" } else { "HEAD" }, "/v1/auth/login", headers);
    attack.clients(4, |from| attack.flood(from, 100, of)).await;
    Ok(())
}

pub async fn tokens(attack: Attack) -> Result<()> {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = part(json!({ "sub": "1", "exp": 4_102_444_800_u64, "iss": "auth", "aud": "solvane" }));
    let genuine = &attack.account(0).token;
    let tokens = [
        format!("{}.{claims}.", part(json!({ "alg": "none" }))),
        format!("{}.{claims}.{}", part(json!({ "alg": "HS256", "kid": "token" })), "A".repeat(43)),
        format!("{}.{claims}.{}", part(json!({ "alg": "EdDSA", "kid": "x".repeat(4_000) })), "A".repeat(86)),
        format!("{}A", genuine.get(..genuine.len() - 2).unwrap_or_default()),
        "x".repeat(20_000),
        "..".to_owned(),
    ];
    let of = |number: u64| {
        let token = &tokens[usize::try_from(number).unwrap_or_default() % tokens.len()];
        get("/v1/wallet", &format!("authorization: Bearer {token}\r\n"))
    };
    attack.clients(6, |from| attack.flood(from, 40, of)).await;
    ensure!(attack.counted("200") == 0, "a forged token was taken");
    Ok(())
}

pub async fn queries(attack: Attack) -> Result<()> {
    let query = format!("/v1/plans?{}", "a=b&".repeat(7_500));
    attack.clients(6, |from| attack.flood(from, 20, |number| get(&format!("{query}{number}"), ""))).await;
    Ok(())
}

/// Requests on one connection as fast as it takes them, and no answer read.
pub async fn pipelines(attack: Attack) -> Result<()> {
    let batch = get("/v1/openapi.json", "").repeat(50);
    let client = async |number: usize| {
        let Some(mut stream) = attack.open_with_buffer(number / 8, Some(4_096)).await else { return };
        while attack.is_on() {
            if stream.write_all(&batch).await.is_err() {
                return attack.count("ended");
            }
            sleep(Duration::from_millis(100)).await;
        }
        attack.count("open");
    };
    attack.clients(6 * 8, client).await;
    Ok(())
}

/// Withdrawals without money: every key is kept with its refusal, or not at all.
pub async fn keys(attack: Attack) -> Result<()> {
    let client = |from| {
        let (session, attack) = (bearer(attack.account(from)), attack.clone());
        async move {
            let of = |number: u64| {
                let headers = format!("{session}idempotency-key: {}-{number}\r\n", "k".repeat(200));
                post("POST", "/v1/transactions/withdraw", &headers, WITHDRAWAL)
            };
            attack.flood(from, 20, of).await;
        }
    };
    attack.clients(attack.target.accounts.len(), client).await;
    ensure!(attack.counted("201") == 0, "a withdrawal without money was taken");
    Ok(())
}

const WITHDRAWAL: &[u8] = br#"{"amount":"100.00","method":"USDT","address":"TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"}"#;

pub async fn one_key(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        let from = number / 8;
        let headers = format!("{}idempotency-key: same\r\n", bearer(attack.account(from)));
        let request = post("POST", "/v1/transactions/withdraw", &headers, WITHDRAWAL);
        while attack.is_on() {
            attack.send(from, &request).await;
            sleep(Duration::from_millis(250)).await;
        }
    };
    attack.clients(attack.target.accounts.len() * 8, client).await;
    Ok(())
}
