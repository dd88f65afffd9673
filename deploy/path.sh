# Puts the tools that setup.sh installs into PATH: Node.js, which has a folder of its own, and Rust, which a shell finds
# only when it is opened again. Sourced.
# shellcheck shell=bash

node_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target/node
export PATH="$node_folder/node_modules/.bin:$HOME/.cargo/bin:$PATH"
