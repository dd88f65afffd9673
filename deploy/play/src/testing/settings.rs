//! The settings of a stack.

use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;

use stack::{
    Logs, Settings,
    host::ports,
    servers::{BrokerServer, DatabaseServer, postgres::Durability, testbed},
};

const WITHOUT_LIMIT: &str = "100000000";

/// The settings with which payments without evidence take no second reviewer: the payments of tests are on no chain.
#[must_use]
pub fn unproven_without_limits() -> Vec<(&'static str, String)> {
    ["UNPROVEN_MEMBER_DAY_FROM", "UNPROVEN_REVIEWER_DAY_FROM"].map(|name| (name, WITHOUT_LIMIT.to_owned())).into()
}

/// The settings with which no sum of deposits takes a second reviewer.
#[must_use]
pub fn one_reviewer() -> Vec<(&'static str, String)> {
    let mut settings = unproven_without_limits();
    settings.push(("DEPOSIT_SECOND_REVIEWER_FROM", WITHOUT_LIMIT.to_owned()));
    settings
}

/// A temporary folder for a stack.
///
/// # Errors
/// When it cannot be made.
pub fn folder() -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("solvane-").tempdir()?;
    // The servers' users have to pass through.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
    Ok(folder)
}

/// A stack in `folder` with servers of its own.
///
/// # Errors
/// When no port is free.
pub fn settings(folder: &Path) -> Result<Settings> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    Ok(Settings {
        folder: folder.to_owned(),
        port: ports::free()?,
        databases: DatabaseServer::Own(Durability::None),
        broker: BrokerServer::Own,
        smtp_url: None,
        web: root.join("web/dist"),
        unlimited: true,
        staff_totp: false,
        connection_age_seconds: None,
        two_of_each: false,
        otlp_endpoint: None,
        chains: None,
        tls: false,
        logs: Logs::Files,
        clock: None,
        environment: unproven_without_limits(),
        crash_points: None,
        progress: |_| {},
    })
}

pub(super) fn databases() -> DatabaseServer {
    std::env::var(testbed::STACK_TEST_DATABASE_URL)
        .map_or(DatabaseServer::Own(Durability::None), DatabaseServer::Borrowed)
}

pub(super) fn broker() -> BrokerServer {
    match (std::env::var(testbed::STACK_TEST_AMQP_URL), std::env::var(testbed::STACK_TEST_AMQP_MANAGEMENT_URL)) {
        (Ok(amqp_url), Ok(management_url)) => BrokerServer::Borrowed { amqp_url, management_url },
        _ => BrokerServer::Own,
    }
}
