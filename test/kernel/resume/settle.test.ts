import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Lease, LeaseLost } from "../../../src/events/log/Lease.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import { eventsOf } from "../../agents/given.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { about, type Sample, seen } from "../given.ts"
import { loseLease } from "../lostLease.ts"
import { type TestKernelOptions, testKernel } from "../testKernel.ts"

const TASK = "in-doubt"

type Options = Omit<TestKernelOptions, "directory">

/** An agent that gives one command, and is done with how it ended. */
const giving = (act: string, args: { readonly [name: string]: string | number } = {}): Agent.Agent => ({
  name: "giver",
  version: "1",
  decide: ({ step, lastOutcome }) =>
    step === 0 ? { act, args } : { done: "achieved", reason: String(lastOutcome?.status) },
})

/** A kernel ends while a command is carried out, as if it had been killed: nothing more is recorded of it. */
const interrupted = (agent: Agent.Agent, options: Options, called?: Promise<void>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ ...options, directory, onOpenTasks: "resume" })).start
      const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: TASK, goal: "go" })))
      yield* Effect.forkDaemon(Effect.exit(working))
      yield* called === undefined ? run(seen(about("PluginLogged"))) : Effect.promise(() => called)
    }).pipe(Effect.scoped)
    return directory
  })

/** What the next kernel makes of the task. */
const resumed = (directory: string, agent: Agent.Agent, options: Options) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ ...options, directory, onOpenTasks: "resume" })).start
    return yield* run(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const audit = yield* kernel.tasks.resume(TASK, agent)
        const replayed = yield* kernel.replay(TASK, agent)
        const events = yield* eventsOf(TASK)
        const ends = events.filter(
          (event) => is(event, "CommandSucceeded") || is(event, "CommandFailed") || is(event, "CommandOutcomeUnknown"),
        )
        const dispatches = events.filter((event) => is(event, "CommandDispatched")).length
        return { audit, replayed, dispatches, ends: ends.map(({ type, payload }) => ({ type, payload })), events }
      }),
    )
  }).pipe(Effect.scoped)

/** Forks the task from before its command. */
const forkedBefore = (directory: string, agent: Agent.Agent, options: Options) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ ...options, directory })).start
    yield* run(
      Effect.gen(function* () {
        const opened = (yield* eventsOf(TASK)).find((event) => is(event, "TaskOpened"))
        const kernel = yield* Kernel
        yield* kernel.fork(agent, { task: TASK, at: opened?.position ?? 0, acceptUnrewound: true })
      }),
    )
  }).pipe(Effect.scoped)

/** A tool whose first call never ends, and that may be asked. */
const paying = (settle?: (...asked: ReadonlyArray<unknown>) => unknown, idempotent = false) => {
  const paid: Array<string> = []
  const asked: Array<unknown> = []
  let resolve = () => {}
  const called = new Promise<void>((done) => {
    resolve = done
  })
  const options = {
    description: "It pays",
    result: Schema.Struct({ at: Schema.Number }),
    risk: "none",
    idempotent,
    timeout: 2000,
    run: (_: unknown, { commandId }: { readonly commandId: string }) => {
      paid.push(commandId)
      resolve()
      return paid.length === 1 ? Effect.never : { at: 2 }
    },
    ...(settle === undefined
      ? {}
      : {
          settle: (commandId: string, args: unknown, context: unknown) => {
            asked.push({ commandId, args })
            return settle(commandId, args, context)
          },
        }),
  }
  return { paid, asked, called, tools: { pay: Tool.make(options as never) } }
}

const agent = giving("program/pay", { euros: 5 })

/** The services of a kernel that loses its lease as soon as it has taken up the task. Nothing shuts it out of the log. */
const losing = Layer.effectContext(
  Effect.map(Effect.all([EventLog, Lease]), ([log, lease]) => {
    let isLost = false
    const append: EventLog.Service["append"] = (request) =>
      Effect.tap(log.append(request), () => {
        isLost ||= request.events.some(({ type }) => type === "TaskResumed")
      })
    const acquire: Lease.Service["acquire"] = (owner) =>
      Effect.map(lease.acquire(owner), (held) => ({
        ...held,
        check: Effect.suspend(() => (isLost ? new LeaseLost({ log: log.name, owner }) : held.check)),
      }))
    return Context.make(EventLog, EventLog.of({ ...log, append })).pipe(Context.add(Lease, { ...lease, acquire }))
  }),
)

