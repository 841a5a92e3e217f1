import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { type CoreNewEvent, EventLog, layerSqlite } from "../../src/events/index.ts"
import { Presence } from "../../src/events/log/Presence.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { birthOf } from "../../src/platform/ProcessIdentity.ts"
import * as Tools from "../../src/plugins/sandbox/Tools.ts"
import { isAlive, temporaryDirectory } from "../plugins/fixtures.ts"
import { Database } from "../sqlite.ts"

interface Left {
  readonly pid: number
  /** Succeeds when it has ended, with the signal that ended it. */
  readonly ended: Effect.Effect<NodeJS.Signals | null>
}

/** A process that leads its group, as a kernel that died would have left it; ended with the scope. */
const left = (command: string, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<NodeJS.Signals | null>()
    const child: ChildProcess = yield* Effect.acquireRelease(
      Effect.async<ChildProcess>((resume) => {
        const child = spawn(command, args, { stdio: ["pipe", "ignore", "ignore"], detached: true })
        child.once("spawn", () => resume(Effect.succeed(child)))
        child.once("exit", (_, signal) => Deferred.unsafeDone(ended, Effect.succeed(signal)))
      }),
      (child) =>
        Effect.zipRight(
          Effect.sync(() => child.kill("SIGKILL")),
          Deferred.await(ended),
        ),
    )
    const it: Left = { pid: child.pid ?? 0, ended: Deferred.await(ended) }
    return it
  })

/** A runner that waits for its first frame, and that only the end of its input or a signal ends. */
const leftRunnerAt = (runner: string) =>
  Effect.flatMap(Tools.find, ({ deno }) => left(deno, ["run", "--quiet", "--no-prompt", runner]))

const RUNNER = fileURLToPath(new URL("../../src/plugins/runner/runner.ts", import.meta.url))

const leftRunner = leftRunnerAt(RUNNER)

const imported: CoreNewEvent = {
  type: "PluginImported",
  payload: {
    plugin: "sample",
    version: "1.0.0",
    manifest: {},
    digest: "0".repeat(64),
    source: "/",
    grants: {},
  },
}

const removed: CoreNewEvent = { type: "PluginRemoved", payload: { plugin: "sample" } }

/** What a kernel says at its start of a process that the log says was started and does not say ended. */
const saidOf = (
  pid: number,
  birth: string | undefined,
  thereafter: ReadonlyArray<CoreNewEvent> = [],
  { directory: given, kernel }: { readonly directory?: string; readonly kernel?: string } = {},
) =>
  Effect.gen(function* () {
    const directory = given ?? (yield* temporaryDirectory)
    const filename = path.join(directory, "log.db")
    yield* Effect.flatMap(EventLog, (log) =>
      log.append({
        stream: "plugin/sample",
        actor: "kernel",
        events: [
          imported,
          {
            type: "PluginStarted",
            payload: {
              plugin: "sample",
              instance: "kernel",
              pid,
              sandbox: "flags",
              permissions: [],
              ...(birth === undefined ? {} : { birth }),
              ...(kernel === undefined ? {} : { kernel }),
            },
          },
          ...thereafter,
        ],
      }),
    ).pipe(Effect.provide(layerSqlite({ filename })))
    return yield* Effect.gen(function* () {
      yield* Kernel
      const events = yield* (yield* EventLog).readPage({ types: ["PluginExited"] }, 10)
      return events.map(({ payload }) => payload)
    }).pipe(Effect.provide(Hindcast.layer({ log: filename, workspace: directory })))
  })

const exited = (pid: number, signal: string | null, reason: string) => [
  { plugin: "sample", instance: "kernel", pid, code: null, signal, inFlight: [], reason },
]

