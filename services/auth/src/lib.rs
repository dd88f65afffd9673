//! The service auth.