describe("a tool that is asked what became of a command that a crash left in doubt", () => {
  it.scopedLive("is not asked by a kernel that has lost its lease", () =>
    Effect.gen(function* () {
      const { tools, called, asked } = paying(() => Promise.resolve({ status: "succeeded", result: { at: 1 } }))
      const directory = yield* interrupted(agent, { tools }, called)
      const failure = yield* Effect.flip(resumed(directory, agent, { tools, between: losing }))
      expect(failure).toMatchObject({ _tag: "LeaseLost" })
      expect(asked).toEqual([])
    }),
  )

  it.scopedLive("tells that it succeeded: its result is the outcome, with its source, and nothing is done again", () =>
    Effect.gen(function* () {
      const { tools, called, paid, asked } = paying(() => Promise.resolve({ status: "succeeded", result: { at: 1 } }))
      const directory = yield* interrupted(agent, { tools }, called)
      const { audit, replayed, ends, dispatches } = yield* resumed(directory, agent, { tools })
      expect(audit).toMatchObject({ outcome: "achieved", reason: "succeeded" })
      expect(ends).toMatchObject([
        { type: "CommandSucceeded", payload: { result: { at: 1 }, settledBy: expect.stringMatching(/^program@/) } },
      ])
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect([dispatches, paid.length]).toEqual([1, 1])
      yield* forkedBefore(directory, agent, { tools })
      // Neither the replay, nor a fork, nor the end of the task asked again.
      expect(asked).toEqual([{ commandId: paid[0], args: { euros: 5 } }])
    }),
  )

  it.scopedLive("tells that it failed: the error is the outcome, also of an idempotent one", () =>
    Effect.gen(function* () {
      const error = { code: "NoFunds", message: "the account was empty" }
      const { tools, called, paid } = paying(() => Effect.succeed({ status: "failed", error }), true)
      const directory = yield* interrupted(agent, { tools }, called)
      const { audit, replayed, ends } = yield* resumed(directory, agent, { tools })
      expect(audit).toMatchObject({ outcome: "achieved", reason: "failed" })
      expect(ends).toMatchObject([{ type: "CommandFailed", payload: { error, settledBy: expect.any(String) } }])
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect(paid).toHaveLength(1)
    }),
  )

  for (const [what, settle, reason] of [
    ["cannot tell", () => ({ status: "unknown", reason: "the bank is closed" }), "the bank is closed"],
    [
      "throws",
      () => {
        throw new Error("no line to the bank")
      },
      "no line to the bank",
    ],
    ["answers in a wrong shape", () => "paid", "expected { status"],
    ["answers with a result that breaks its schema", () => ({ status: "succeeded", result: { at: "noon" } }), "at"],
    ["does not answer in time", () => Effect.never, "2000 ms"],
  ] as const) {
    it.scopedLive(`${what}: the outcome is unknown, with the reason`, () =>
      Effect.gen(function* () {
        const { tools, called, paid } = paying(settle)
        const directory = yield* interrupted(agent, { tools }, called)
        const { audit, replayed, ends } = yield* resumed(directory, agent, { tools })
        expect(audit).toMatchObject({ outcome: "achieved", reason: "unknown" })
        expect(ends).toMatchObject([
          { type: "CommandOutcomeUnknown", payload: { reason: expect.stringContaining(reason) } },
        ])
        expect(ends[0]?.payload).not.toHaveProperty("settledBy")
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
        expect(paid).toHaveLength(1)
      }),
    )
  }

  it.scopedLive("cannot tell, and is idempotent: it is carried out again", () =>
    Effect.gen(function* () {
      const { tools, called, paid } = paying(() => ({ status: "unknown" }), true)
      const directory = yield* interrupted(agent, { tools }, called)
      const { ends, dispatches } = yield* resumed(directory, agent, { tools })
      expect(ends).toMatchObject([{ type: "CommandSucceeded", payload: { result: { at: 2 } } }])
      expect([dispatches, new Set(paid).size]).toEqual([2, 1])
    }),
  )

  it.scopedLive("has no settle: the outcome is unknown, as it always was", () =>
    Effect.gen(function* () {
      const { tools, called } = paying()
      const directory = yield* interrupted(agent, { tools }, called)
      const { ends } = yield* resumed(directory, agent, { tools })
      expect(ends.map(({ type, payload }) => [type, Object.keys(payload)])).toEqual([
        ["CommandOutcomeUnknown", ["commandId"]],
      ])
    }),
  )
})

