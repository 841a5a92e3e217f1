import { type ChildProcessByStdio, spawn } from "node:child_process"
import * as crypto from "node:crypto"
import * as dgram from "node:dgram"
import * as fs from "node:fs"
import * as http from "node:http"
import type * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { Readable, Writable } from "node:stream"
import * as Runner from "../../../src/plugins/sandbox/Runner.ts"
import { Database } from "../../sqlite.ts"
import type { Places } from "./attempts/Attempt.ts"

/** What an attempt came to, as the place it was made at tells. */
export interface Verdict {
  readonly escaped: boolean
  /** Traces that it left on the machine, whatever it learned or said. */
  readonly harmed: boolean
  /** What it learned or reached that nobody gave it: canaries and servers. */
  readonly reached: boolean
  /** What was found: the canaries that came out, the traces that were left; else how the attempt ended. */
  readonly found: string
}

/** What an attempt answered: what it returned, threw, or that it did not come to an end. */
export interface Answer {
  readonly did: "returned" | "threw" | "hung" | "ended"
  readonly value: string
}

const canary = (name: string) => `${name}-${crypto.randomUUID()}`

/** The runner, as the tests start it. */
const RUNNER = Runner.fileIn(os.tmpdir(), "runner")

/**
 * The place that attempts aim at: files with canaries beside the plugin's directory and the workspace, servers on the
 * loopback, a process, a variable. `judge` looks for canaries in an answer and for traces in the place.
 */
export const build = async (base: string) => {
  const canaries = { secret: canary("secret"), name: canary("name"), variable: canary("variable") }
  const escaped = canary("escaped")
  const hits = { tcp: 0, udp: 0, unix: 0 }
  const outside = path.join(base, "outside")
  const guarded = [outside, path.join(base, "workspace"), path.join(base, "plugin")]

  const server = http.createServer((request, response) => {
    const isModule = request.url?.endsWith(".mjs") === true
    response.setHeader("content-type", isModule ? "application/javascript" : "text/event-stream")
    response.end(isModule ? `export default "${canaries.secret}"` : `data: ${canaries.secret}\n\n`)
  })
  const sockets = new Set<net.Socket>()
  const counted = (name: "tcp" | "unix") => (socket: net.Socket) => {
    hits[name]++
    sockets.add(socket)
    socket.on("error", () => undefined)
  }
  server.on("connection", counted("tcp"))
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = crypto.createHash("sha1").update(key).digest("base64")
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const unixPath = path.join(base, "unix.sock")
  const unix = http.createServer((_, response) => response.end(canaries.secret))
  unix.on("connection", counted("unix"))
  await new Promise<void>((resolve) => unix.listen(unixPath, resolve))
  const udp = dgram.createSocket("udp4")
  udp.on("message", () => hits.udp++)
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve))

  const database = databaseOf(base, canaries.secret)
  let victim = startVictim(canaries.variable)
  let before = new Map<string, string>()

  /** Puts everything back, so that the next attempt is judged by itself. */
  const reset = () => {
    // The directory itself stays: an attempt may have made it its working directory.
    fs.mkdirSync(outside, { recursive: true })
    for (const name of fs.readdirSync(outside)) fs.rmSync(path.join(outside, name), { recursive: true })
    const files = {
      "secret.db": database,
      "secret.txt": canaries.secret,
      "module.mjs": `export default "${canaries.secret}"`,
      "module.cjs": `module.exports = "${canaries.secret}"`,
      "data.json": JSON.stringify({ secret: canaries.secret }),
      "package.json": JSON.stringify({ name: canaries.secret }),
      [canaries.name]: "",
    }
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(outside, name), content)
    if (victim.exitCode !== null || victim.signalCode !== null) victim = startVictim(canaries.variable)
    Object.assign(hits, { tcp: 0, udp: 0, unix: 0 })
    before = treeOf(guarded)
  }

  const places = (): Places => ({
    escaped,
    outside,
    secret: path.join(outside, "secret.txt"),
    marker: path.join(outside, "marker"),
    plugin: path.join(base, "plugin"),
    workspace: path.join(base, "workspace"),
    runner: RUNNER,
    tcp: portOf(server),
    udp: udp.address().port,
    unix: unixPath,
    victim: victim.pid ?? 0,
    variable: "HINDCAST_TEST_CANARY",
  })

  /** What was sent has arrived a moment later; and the victim answers or has ended, for a signal comes before what it reads. */
  const settled = () =>
    Promise.all([
      new Promise<void>((resolve) => setTimeout(resolve, 3)),
      new Promise<void>((resolve) => {
        if (victim.exitCode !== null || victim.signalCode !== null) return resolve()
        const heard = () => {
          victim.off("exit", heard)
          victim.stdout.off("data", heard)
          resolve()
        }
        victim.on("exit", heard)
        victim.stdout.on("data", heard)
        victim.stdin.write("?")
      }),
    ])

  const judge = async ({ did, value }: Answer, said: string): Promise<Verdict> => {
    await settled()
    const text = `${value}\n${said}`
    const reached = [
      ...Object.entries(canaries).flatMap(([name, word]) => (text.includes(word) ? [`leaked ${name}`] : [])),
      ...Object.entries(hits).flatMap(([name, count]) => (count > 0 ? [`reached ${name}`] : [])),
    ]
    const harmed = [
      ...differences(before, treeOf(guarded)),
      ...(victim.exitCode !== null || victim.signalCode !== null ? ["killed the victim"] : []),
    ]
    const traces = [...(text.includes(escaped) ? ["said that it escaped"] : []), ...reached, ...harmed]
    return {
      escaped: traces.length > 0,
      harmed: harmed.length > 0,
      reached: reached.length > 0,
      found: traces.join("; ") || `${did}: ${value}`,
    }
  }

  const close = async () => {
    victim.kill("SIGKILL")
    udp.close()
    for (const socket of sockets) socket.destroy()
    for (const each of [server, unix]) await new Promise((resolve) => each.close(resolve))
  }

  return { canaries, places, reset, judge, close, environment: { HINDCAST_TEST_CANARY: canaries.variable } }
}

