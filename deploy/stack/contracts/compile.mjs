// Compiles the contracts of the tests into contracts.json: the code as it runs, by name. Only needed after a change of a
// source: in an empty folder, `npm install solc@0.8.30` and run this file with NODE_PATH set to its node_modules.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";

const require = createRequire(`${process.env.NODE_PATH}/`);
const solc = require("solc");
const names = ["Token", "Liar", "Batch"];
const source = (name) => readFileSync(new URL(`${name}.sol`, import.meta.url), "utf8");
const input = {
  language: "Solidity",
  sources: Object.fromEntries(names.map((name) => [`${name}.sol`, { content: source(name) }])),
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "paris",
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
for (const error of output.errors ?? []) console.error(error.formattedMessage);
const code = (name) => `0x${output.contracts[`${name}.sol`][name].evm.deployedBytecode.object}`;
const contracts = Object.fromEntries(names.map((name) => [name, code(name)]));
writeFileSync(new URL("contracts.json", import.meta.url), `${JSON.stringify(contracts, null, 2)}\n`);