/** It prints a page and never says so, or hangs before that. */
const PRINTER: Sample = {
  name: "printer",
  actuators: [{ name: "print" }],
  permissions: { read: ["."], write: ["."] },
  entry: `
    export default {
      actuators: {
        print: async (context, { text }) => {
          if (text !== "jam") await context.writeFile(context.commandId, text)
          context.log("begun")
          await new Promise(() => {})
        },
      },
      settle: {
        print: async (context, commandId, { text }) => {
          const written = await context.writeFile("x", "").then(() => "wrote", ({ code }) => code)
          const found = await context.readFile(commandId).catch(() => undefined)
          return found === text
            ? { status: "succeeded", result: [found, written, context.commandId === commandId] }
            : { status: "failed", error: { code: "NotPrinted", message: "there is no such page" } }
        },
      },
    }`,
}

describe("a plugin in its sandbox that is asked what became of a command", () => {
  for (const [text, end] of [
    ["news", { type: "CommandSucceeded", payload: { result: ["news", "SettleWrites", true] } }],
    ["jam", { type: "CommandFailed", payload: { error: { code: "NotPrinted" } } }],
  ] as const) {
    it.scopedLive(`is given its id and arguments in a new process, and cannot write: ${end.type}`, () =>
      Effect.gen(function* () {
        const agent = giving("printer/print", { text })
        const directory = yield* interrupted(agent, { plugins: [PRINTER] })
        const { ends } = yield* resumed(directory, agent, { plugins: [PRINTER] })
        expect(ends).toMatchObject([{ ...end, payload: { ...end.payload, settledBy: "printer@1.0.0" } }])
        expect(fs.existsSync(path.join(directory, "x"))).toBe(false)
      }),
    )
  }
})

/** It takes a job and hangs, and answers about it as the job says. */
const UNRELIABLE: Sample = {
  name: "unreliable",
  actuators: [{ name: "work", timeout: 3000 }],
  entry: `
    const answers = {
      throws: () => { throw Object.assign(new Error("the books are lost"), { code: "Lost" }) },
      spins: () => { for (;;); },
      dies: () => Deno.exit(3),
      "is nonsense": () => ({ status: "done", result: 1 }),
      "is no JSON": () => ({ status: "succeeded", result: () => 1 }),
    }
    export default {
      actuators: { work: async (context) => { context.log("begun"); await new Promise(() => {}) } },
      settle: { work: (_context, _commandId, { job }) => answers[job]() },
    }`,
}

describe("a plugin in its sandbox whose answer about a command cannot be used", () => {
  for (const [job, reason] of [
    ["throws", "the books are lost"],
    ["spins", "3000 ms"],
    ["dies", "ended with code 3"],
    ["is nonsense", "expected { status"],
    ["is no JSON", "expected JSON, found a function"],
  ] as const) {
    it.scopedLive(`because it ${job}: the outcome is unknown, and the task goes on`, () =>
      Effect.gen(function* () {
        const agent = giving("unreliable/work", { job })
        const options = { plugins: [UNRELIABLE] }
        const directory = yield* interrupted(agent, options)
        const { audit, replayed, ends, dispatches } = yield* resumed(directory, agent, options)
        expect(audit).toMatchObject({ outcome: "achieved", reason: "unknown" })
        expect(ends).toMatchObject([
          { type: "CommandOutcomeUnknown", payload: { reason: expect.stringContaining(reason) } },
        ])
        expect(dispatches).toBe(1)
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      }),
    )
  }
})

describe("a room whose command was carried out, in a process that the crash ended too", () => {
  it.scopedLive("says that it has not happened in the room that was brought back, and the agent goes on", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const agent = giving("text-room/look")
      const [stopped, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const between = Layer.effect(
        EventLog,
        Effect.map(EventLog, (log) => ({
          ...log,
          append: (request) =>
            request.events.some(({ type }) => type === "CommandSucceeded")
              ? Effect.all([Deferred.succeed(stopped, undefined), Deferred.await(goOn)]).pipe(
                  Effect.zipRight(log.append(request)),
                )
              : log.append(request),
        })),
      )
      const { run } = yield* (yield* testKernel({ directory, between, onOpenTasks: "resume" })).start
      yield* Effect.addFinalizer(() => Deferred.succeed(goOn, undefined))
      const source = inRepository("plugins/text-room")
      yield* run(Effect.flatMap(Registry, (registry) => registry.import(source)))
      const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: TASK, goal: "go" })))
      const first = yield* Effect.forkDaemon(Effect.exit(working))
      yield* Deferred.await(stopped)
      loseLease(path.join(directory, "log.db"))
      const { audit, replayed, ends } = yield* resumed(directory, agent, {})
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.await(first)
      expect(audit).toMatchObject({ outcome: "achieved", reason: "failed" })
      const settledBy = expect.stringMatching(/^text-room@/)
      expect(ends).toMatchObject([
        { type: "CommandFailed", payload: { error: { code: "not-carried-out" }, settledBy } },
      ])
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})