export type Range = Awaited<ReturnType<typeof build>>

/** A database's file with a secret in it, made in this directory for a moment. */
const databaseOf = (directory: string, secret: string): Buffer => {
  const file = path.join(directory, "secret.db")
  const database = new Database(file)
  database.exec("CREATE TABLE secret (text)")
  database.prepare("INSERT INTO secret VALUES (?)").run(secret)
  database.close()
  const content = fs.readFileSync(file)
  fs.rmSync(file)
  return content
}

/** A process that says what it hears. */
const startVictim = (variable: string): ChildProcessByStdio<Writable, Readable, null> => {
  const victim = spawn("cat", [], {
    env: { VICTIM: variable, PATH: process.env.PATH },
    stdio: ["pipe", "pipe", "ignore"],
  })
  // Who writes to it after its end is told by its end.
  victim.stdin.on("error", () => {})
  return victim
}

const portOf = (server: net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Every file below some directories, with its content and its mode. */
const treeOf = (directories: ReadonlyArray<string>): Map<string, string> => {
  const tree = new Map<string, string>()
  const walk = (directory: string) => {
    if (!fs.existsSync(directory)) return
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const place = path.join(directory, entry.name)
      if (entry.isDirectory()) {
        tree.set(place, "a directory")
        walk(place)
      } else {
        const { mode, uid, gid, size, mtimeMs, nlink } = fs.lstatSync(place)
        tree.set(place, `${mode} ${uid} ${gid} ${size} ${mtimeMs} ${nlink}`)
      }
    }
  }
  for (const directory of directories) walk(directory)
  return tree
}

const differences = (before: Map<string, string>, after: Map<string, string>): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((place) => before.get(place) !== after.get(place))
    .map((place) => `changed ${path.basename(place)}`)
