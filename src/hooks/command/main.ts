#!/usr/bin/env node
/**
 * `hindcast-hook CLIENT [EVENT]`: the command that a coding agent runs as its hook. It passes the payload to the hook
 * server, which it starts if there is none, and answers as the server says. It fails closed: on any failure, exit code
 * 2 and a sentence refuse a waiting tool. It loads nothing of Effect, to keep calls fast.
 */

import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { isGate } from "../clients/Gates.ts"
import * as Door from "../Door.ts"

/** Time for an answer: below the clients' limit of 600 s, above a person's limit. */
const ANSWER_MS = 570_000

const START_MS = 15_000

/** How often it looks whether its client is still there. */
const PARENT_MS = 500

const [client = "", named] = process.argv.slice(2)

/** A tool may wait for the answer: assumed until the payload is read. */
let waits = true

/**
 * Ends with a failure, which refuses a waiting tool. Other events continue: exit code 2 would change the agent's input.
 */
const refuse = (why: string): never => {
  fs.writeSync(2, `Hindcast's hook failed${waits ? ", so this call is refused" : ""}: ${why}\n`)
  process.exit(waits ? 2 : 1)
}

/** The client's message, with the event's name if only the command line has it. */
const payload = (): string => {
  // A replaced byte would be another command than the one that runs.
  const text = new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(0))
  const given: unknown = JSON.parse(text)
  if (typeof given !== "object" || given === null) throw new Error("expected an object on the standard input")
  const event: unknown = named ?? Reflect.get(given, "hook_event_name")
  waits = typeof event !== "string" || isGate(event)
  return named === undefined ? text : JSON.stringify({ ...given, hookEvent: named })
}

interface Answered {
  readonly status: number
  readonly body: string
}

const ask = ({ socket, token }: Door.Door, body: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }
    const request = http.request(
      { socketPath: socket, path: `/hooks/${client}`, method: "POST", headers, agent: false },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (piece: string) => {
          text += piece
        })
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }))
        response.on("error", reject)
      },
    )
    request.on("error", reject)
    request.setTimeout(ANSWER_MS, () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)))
    request.end(body)
  })

/** Nobody listens, so no request has begun and a retry is safe. */
const isNobody = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNREFUSED" || error.code === "ENOENT")

/** Starts a server that outlives this process. */
const start = (): void => {
  const main = path.join(path.dirname(fs.realpathSync(process.argv[1] ?? "")), "cli", "main.js")
  const server = spawn(process.execPath, [main, "hooks", "serve", "--quiet"], { detached: true, stdio: "ignore" })
  server.on("error", () => {})
  server.unref()
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const answered = async (body: string): Promise<Answered> => {
  const until = performance.now() + START_MS
  let isStarted = false
  for (;;) {
    const door = Door.read()
    if (door !== undefined) {
      try {
        return await ask(door, body)
      } catch (error) {
        if (!isNobody(error)) throw error
      }
    }
    if (!isStarted) {
      if (process.env.HINDCAST_HOOKS_START === "never") throw new Error("no hook server runs")
      isStarted = true
      start()
    }
    if (performance.now() > until) throw new Error(`no hook server answered within ${START_MS / 1000} s`)
    await pause(50)
  }
}

// A client that ends may leave its hook behind. The end of this process tells the server that nobody waits for an answer.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.exit(2)
}, PARENT_MS).unref()

try {
  const { status, body } = await answered(payload())
  if (status !== 200) refuse(`the hook server answered with ${status}: ${body.slice(0, 500)}`)
  const { stdout, stderr, exitCode } = JSON.parse(body)
  if (typeof stdout !== "string" || typeof stderr !== "string" || ![0, 1, 2].includes(exitCode)) {
    refuse("the hook server's answer has another form")
  }
  if (stdout !== "") fs.writeSync(1, stdout)
  if (stderr !== "") fs.writeSync(2, stderr)
  process.exit(exitCode)
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error))
}
