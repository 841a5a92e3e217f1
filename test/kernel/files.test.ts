import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import * as Document from "../../src/workspace/model/Document.ts"
import { recordFiles } from "../../src/workspace/recordFiles.ts"
import { eventsOf } from "../agents/given.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { type TestKernelOptions, testKernel } from "./testKernel.ts"

const TASK = "files"

const PLUGIN = inRepository("plugins/workspace")

/** An agent that gives these commands, one after the other. */
const giving = (...commands: ReadonlyArray<{ readonly act: string; readonly args: JsonObject }>): Agent.Agent => ({
  name: "giver",
  version: "1",
  decide: ({ step, lastOutcome }) =>
    commands[step] ?? { done: "achieved", reason: String(lastOutcome?.status ?? "nothing was done") },
})

const write = (file: string, content: string) => ({ act: "workspace/write_file", args: { path: file, content } })

/** A kernel whose log is elsewhere than its workspace. */
const kernelAt = (directory: string, options: Omit<TestKernelOptions, "directory"> = {}) =>
  withoutFiles(directory, { files: recordFiles, ...options })

const withoutFiles = (directory: string, options: Omit<TestKernelOptions, "directory"> = {}) =>
  Effect.flatMap(
    testKernel({ workspace: files(directory), ...options, directory: path.join(directory, "log") }),
    ({ start }) => start,
  )

const files = (directory: string): string => {
  const workspace = path.join(directory, "workspace")
  fs.mkdirSync(workspace, { recursive: true })
  return fs.realpathSync(workspace)
}

/** The changes of files, as `path: kind`, with the command that caused them, or why none did. */
const changesIn = (events: ReadonlyArray<Event>) => {
  const byId = new Map(events.map((event) => [event.id, event]))
  return events.flatMap((event) => {
    if (!is(event, "EnvironmentChanged") || event.payload.plugin !== Document.PLUGIN) return []
    const cause = byId.get(event.causationId ?? "")
    const by = event.payload.unattributed ?? cause?.payload.commandId ?? cause?.type
    const command = events.find((one) => is(one, "ActuatorCommanded") && one.payload.commandId === by)
    const what = Document.read(event.payload.patch).map(({ path, state }) => `${path}: ${state.kind}`)
    return [{ what: what.join(", "), by: command === undefined ? by : command.payload.args }]
  })
}

const eventsIn = (timeline: string) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ timeline, taskId: TASK }, 1_000))

const textIn = (directory: string, file: string) => {
  const place = path.join(files(directory), file)
  return fs.existsSync(place) ? fs.readFileSync(place, "utf8") : undefined
}

describe("a kernel that records files", () => {
  it.scopedLive("tells which command changed which file, and what nobody's command did", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      fs.writeFileSync(path.join(files(directory), "there.txt"), "before\n")
      const { run } = yield* kernelAt(directory, { plugins: [PLUGIN] })
      const events = yield* run(
        Effect.gen(function* () {
          const task = yield* (yield* Kernel).tasks.open({ goal: "write", id: TASK })
          yield* task.act("workspace/write_file", { path: "a.txt", content: "one\n" })
          fs.writeFileSync(path.join(files(directory), "by-a-person.txt"), "mine\n")
          yield* task.act("workspace/run", { command: "node", args: ["-e", "fs.renameSync('a.txt', 'b.txt')"] })
          fs.rmSync(path.join(files(directory), "there.txt"))
          yield* task.close("achieved")
          return yield* eventsOf(TASK)
        }),
      )
      expect(changesIn(events)).toEqual([
        { what: "a.txt: added", by: { path: "a.txt", content: "one\n" } },
        { what: "by-a-person.txt: added", by: "no-call" },
        { what: "a.txt: removed, b.txt: renamed", by: { command: "node", args: expect.any(Array) } },
        { what: "there.txt: removed", by: "no-call" },
      ])
    }),
  )

  it.scopedLive("does not look around commands that can change no file, and the log stays as without it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const entry = `export default { actuators: { say: () => null } }`
      const plugins = [{ name: "mute", entry, actuators: [{ name: "say" }] }]
      const { run } = yield* kernelAt(directory, { plugins })
      const events = yield* run(
        Effect.gen(function* () {
          const task = yield* (yield* Kernel).tasks.open({ goal: "speak", id: TASK })
          fs.writeFileSync(path.join(files(directory), "new.txt"), "new\n")
          yield* task.act("mute/say")
          return yield* eventsOf(TASK)
        }),
      )
      expect(changesIn(events)).toEqual([])
      expect(events.some((event) => is(event, "EnvironmentReset"))).toBe(true)
    }),
  )

  it.scopedLive("records nothing without the option, and refuses a home directory and a plugin with its name", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const without = yield* testKernel({ plugins: [PLUGIN], directory })
      const { run } = yield* without.start
      yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(giving(write("a.txt", "a")), { id: TASK, goal: "go" })),
      )
      expect((yield* run(eventsOf(TASK))).filter((event) => is(event, "EnvironmentReset"))).toEqual([])

      const root = yield* testKernel({ files: recordFiles, workspace: path.parse(directory).root })
      expect(yield* Effect.flip(Effect.scoped(root.start))).toMatchObject({
        _tag: "InvalidOptions",
        problems: [{ path: "files", found: expect.stringContaining("a whole file system") }],
      })

      const entry = "export default { environment: { reset: () => ({}) } }"
      const named = yield* testKernel({
        files: recordFiles,
        plugins: [{ name: "workspace", entry, environment: true }],
      })
      const refused = Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "go" }))
      expect(yield* Effect.flip((yield* named.start).run(refused))).toMatchObject({
        _tag: "EnvironmentRefused",
        plugin: "workspace",
      })
    }),
  )
})

