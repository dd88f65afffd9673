//! The name of the product: authenticators show it, and members may not use it as a name or password.

use std::sync::OnceLock;

use anyhow::ensure;

static NAME: OnceLock<String> = OnceLock::new();

/// Sets the name, once, when the process starts.
///
/// # Errors
/// If it is empty, or has a colon, which would end it in the link of an authenticator.
pub fn set(name: &str) -> anyhow::Result<()> {
    ensure!(!name.trim().is_empty() && !name.contains(':'), "BRAND must be a name without a colon");
    NAME.get_or_init(|| name.to_owned());
    Ok(())
}

/// The name; that of the local product before it is set.
#[must_use]
pub fn name() -> &'static str {
    NAME.get().map_or("Solvane", String::as_str)
}
