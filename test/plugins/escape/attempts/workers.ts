import type { Attempts } from "./Attempt.ts"

/** Starts a worker that does something and says what came of it. */
const worker = (source: string, permissions: string) => `
  const url = URL.createObjectURL(new Blob([\`Promise.resolve().then(async () => { ${source} }).then(
    (value) => postMessage(String(value)), (error) => postMessage("failed: " + error))\`], { type: "application/javascript" }))
  const worker = new Worker(url, { type: "module", ${permissions} })
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = (error) => { error.preventDefault(); reject(new Error(error.message)) }
    })
  } finally { worker.terminate() }`

const read = `return Deno.readTextFileSync('\${at.secret}')`
const write = `Deno.writeTextFileSync('\${at.marker}', '')`
const run = `return new Deno.Command('/bin/sh', { args: ['-c', 'echo > \${at.marker}'] }).outputSync().code`
const connect = `return await (await fetch('http://127.0.0.1:\${at.tcp}')).text()`
const module = `return (await import('file://\${at.outside}/module.mjs')).default`

const thread = (options: string) => `
  const { Worker } = await import("node:worker_threads")
  const worker = new Worker(\`const { parentPort } = require("node:worker_threads")
    try { parentPort.postMessage(require("node:fs").readFileSync("\${at.secret}", "utf8")) } catch (error) { parentPort.postMessage("failed: " + error) }\`, { eval: true, ${options} })
  try {
    return await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject))
  } finally { await worker.terminate() }`

/** A worker needs more memory than a plugin has by default: these are given it. */
export const workers: Attempts = {
  "a worker that reads": worker(read, ""),
  "a worker that inherits": worker(read, `deno: { permissions: "inherit" }`),
  "a worker with more to read": worker(read, `deno: { permissions: { read: true } }`),
  "a worker with one path to read": worker(read, `deno: { permissions: { read: [at.outside] } }`),
  "a worker with all to write": worker(write, `deno: { permissions: { write: true } }`),
  "a worker with all to run": worker(run, `deno: { permissions: { run: true, read: true } }`),
  "a worker with the network": worker(connect, `deno: { permissions: { net: true } }`),
  "a worker that imports": worker(module, `deno: { permissions: { import: true, read: true } }`),
  "a worker of a worker": worker(
    `const inner = new Worker("data:application/javascript," + encodeURIComponent(\\\`try { postMessage(Deno.readTextFileSync("\${at.secret}")) } catch (e) { postMessage("failed: " + e) }\\\`), { type: "module" })
     return await new Promise((resolve) => { inner.onmessage = ({ data }) => resolve(data) })`,
    "",
  ),
  "a worker from a file outside": {
    tame: `const worker = new Worker("file://" + at.outside + "/module.mjs", { type: "module" })
    return await new Promise((resolve, reject) => { worker.onerror = (error) => { error.preventDefault(); reject(new Error(error.message)) }; worker.onmessage = () => resolve(at.escaped) })`,
  },
  "a thread of node:worker_threads": thread(""),
  "a thread with all permissions by its arguments": { tame: thread(`execArgv: ["--allow-all"], argv: ["-A"]`) },
  "a thread with the environment of its parent": thread(`env: (await import("node:worker_threads")).SHARE_ENV`),
}