describe("a fork of a task whose files are recorded", () => {
  const agent = giving(write("a.txt", "one\n"), write("a.txt", "two\n"), write("b.txt", "b\n"))

  const worked = Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    fs.writeFileSync(path.join(files(directory), "there.txt"), "before\n")
    yield* Effect.scoped(
      Effect.flatMap(kernelAt(directory, { plugins: [PLUGIN] }), ({ run }) =>
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: TASK, goal: "go" }))),
      ),
    )
    return directory
  })

  /** After the first command. */
  const point = (events: ReadonlyArray<Event>) => {
    const [first] = events.filter((event) => is(event, "EnvironmentChanged"))
    return first?.position ?? 0
  }

  it.scopedLive("begins with the files of its moment, and its parent's later contents stay in the log", () =>
    Effect.gen(function* () {
      const directory = yield* worked
      const { run } = yield* kernelAt(directory)
      // Only what the task wrote later goes.
      fs.rmSync(path.join(files(directory), "there.txt"))
      const [forked, events] = yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const at = point(yield* eventsOf(TASK))
          const other = giving(write("a.txt", "one\n"), write("c.txt", "c\n"))
          const forked = yield* kernel.fork(other, { at, task: TASK, restoreFiles: true })
          return [forked, yield* eventsIn(forked.timeline)] as const
        }),
      )
      expect(forked.worlds).toMatchObject([{ plugin: "workspace", by: "snapshot" }])
      expect(textIn(directory, "a.txt")).toBe("one\n")
      expect(textIn(directory, "b.txt")).toBeUndefined()
      expect(textIn(directory, "c.txt")).toBe("c\n")
      expect(textIn(directory, "there.txt")).toBe("before\n")
      const own = changesIn(events.filter(({ timeline }) => timeline === forked.timeline))
      expect(own).toEqual([
        { what: "a.txt: changed, b.txt: added, there.txt: removed", by: "not-watched" },
        { what: "a.txt: changed, there.txt: added, b.txt: removed", by: "restored" },
        { what: "c.txt: added", by: { path: "c.txt", content: "c\n" } },
      ])
    }),
  )

  it.scopedLive("refuses a workspace in which its plugin does not work, and writes nothing there", () =>
    Effect.gen(function* () {
      const directory = yield* worked
      const elsewhere = fs.realpathSync(yield* temporaryDirectory)
      const { run } = yield* kernelAt(directory, { workspace: elsewhere })
      const refused = yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const other = giving(write("a.txt", "one\n"))
          const at = point(yield* eventsOf(TASK))
          return yield* Effect.flip(kernel.fork(other, { at, task: TASK, restoreFiles: true, acceptUnrewound: true }))
        }),
      )
      expect(refused).toMatchObject({
        _tag: "FilesNotRestored",
        left: [{ path: files(directory), why: expect.stringContaining("workspace works there") }],
      })
      expect(fs.readdirSync(elsewhere)).toEqual([])
      expect(textIn(directory, "a.txt")).toBe("two\n")
    }),
  )

  it.scopedLive("says what it cannot bring back, and refuses where no files are recorded", () =>
    Effect.gen(function* () {
      const directory = yield* worked
      const fork = (options: object) =>
        Effect.gen(function* () {
          const at = point(yield* eventsOf(TASK))
          return yield* (yield* Kernel).fork(agent, { at, task: TASK, restoreFiles: true, ...options })
        })
      const refused = yield* Effect.scoped(
        Effect.flatMap(withoutFiles(directory), ({ run }) => Effect.flip(run(fork({})))),
      )
      expect(refused).toMatchObject({ _tag: "FilesNotRestored", left: [{ path: "." }] })
      expect(textIn(directory, "a.txt")).toBe("two\n")

      fs.writeFileSync(path.join(files(directory), ".env"), "TOKEN=changed\n")
      fs.writeFileSync(path.join(files(directory), "mine.txt"), "by a person\n")
      fs.rmSync(path.join(files(directory), "there.txt"))
      fs.mkdirSync(path.join(files(directory), "there.txt"))
      execFileSync("mkfifo", [path.join(files(directory), "there.txt", "pipe")])
      const { run } = yield* kernelAt(directory)
      const error = yield* Effect.flip(run(fork({})))
      expect(error).toMatchObject({
        _tag: "FilesNotRestored",
        left: [
          { path: ".env", why: expect.stringContaining("secret") },
          { path: "mine.txt", why: expect.stringContaining("your own work") },
          { path: "there.txt", why: expect.stringContaining("directory") },
        ],
      })
      // What could be restored is, and what could not stays.
      expect(textIn(directory, "a.txt")).toBe("one\n")
      expect(textIn(directory, ".env")).toBe("TOKEN=changed\n")
      expect(textIn(directory, "mine.txt")).toBe("by a person\n")
      const { worlds } = yield* run(fork({ acceptUnrewound: true }))
      expect(worlds).toMatchObject([{ plugin: "workspace", by: "nothing", reason: expect.stringContaining(".env") }])
    }),
  )
})

