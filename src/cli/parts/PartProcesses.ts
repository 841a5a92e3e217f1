/** Does the parts of some work in processes of this machine. A part whose process died is done again. */
import { type ChildProcess, spawn } from "node:child_process"
import * as os from "node:os"
import { Effect, type Scope, Stream } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as MergedParts from "./MergedParts.ts"
import { compare, type Item, type Key, PartUnusable, read } from "./PartLines.ts"
import * as PartOption from "./PartOption.ts"

export interface PartsOptions {
  readonly work: MergedParts.Work
  /** The largest number of processes. Each does a part. */
  readonly count: number
  /** The words of the command that writes a part to its standard output, without `--part`. */
  readonly command: ReadonlyArray<string>
  /** The log, in the environment of the processes: others see their arguments. */
  readonly log: string
  /** The program and the words before the command. Default: this one. */
  readonly program?: readonly [program: string, ...words: ReadonlyArray<string>]
  /** The cores of this machine. Default: those that this process may use. */
  readonly cores?: number
}

/** How often a part is begun. */
const ATTEMPTS = 5

/** The last characters of a process's errors that a message shows. */
const MAX_ERROR = 2_000

/**
 * The items of all parts, in order. The processes end with the stream.
 *
 * On a file there are no more processes than cores. Merging asks all parts for their next items in turn, so more of them
 * would do no work sooner, and each would start, and read past the rows of all others. On a server, they wait for it.
 */
export const run = ({
  work,
  count,
  command,
  log,
  program = OWN,
  cores = os.availableParallelism(),
}: PartsOptions): Stream.Stream<Item, PartUnusable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const start = yield* processes(program, log)
      const of = ServerUrl.isAddress(log) ? count : Math.min(count, cores)
      const parts = Array.from({ length: of }, (_, index) =>
        itemsOf(work, { index, of }, (part) => start([...command, "--part", PartOption.textOf(part), "--output", "-"])),
      )
      return MergedParts.ofAll(parts)
    }),
  )

const OWN = [process.execPath, CommandHints.main] as const

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly error: string }>
}

type Start = (args: ReadonlyArray<string>) => Started

/** Starts processes that end with the scope. */
const processes = (
  [program, ...words]: NonNullable<PartsOptions["program"]>,
  log: string,
): Effect.Effect<Start, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Set<Started>()),
      (running) =>
        Effect.promise(async () => {
          for (const { child } of running) child.kill("SIGKILL")
          await Promise.all([...running].map(({ ended }) => ended))
        }),
    ),
    (running): Start =>
      (args) => {
        const child = spawn(program, [...words, ...args], {
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...process.env, HINDCAST_LOG: log },
        })
        let error = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          error = (error + text).slice(-MAX_ERROR)
        })
        const ended = new Promise<{ code: number | null; error: string }>((resolve) => {
          child.on("error", ({ message }) => resolve({ code: 1, error: message }))
          child.on("close", (code) => resolve({ code, error: error.trim() }))
        })
        const started = { child, ended }
        running.add(started)
        void ended.then(() => running.delete(started))
        return started
      },
  )

/** Items of a part, each once, however often its process dies. Its items come again with the same keys. */
async function* itemsOf(work: MergedParts.Work, part: TaskPart, start: (part: TaskPart) => Started) {
  let last: Key | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const items of attemptOf(work, part, start)) {
        const after = last
        const fresh = after === undefined ? items : items.filter(({ key }) => compare(key, after) > 0)
        last = fresh.at(-1)?.key ?? last
        if (fresh.length > 0) yield fresh
      }
      return
    } catch (cause) {
      if (!(cause instanceof PartUnusable) || cause.died !== true || attempt === ATTEMPTS) throw cause
    }
  }
}

async function* attemptOf(
  work: MergedParts.Work,
  part: TaskPart,
  start: (part: TaskPart) => Started,
): AsyncGenerator<ReadonlyArray<Item>> {
  const name = PartOption.textOf(part)
  const { child, ended } = start(part)
  if (child.stdout === null) throw new PartUnusable({ part: name, reason: "its process has no output" })
  try {
    const { of, items } = await read(name, child.stdout)
    if (of.kind !== work.kind || of.about !== work.about)
      throw new PartUnusable({ part: name, reason: "its process found another log" })
    yield* items
  } catch (cause) {
    child.kill("SIGKILL")
    const { code, error } = await ended
    // It said why, and would say so again.
    if (code !== null && code !== 0) throw new PartUnusable({ part: name, reason: reasonIn(error) })
    throw cause
  }
}

/** The message of an error that a command printed as JSON. */
const reasonIn = (error: string): string => {
  try {
    const { message } = JSON.parse(error).error
    return String(message).replace(/\.$/, "")
  } catch {
    return error === "" ? "its process failed without a word" : error
  }
}
