//! The contract between the services: messages, clients and servers generated from `solvane/**/*.proto`. The packages
//! `solvane.<service>.v1` are the modules `<service>::v1`; `common` is used by all.

#![expect(missing_docs, reason = "generated; the comments are in the .proto files")]

mod generated {
    include!(concat!(env!("OUT_DIR"), "/packages.rs"));
}

pub use generated::solvane::*;
