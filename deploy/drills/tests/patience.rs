//! Anyone who has stolen a password, and has a day's patience, gets nothing.

use anyhow::Result;
use drills::attack::patience;
use play::testing::TestStack;

/// [D-M10] [D-A1] [D-A6] [D-M5] The owner's links take everything back: the approved withdrawal, the address, the saved method, the
/// authenticator, the closing. The owner's own withdrawal goes on, and staff see the report.
#[tokio::test]
async fn a_stolen_password_and_a_days_patience_get_nothing() -> Result<()> {
    let mut stack = TestStack::start().await?;
    patience::drill(&stack, |_| ()).await?;
    assert!(stack.broken_promises().await?.is_empty());
    stack.end().await
}
