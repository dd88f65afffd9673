//! The gateway: the /v1 REST contract, and the web app, in front of the services. It authenticates, translates, stores
//! uploaded files and maps errors; it holds no business rule.

pub mod config;

pub mod operator;

pub mod app;

pub mod router;

pub mod middleware;

pub mod extract;

pub mod http;

pub mod papers;

pub mod exports;

pub mod storage;

pub mod proofs;

pub mod sweep;

pub mod peers;

pub mod routes;

pub mod openapi;

pub mod web;

pub mod server;
