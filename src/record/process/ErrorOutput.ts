/**
 * A program's error output: passes to this process's as it comes, and its end is kept for the error that the log and a
 * person get. A program at a terminal keeps the terminal, so nothing is kept of it.
 */

import { execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { promisify, stripVTControlCharacters } from "node:util"

export interface ErrorOutput {
  /** The program's error output, as an entry of `stdio`. */
  readonly stdio: number | "inherit"
  /** Passes on the rest, after the program has ended. Returns the last lines, shortened; undefined if there are none. */
  readonly ended: () => Promise<string | undefined>
  /** Releases the pipe, also of a program that did not start. */
  readonly close: () => void
}

/** Kept bytes. */
const KEPT = 16 * 1024

/** Maximum number of the lines that are told, and of characters of each. */
const MOST_LINES = 6
const LONGEST_LINE = 200

/** Turns of the event loop without a byte, after which a pipe is empty: each turn reads what is there. */
const QUIET_TURNS = 10

/**
 * Opens a pipe. It is a named one, because the pipes that Node itself makes are sockets, which a program cannot open
 * again as `/dev/stderr`. The name is gone once this returns.
 */
export const open = async (): Promise<ErrorOutput> => {
  if (process.stderr.isTTY || process.platform === "win32") return UNTOUCHED
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-errors-"))
  try {
    const name = path.join(directory, "pipe")
    await promisify(execFile)("mkfifo", ["-m", "600", name])
    const reading = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    return passing(reading, fs.openSync(name, fs.constants.O_WRONLY))
  } catch (error) {
    // A machine without mkfifo(1) runs the program as it is.
    if (Reflect.get(Object(error), "code") === "ENOENT") return UNTOUCHED
    throw error
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

const UNTOUCHED: ErrorOutput = { stdio: "inherit", ended: async () => undefined, close: () => {} }

const passing = (reading: number, writing: number): ErrorOutput => {
  let kept = Buffer.alloc(0)
  let heard = 0
  let isEnded = false
  let isOpen = true
  const output = new net.Socket({ fd: reading, readable: true, writable: false })
  output.on("data", (bytes: Buffer) => {
    heard += 1
    kept = Buffer.concat([kept, bytes]).subarray(-KEPT)
    process.stderr.write(bytes)
  })
  output.once("close", () => {
    isEnded = true
  })
  // Until then, the output cannot end.
  const closeOwnEnd = () => {
    if (isOpen) fs.closeSync(writing)
    isOpen = false
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    stdio: writing,
    ended: async () => {
      closeOwnEnd()
      // The pipe has everything that the program wrote. A process that it left behind may keep the pipe open.
      for (let quiet = 0, before = heard; !isEnded && quiet < QUIET_TURNS; before = heard) {
        await turn()
        quiet = heard === before ? quiet + 1 : 0
      }
      if (!isEnded) leave(output, reading)
      return lastLines(kept.toString("utf8"))
    },
    close: () => {
      closeOwnEnd()
      output.destroy()
    },
  }
}

/** Lets a process of its own pass on what processes that the program left behind still write. */
const leave = (output: net.Socket, reading: number): void => {
  const passing = spawn("cat", [], { stdio: [reading, 2, "ignore"], detached: true })
  passing.on("error", () => {}).unref()
  output.destroy()
}

const lastLines = (text: string): string | undefined => {
  const lines = stripVTControlCharacters(text)
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
  if (lines.length === 0) return undefined
  const cut = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)
  return lines.slice(-MOST_LINES).map(cut).join("\n").toWellFormed()
}
