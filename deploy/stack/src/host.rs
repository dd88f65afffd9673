//! What runs on the machine and belongs to no server or service: processes, ports, folders, certificates, the clock.

pub mod certificates;
pub mod clock;
pub mod launch;
pub mod network;
pub mod place;
pub mod ports;
pub mod process;
pub mod secrets;
pub mod smtp;
