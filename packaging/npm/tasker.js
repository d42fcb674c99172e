#!/usr/bin/env node
// Starts the program from the package that npm installed for this platform, and exits with its
// status.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@tasker/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "tasker.exe" : "tasker";
let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`tasker: the package ${name} is not installed. It is an optional dependency: install without --omit=optional.`);
  console.error("If there is none for this platform, build it: make install, in a checkout.");
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`tasker: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
