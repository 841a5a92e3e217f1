/**
 * The interpreter's thread: loads Python and answers requests one at a time. Running code blocks it; the plugin's main
 * thread stays free to interrupt.
 */
import process from "node:process"
import { parentPort, workerData } from "node:worker_threads"
import { executor } from "./execute.ts"
import { fileActions } from "./files.ts"
import { CALM, LEVEL, type Reply, type Request, type Start, targetOf } from "./messages.ts"
import { loadCold, loadSnapshot, type Pyodide } from "./pyodide.ts"
import { limitStorage } from "./storage.ts"

const port = parentPort
if (port === null) throw new Error("expected to be a worker's main module")
const post = port.postMessage.bind(port)
const send = (reply: Reply) => post(reply)
const control: Int32Array = workerData

interface Asked {
  readonly id: number
  readonly request: Request | "end"
}

/** Starts from the snapshot, or cold if there is none or it does not fit, and says why. */
const start = async ({ snapshot, why }: Start): Promise<readonly [Pyodide, Reply]> => {
  if (snapshot === undefined) return [await loadCold(), { type: "ready", from: "cold", why: why ?? "there is none" }]
  try {
    return [await loadSnapshot(snapshot), { type: "ready", from: "snapshot" }]
  } catch (cause) {
    return [await loadCold(), { type: "ready", from: "cold", why: messageOf(cause) }]
  }
}

/** Never rejects. */
const serve = (pyodide: Pyodide): ((message: Asked) => void) => {
  limitStorage(pyodide.FS)
  const execute = executor(pyodide, control)
  const files = fileActions(pyodide.FS)
  const answer = (id: number, request: Request): Reply => {
    const begin = (phase: 1 | 2) => {
      Atomics.store(control, LEVEL, CALM)
      send({ type: "started", id, phase })
      return targetOf(id, phase)
    }
    try {
      return { type: "done", id, value: request.type === "execute" ? execute(request, begin) : files(request) }
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
        return { type: "refused", id, code: cause.code, message: cause.message }
      }
      return { type: "lost", id, reason: messageOf(cause) }
    }
  }
  return ({ id, request }) => (request === "end" ? process.exit(0) : send(answer(id, request)))
}

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)

let serving: ((message: Asked) => void) | undefined

// One permanent listener: a thread that stops listening for a moment ends.
port.on("message", async (message: Start | Asked) => {
  if ("id" in message) return serving?.(message)
  try {
    const [pyodide, ready] = await start(message)
    serving = serve(pyodide)
    send(ready)
  } catch (cause) {
    send({ type: "unavailable", reason: messageOf(cause) })
  }
})
