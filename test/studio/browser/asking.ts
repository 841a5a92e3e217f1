/** A program with a kernel that asks people, and a Studio of its own, in a process. */
import { spawn } from "node:child_process"
import * as readline from "node:readline"
import { program as programFile } from "../../built.ts"

export interface Asking {
  /** With the token. */
  readonly url: string
  readonly origin: string
  /** Begins a task, in which a person is asked. */
  readonly begin: (id: string) => void
  readonly stop: () => Promise<void>
}

export interface Allowing {
  readonly answer?: boolean
  readonly write?: boolean
  readonly fork?: boolean
  /** How long a question waits. Default: five minutes. */
  readonly confirmWithinMs?: number
}

/** Starts the program on a log, and waits until its Studio listens. */
export const asking = async (log: string, allowing: Allowing): Promise<Asking> => {
  const { write, ...studio } = await program("asking", log, JSON.stringify(allowing))
  return { ...studio, begin: write }
}

/** A program with a Studio of its own. */
export interface Program extends Pick<Asking, "url" | "origin" | "stop"> {
  /** Writes a line to it. */
  readonly write: (line: string) => void
}

/** Starts a program of `programs/`, and waits until its Studio listens. */
export const program = async (name: string, ...args: ReadonlyArray<string>): Promise<Program> => {
  const child = spawn(process.execPath, [programFile(import.meta.url, name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const lines = readline.createInterface({ input: child.stdout })
  const first = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve)
    lines.once("close", () => reject(new Error("expected the address of Studio, found that the program ended")))
  })
  const { url }: { url: string } = JSON.parse(first)
  return {
    url,
    origin: new URL(url).origin,
    write: (line) => void child.stdin.write(`${line}\n`),
    stop: async () => {
      child.kill("SIGKILL")
      await ended
    },
  }
}
