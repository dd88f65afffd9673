//! The product as a whole, from its real binaries.

mod alone;
mod audit;
mod back_office;
mod batch;
mod chains;
mod course_media;
mod drill;
mod export;
mod faults;
mod freeze;
mod history;
mod indexes;
mod journey;
mod keys;
mod nodes;
mod privileges;
mod roles;
mod second_factor;
mod servers;
mod tls;
mod traces;
mod turnover;
mod upgrade;
