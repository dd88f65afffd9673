//! The service wallet.
