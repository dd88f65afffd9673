//! The service trade.