describe("a resume after a crash in the middle of a command", () => {
  /** A tool that writes half of what it was to write the first time, and never ends. */
  const halfway = (directory: string) => {
    let calls = 0
    let resolve = () => {}
    const called = new Promise<void>((done) => {
      resolve = done
    })
    const run = () => {
      calls++
      fs.writeFileSync(path.join(files(directory), "data.txt"), calls === 1 ? "half" : "whole\n")
      if (calls > 1) return "written"
      fs.rmSync(path.join(files(directory), "kept.txt"))
      resolve()
      return Effect.never
    }
    return {
      called,
      tools: { save: Tool.make({ description: "Saves", result: Schema.String, risk: "none", run } as never) },
    }
  }

  const agent = giving({ act: "program/save", args: {} })

  const leftHalfway = (directory: string) =>
    Effect.gen(function* () {
      fs.writeFileSync(path.join(files(directory), "kept.txt"), "kept\n")
      const { called, tools } = halfway(directory)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run } = yield* kernelAt(directory, { tools, onOpenTasks: "resume" })
          const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: TASK, goal: "go" })))
          yield* Effect.forkDaemon(Effect.exit(working))
          yield* Effect.promise(() => called)
        }),
      )
      expect(textIn(directory, "data.txt")).toBe("half")
      return tools
    })

  const crashed = (restoreFiles: boolean) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const tools = yield* leftHalfway(directory)
      const { run } = yield* kernelAt(directory, { tools, onOpenTasks: "resume" })
      const [events, replayed] = yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          yield* kernel.tasks.resume(TASK, agent, restoreFiles ? { restoreFiles } : {})
          return [yield* eventsOf(TASK), yield* kernel.replay(TASK, agent)] as const
        }),
      )
      expect(replayed).toMatchObject({ verdict: "identical" })
      return { directory, events }
    })

  it.scopedLive("brings the files back, and says so where it says that the outcome is unknown", () =>
    Effect.gen(function* () {
      const { directory, events } = yield* crashed(true)
      expect(textIn(directory, "data.txt")).toBeUndefined()
      expect(textIn(directory, "kept.txt")).toBe("kept\n")
      expect(events.find((event) => is(event, "CommandOutcomeUnknown"))?.payload).toMatchObject({
        reason: "the files of the workspace are as before it",
      })
      expect(changesIn(events).map(({ by }) => by)).toEqual(["not-watched", "restored"])
    }),
  )

  it.scopedLive("takes no file of another directory for half-done work", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const tools = yield* leftHalfway(directory)
      const workspace = files(path.join(directory, "other"))
      fs.writeFileSync(path.join(workspace, "own.txt"), "mine\n")
      const { run } = yield* kernelAt(directory, { tools, workspace, onOpenTasks: "resume" })
      const resumed = Effect.flatMap(Kernel, ({ tasks }) => tasks.resume(TASK, agent, { restoreFiles: true }))
      const failure = yield* run(Effect.flip(resumed))
      expect(failure).toMatchObject({ message: expect.stringContaining(`not of ${workspace}`) })
      expect(fs.readdirSync(workspace)).toEqual(["own.txt"])
    }),
  )

  it.scopedLive("leaves them without the option, with what changed in the log", () =>
    Effect.gen(function* () {
      const { directory, events } = yield* crashed(false)
      expect(textIn(directory, "data.txt")).toBe("half")
      expect(changesIn(events)).toEqual([{ what: "data.txt: added, kept.txt: removed", by: "not-watched" }])
    }),
  )
})
