#!/usr/bin/env node
// Runs the program of this platform's package, with the same arguments, streams and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { optionalDependencies } = require("../package.json");

const suffix = `-${process.platform}-${process.arch}`;

// On Linux, the report names the version of glibc; it has none with musl.
function isMusl() {
  return process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
}

function program() {
  const wanted = suffix + (isMusl() ? "-musl" : "");
  const name = Object.keys(optionalDependencies).find((known) => known.endsWith(wanted));
  if (!name) {
    throw new Error(`there is no package for this platform (${wanted.slice(1)})`);
  }
  try {
    return require.resolve(`${name}/bin/causeway`);
  } catch {
    throw new Error(`${name} is not installed: install without --omit=optional`);
  }
}

function run() {
  const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`causeway: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}

try {
  run();
} catch (error) {
  console.error(`causeway: ${error.message}`);
  process.exitCode = 1;
}
