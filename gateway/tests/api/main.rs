//! The gateway against fake services: what it lets through, and what it makes of answers.

mod fixture;

mod contract;

mod errors;

mod money;

mod slow;
