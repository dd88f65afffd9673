//! What the gateway keeps of the services' answers, each for seconds.

pub mod plans;

pub mod profiles;
