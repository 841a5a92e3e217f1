/**
 * Finds a program that would wait for ever: its main thread blocks by `Atomics.wait` on a worker thread, whose requests
 * only the main thread's event loop can answer.
 */

import * as fs from "node:fs"
import type { Socket } from "node:net"
import workers from "node:worker_threads"
import * as Method from "../network/Method.ts"

/** Shares with worker threads whether the main thread has blocked since its event loop last turned: 1 or 0. */
const SHARED = "hindcast/blocked"

/** How often a worker thread looks, and how often in a row it finds no answer before it ends the process. */
const EVERY_MS = 250
const MAX_LOOKS = 40

export const BOUND_SECONDS = (EVERY_MS * MAX_LOOKS) / 1_000

/** In a main thread that answers its worker threads: lets them know when it blocks. */
export const share = (): void => {
  const blocked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  workers.setEnvironmentData(SHARED, blocked)
  Method.replace(
    Atomics,
    "wait",
    (original) =>
      function wait(this: unknown, ...args) {
        // A program may also wait in turns, each with a time-out of its own.
        if (Atomics.exchange(blocked, 0, 1) === 0) setImmediate(() => Atomics.store(blocked, 0, 0))
        return original.apply(this, args)
      },
  )
}

/** In a worker thread: returns a function that watches a client's connection to the main thread. */
export const watching = (attempts: string): ((id: string, socket: Socket) => void) => {
  const blocked = workers.isMainThread ? undefined : workers.getEnvironmentData(SHARED)
  return (_, socket) => {
    if (blocked instanceof Int32Array) watch(blocked, socket, () => endProcess(attempts))
  }
}

const watch = (blocked: Int32Array, socket: Socket, onHeld: () => void): void => {
  let [read, written, looks] = [0, 0, 0]
  const look = () => {
    if (socket.bytesRead !== read) [read, written] = [socket.bytesRead, socket.bytesWritten]
    const isHeld = socket.bytesWritten !== written && Atomics.load(blocked, 0) === 1
    looks = isHeld ? looks + 1 : 0
    if (looks === MAX_LOOKS) onHeld()
  }
  const timer = setInterval(look, EVERY_MS)
  timer.unref()
  socket.once("close", () => clearInterval(timer))
}

const fileBeside = (attempts: string): string => `${attempts}.blocked`

/** Only a signal ends a process whose main thread blocks. */
const endProcess = (attempts: string): void => {
  fs.writeFileSync(fileBeside(attempts), "")
  process.kill(process.pid, "SIGKILL")
}

/** Whether a process was ended because of this. */
export const wasFound = (attempts: string): boolean => fs.existsSync(fileBeside(attempts))
