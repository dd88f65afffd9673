//! The gateway: the /v1 REST contract, and the web app, in front of the services. It authenticates, translates, stores
//! uploaded files and maps errors; it holds no business rule.

pub mod config;

pub mod operator;

pub mod app;

pub mod router;

pub mod middleware;

pub mod extract;

pub mod idempotency;

pub mod json;

pub mod convert;

pub mod compression;

mod large;

pub mod names;

pub mod archive;

pub mod exports;

pub mod documents;

pub mod files;

pub mod media;

pub mod proofs;

pub mod pdf;

pub mod paper;

pub mod pictures;

pub mod sweep;

pub mod clients;

pub mod routes;

pub mod cache;

pub mod live;

pub mod error;

pub mod refusal_page;

pub mod openapi;

pub mod web;

pub mod server;
