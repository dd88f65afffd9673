//! The peer of the gateway: Envoy, which verifies what the gateway signed and translates REST into the wallet's gRPC.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use stack::Service;
use stack::host::launch::{Launch, Output};
use stack::host::process::Process;
use tokio::net::TcpStream;

use crate::product::Product;

/// The contract that it translates, below the folder `proto`.
const CONTRACT: &str = "solvane/wallet/v1/wallet_service.proto";
/// The calls that are measured, with their addresses.
const ADDRESSES: [(&str, &str); 2] =
    [("GetTimes", "/v1/transactions/times"), ("GetTransaction", "/v1/transactions/{id}")];
/// The option of a call that names its address.
const ANNOTATIONS: &str = r#"syntax = "proto3";
package google.api;
import "google/protobuf/descriptor.proto";
message HttpRule {
  string selector = 1;
  oneof pattern {
    string get = 2;
  }
}
extend google.protobuf.MethodOptions {
  HttpRule http = 72295728;
}
"#;

/// Envoy with as many workers as the machine has cores.
pub struct Envoy {
    /// Where it listens.
    pub port: u16,
    pub process: Process,
}

impl Envoy {
    /// Starts it before the product's wallet.
    pub async fn start(program: &Path, folder: &Path, product: &Product) -> Result<Self> {
        ensure!(program.exists(), "{} is not there: see README.md", program.display());
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let config = include_str!("../envoy.yaml")
            .replace("$PORT", &port.to_string())
            .replace("$UPSTREAM", &product.stack.ports(Service::Wallet).main.to_string())
            .replace("$ISSUER", "gateway")
            .replace("$AUDIENCE", "wallet")
            .replace("$JWKS", &gateway_keys(&product.stack.folder().join("keys/trusted.json"))?)
            .replace("$DESCRIPTORS", &descriptors(folder)?.display().to_string());
        let file = folder.join("envoy.yaml");
        fs::write(&file, config)?;
        let workers = std::thread::available_parallelism()?.to_string();
        let log = folder.join("envoy.log");
        let process = Launch::new("envoy", program, Output::File(log.clone()))
            .args(["--config-path", &file.display().to_string(), "--concurrency", &workers, "--log-level", "warning"])
            .args(["--disable-hot-restart"])
            .start()?;
        let limit = tokio::time::Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            let is_starting = process.is_running() && tokio::time::Instant::now() < limit;
            ensure!(is_starting, "Envoy does not start:\n{}", fs::read_to_string(&log).unwrap_or_default());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(Self { port, process })
    }
}

/// The gateway's key as a JSON Web Key Set.
fn gateway_keys(trusted: &Path) -> Result<String> {
    let entries: Vec<Value> = serde_json::from_slice(&fs::read(trusted)?)?;
    let keys: Vec<Value> = entries
        .iter()
        .filter(|entry| entry["name"] == "gateway")
        .map(|entry| json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": entry["kid"], "x": entry["x"] }))
        .collect();
    ensure!(!keys.is_empty(), "no key of the gateway");
    Ok(json!({ "keys": keys }).to_string())
}

/// Writes the descriptors of the contract, to which the addresses are added.
fn descriptors(folder: &Path) -> Result<PathBuf> {
    let (source, own) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto"), folder.join("annotated"));
    let text = fs::read_to_string(source.join(CONTRACT))?;
    let mut text = text.replacen("import ", "import \"google/api/annotations.proto\";\nimport ", 1);
    for (call, address) in ADDRESSES {
        let plain = format!("rpc {call}({call}Request) returns ({call}Response);");
        ensure!(text.contains(&plain), "the contract has no {plain}");
        let annotated = plain.replace(';', &format!(" {{ option (google.api.http) = {{ get: \"{address}\" }}; }}"));
        text = text.replace(&plain, &annotated);
    }
    for (name, text) in [(CONTRACT, text.as_str()), ("google/api/annotations.proto", ANNOTATIONS)] {
        let path = own.join(name);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(path, text)?;
    }
    let mut compiler = protox::Compiler::new([own, source])?;
    compiler.include_imports(true).open_file(CONTRACT)?;
    let path = folder.join("descriptors.binpb");
    fs::write(&path, compiler.encode_file_descriptor_set())?;
    Ok(path)
}
