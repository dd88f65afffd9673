//! The service payment-method.