describe("a process that the log says was started and not that it ended", () => {
  it.scopedLive("is killed where it is provably ours, and the log says so", () =>
    Effect.gen(function* () {
      const { pid, ended } = yield* leftRunner
      expect(yield* saidOf(pid, birthOf(pid))).toEqual(
        exited(pid, "SIGKILL", "its kernel ended; the process was still running, and was killed"),
      )
      expect(yield* ended).toBe("SIGKILL")
    }),
  )

  it.scopedLive("is killed also where its plugin was removed meanwhile, or removed and imported again", () =>
    Effect.gen(function* () {
      for (const thereafter of [[removed], [removed, imported]]) {
        const { pid, ended } = yield* leftRunner
        expect(yield* saidOf(pid, birthOf(pid), thereafter)).toMatchObject([
          { plugin: "sample", pid, signal: "SIGKILL" },
        ])
        expect(yield* ended).toBe("SIGKILL")
      }
    }),
  )

  it.scopedLive("is killed also where the kernel was installed elsewhere when it started it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const runner = path.join(directory, "plugins", "runner", "runner.ts")
      // The runner and what it imports.
      for (const folder of ["plugins/runner", "plugins/numpy", "plugins/spaces", "plugins/elementary", "values/rows"]) {
        const from = path.join(path.dirname(RUNNER), "..", "..", folder)
        yield* Effect.promise(() => fs.cp(from, path.join(directory, folder), { recursive: true }))
      }
      const { pid, ended } = yield* leftRunnerAt(runner)
      expect(yield* saidOf(pid, birthOf(pid))).toMatchObject([{ pid, signal: "SIGKILL" }])
      expect(yield* ended).toBe("SIGKILL")
    }),
  )

  it.scopedLive("is left alone where a later process has its id", () =>
    Effect.gen(function* () {
      const { pid } = yield* leftRunner
      const [boot, tick] = birthOf(pid)?.split("/") ?? []
      for (const birth of [`${boot}/${Number(tick) - 1}`, `another-boot/${tick}`]) {
        expect(yield* saidOf(pid, birth)).toEqual(exited(pid, null, "its kernel ended"))
      }
      expect(isAlive(pid)).toBe(true)
    }),
  )

  it.scopedLive("is left alone where it is no runner, even if all else fits", () =>
    Effect.gen(function* () {
      const { pid } = yield* left("sleep", ["60"])
      expect(yield* saidOf(pid, birthOf(pid))).toEqual(exited(pid, null, "its kernel ended"))
      expect(isAlive(pid)).toBe(true)
    }),
  )

  it.scopedLive("is left alone, and told about, where the log does not say when it was started", () =>
    Effect.gen(function* () {
      const { pid } = yield* leftRunner
      const [said] = yield* saidOf(pid, undefined)
      expect(said?.reason).toContain("a process with its id runs a plugin, but may be another")
      expect(isAlive(pid)).toBe(true)
    }),
  )

  it.scopedLive(
    "is left alone while the kernel that started it lives, and killed by the next one after its death",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const filename = path.join(directory, "log.db")
        const { pid, ended } = yield* leftRunner
        const log = yield* Layer.build(layerSqlite({ filename }))
        const kernel = yield* Context.get(log, Presence).announce
        expect(yield* saidOf(pid, birthOf(pid), [], { directory, kernel })).toEqual([])
        expect(isAlive(pid)).toBe(true)
        // Its kernel has died since.
        const database = new Database(filename)
        database.prepare("UPDATE heartbeats SET pid = ?, started = '1' WHERE identity = ?").run(2 ** 30, kernel)
        database.close()
        expect(yield* saidOf(2 ** 29, "another-boot/1", [], { directory })).toMatchObject([
          { pid, signal: "SIGKILL", kernel },
          { pid: 2 ** 29, signal: null },
        ])
        expect(yield* ended).toBe("SIGKILL")
      }),
  )

  it.scopedLive("is gone where there is no such process", () =>
    Effect.gen(function* () {
      const { pid, birth } = yield* Effect.scoped(Effect.map(leftRunner, ({ pid }) => ({ pid, birth: birthOf(pid) })))
      expect(yield* saidOf(pid, birth)).toEqual(exited(pid, null, "its kernel ended"))
    }),
  )
})

describe("what a plugin had asked of the host when its kernel ended", () => {
  it.scopedLive("is answered in the log where it was not, once: whether it took effect is not known", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      const asked = (requestId: string) => ({
        type: "BrokerRequested" as const,
        payload: { plugin: "sample", requestId, method: "run" as const, request: { command: "make", args: [] } },
      })
      const answer = { plugin: "sample", requestId: "1.1", error: { code: "Cancelled", message: "over" }, latencyMs: 1 }
      yield* Effect.flatMap(EventLog, (log) =>
        log.append({
          stream: "plugin/sample",
          taskId: "task-1",
          actor: "kernel",
          events: [asked("1.1"), { type: "BrokerAnswered", payload: answer }, asked("1.2")],
        }),
      ).pipe(Effect.provide(layerSqlite({ filename: log })))
      for (const _start of [1, 2]) {
        const answers = yield* Effect.gen(function* () {
          yield* Kernel
          return yield* (yield* EventLog).readPage({ types: ["BrokerAnswered"] }, 10)
        }).pipe(Effect.provide(Hindcast.layer({ log, workspace: directory })))
        const error = { code: "OutcomeUnknown", message: "its kernel ended; whether it took effect is not known" }
        expect(answers.map(({ taskId, payload }) => [taskId, payload])).toEqual([
          ["task-1", answer],
          ["task-1", { plugin: "sample", requestId: "1.2", error }],
        ])
      }
    }),
  )
})
