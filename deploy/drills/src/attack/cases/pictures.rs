//! Files that cost more than they weigh, as receipts and as photos.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::sleep;

use crate::attack::files::{self, Coding, WIDEST, data_url};
use crate::attack::hostile::{Attack, bearer, post};
use play::request::PROOF;

/// The account of a test deposit: refused for its method after the file was checked, so that nothing piles up.
const METHOD: &str = "no-such-method";

pub async fn noisy_png(attack: Attack) -> Result<()> {
    let file = files::noisy_png(4_000, 8_000, true)?;
    receipts(&attack, 1, &[data_url("image/png", &file)]).await;
    Ok(())
}

pub async fn full_png(attack: Attack) -> Result<()> {
    let side = u32::from(WIDEST);
    let (opaque, transparent) = (files::noisy_png(side, side, false)?, files::noisy_png(3_500, 3_500, true)?);
    everywhere(&attack, &[data_url("image/png", &opaque), data_url("image/png", &transparent)]).await;
    Ok(())
}

pub async fn huge_png(attack: Attack) -> Result<()> {
    everywhere(&attack, &[data_url("image/png", &files::huge_png(22_000)?)]).await;
    Ok(())
}

pub async fn profile(attack: Attack) -> Result<()> {
    everywhere(&attack, &[data_url("image/png", &files::png_with_profile()?)]).await;
    Ok(())
}

pub async fn jpeg(attack: Attack) -> Result<()> {
    let file = files::black_jpeg(WIDEST, WIDEST, 3, Coding::Baseline);
    everywhere(&attack, &[data_url("image/jpeg", &file)]).await;
    Ok(())
}

pub async fn progressive(attack: Attack) -> Result<()> {
    let files = [3, 4, 1].map(|channels| files::black_jpeg(WIDEST, WIDEST, channels, Coding::Progressive));
    everywhere(&attack, &files.map(|file| data_url("image/jpeg", &file))).await;
    Ok(())
}

pub async fn huge_jpeg(attack: Attack) -> Result<()> {
    // The head alone: what it claims would take 130 MB of zeros.
    let files = [Coding::Baseline, Coding::Progressive].map(|coding| {
        let mut file = files::black_jpeg(8, 8, 3, coding);
        if let Some(at) = file.windows(4).position(|four| four == [0, 8, 0, 8]) {
            file[at..at + 4].copy_from_slice(&[0xff, 0xdc, 0xff, 0xdc]);
        }
        data_url("image/jpeg", &file)
    });
    everywhere(&attack, &files).await;
    Ok(())
}

pub async fn webp(attack: Attack) -> Result<()> {
    let file = files::plain_webp(WIDEST.into(), WIDEST.into());
    everywhere(&attack, &[data_url("image/webp", &file)]).await;
    Ok(())
}

pub async fn huge_webp(attack: Attack) -> Result<()> {
    everywhere(&attack, &[data_url("image/webp", &files::plain_webp(16_384, 16_384))]).await;
    Ok(())
}

pub async fn gif(attack: Attack) -> Result<()> {
    everywhere(&attack, &[data_url("image/gif", &files::endless_gif())]).await;
    Ok(())
}

pub async fn pdf(attack: Attack) -> Result<()> {
    everywhere(&attack, &[data_url("application/pdf", &files::pdf_bomb()?)]).await;
    Ok(())
}

pub async fn zip(attack: Attack) -> Result<()> {
    let bomb = files::zip_bomb()?;
    everywhere(&attack, &[data_url("image/png", &bomb), data_url("application/pdf", &bomb)]).await;
    Ok(())
}

/// A replaced photo is deleted, so each account has one.
pub async fn replaced(attack: Attack) -> Result<()> {
    let accounts = attack.target.accounts.len();
    let client = async |number: usize| {
        while attack.is_on() {
            attack.send(number, &photo(&attack, number, PROOF)).await;
        }
    };
    attack.clients(accounts, client).await;
    // The requests that were cut off by the end of the case.
    sleep(Duration::from_secs(1)).await;
    let photos = std::fs::read_dir(attack.target.files.join("photos")).context("no photo was stored")?.count();
    ensure!(photos <= accounts * 2, "{photos} photos of {accounts} accounts are stored");
    Ok(())
}

/// Every account sends the files at once, as receipts and as photos.
async fn everywhere(attack: &Attack, files: &[String]) {
    receipts(attack, attack.target.accounts.len(), files).await;
}

async fn receipts(attack: &Attack, accounts: usize, files: &[String]) {
    let client = async |number: usize| {
        let uploads = files.iter().flat_map(|file| [receipt(attack, number, file), photo(attack, number, file)]);
        for upload in uploads.collect::<Vec<_>>().iter().cycle() {
            attack.send(number, upload).await;
            sleep(Duration::from_millis(200)).await;
        }
    };
    attack.clients(accounts, client).await;
}

fn receipt(attack: &Attack, number: usize, file: &str) -> Vec<u8> {
    let body = json!({ "amount": "100.00", "method": METHOD, "receipt": file });
    post("POST", "/v1/transactions/deposit", &bearer(attack.account(number)), body.to_string().as_bytes())
}

fn photo(attack: &Attack, number: usize, file: &str) -> Vec<u8> {
    let account = attack.account(number);
    let body = json!({ "image": file });
    post("PUT", &format!("/v1/users/image/{}", account.id), &bearer(account), body.to_string().as_bytes())
}
