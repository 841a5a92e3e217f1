import * as async_hooks from "node:async_hooks"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog, type LogError } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Replay from "../../src/kernel/replay/Replay.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import type { Projector } from "../../src/projections/projector/Projector.ts"
import { shippedPlugin } from "../built.ts"
import { inRepository } from "../repository.ts"
import { CONSENT, writePlugin } from "./given.ts"

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-replay-")))
const log = path.join(directory, "log.db")
/** The log, when nobody acts on it. */
const runtime = ManagedRuntime.make(
  Layer.suspend(() => Hindcast.layerLog({ log: { filename: log, readonly: true }, workspace: directory })),
)
const reading = <A, E>(effect: Effect.Effect<A, E, EventLog | Projector>): Promise<A> => runtime.runPromise(effect)

afterAll(async () => {
  await runtime.dispose()
  fs.rmSync(directory, { recursive: true, force: true })
})

const exampleAgent = async (name: string): Promise<Agent.DecidingAgent> =>
  (await import(inRepository(`examples/agents/${name}.mjs`))).default

type Choose = (view: Agent.DecisionContext, memory: Array<unknown>) => Agent.Choice

/** An agent that remembers what it likes, anew for each run. */
const deciding = (name: string, choose: Choose): Agent.DecidingAgent => {
  const memory: Array<unknown> = []
  return { name, version: "1", decide: (view) => choose(view, memory) }
}

/** What it is told: everything of a view that can be told apart, so that a replay which shows something else shows. */
const everything = ({ random, consult: _consult, ...view }: Agent.DecisionContext) => ({ ...view, drawn: random() })

const seen: Array<unknown> = []

/** Commands, speaks, is refused and asks in vain, all by itself. */
const worker = (more: Partial<{ readonly swallow: boolean; readonly say: string }> = {}) => {
  let step = 0
  const told: Array<unknown> = []
  const agent = Agent.fromAdvance({
    name: "worker",
    version: "1",
    advance: (task) =>
      Effect.gen(function* () {
        told.push(
          yield* Effect.map(task.perceive(), (readings) => readings.map(({ sensor, reading }) => [sensor, reading])),
        )
        const { status } = yield* task.act("counter/add", { by: Math.floor(task.random() * 100) })
        told.push(
          status,
          task.now(),
          (yield* task.capabilities()).actuators.map(({ name }) => name),
        )
        if (step === 1) yield* task.say(more.say ?? "half way")
        if (step === 2) {
          for (const [actuator, args] of [
            ["forbidden", {}],
            ["asked", {}],
            ["add", { by: -1 }],
          ] as const) {
            told.push((yield* task.act(`counter/${actuator}`, args)).status)
          }
        }
        step += 1
        return step < 4
      }).pipe(more.swallow === true ? Effect.catchAllCause(() => Effect.succeed(true)) : (effect) => effect),
  })
  return { agent, told }
}

const counter = {
  name: "counter",
  sensors: [
    { name: "total", priority: 1 },
    { name: "tick", interval: 20, priority: 5 },
    { name: "echo", priority: 1 },
  ],
  actuators: [{ name: "add" }, { name: "forbidden" }, { name: "asked" }],
  entry: `
    let total = 0
    let ticks = 0
    export default {
      sensors: { total: () => total, tick: () => ++ticks, echo: () => total * 2 },
      actuators: {
        add: (ctx, { by }) => { total += by; if (by < 0) throw Object.assign(new Error("less"), { code: "less" }); return total },
        forbidden: () => null,
        asked: () => null,
      },
    }`,
}

/** Asks a model what to do, by what it was asked before; `asked` counts how often it really did. */
const consulting = (words = "Where to?") => {
  const asked: Array<string> = []
  const agent: Agent.DecidingAgent = {
    name: "consulting",
    version: "1",
    decide: async ({ step, consult }) => {
      if (step === 2) return { done: "achieved" }
      const question = { provider: "test", model: "oracle-1", request: { prompt: `${words} (${step})` } }
      const answer = async (direction: string) => {
        asked.push(question.request.prompt)
        return { response: { direction }, usage: { inputTokens: 3, outputTokens: 1 } }
      }
      const first = await consult(question, () => answer("east"))
      const args = await consult({ ...question, request: { after: first } }, () =>
        answer(step === 0 ? "north" : "south"),
      )
      return { act: "text-room/go", args: args as { readonly direction: string } }
    },
  }
  return { agent, asked }
}

/** Asks a model that does not answer, and goes on without it. */
const unanswered = (): Agent.DecidingAgent => ({
  name: "unanswered",
  version: "1",
  decide: async ({ step, consult }) => {
    if (step > 0) return { done: "achieved" }
    const none = () => Promise.reject(new Error("no line"))
    const word = await consult({ provider: "test", model: "oracle-1", request: "Well?" }, none).catch(() => "nothing")
    return { say: String(word) }
  },
})

/** The ids of the recorded tasks. */
const tasks: Record<string, string> = {}
const wayward = worker()

beforeAll(async () => {
  const layer = Hindcast.layer({
    log,
    workspace: directory,
    seed: 7,
    host: CONSENT,
    plugins: [shippedPlugin("plugins", "text-room"), writePlugin(path.join(directory, "counter"), counter)],
    gate: {
      default: "allow",
      rules: [
        { name: "no", actuator: "counter/forbidden", decision: "deny" },
        { name: "ask", actuator: "counter/asked", decision: "confirm" },
      ],
      confirmWithinMs: 1,
    },
  })
  const record = Effect.gen(function* () {
    const kernel = yield* Kernel
    const room = { plugins: ["text-room"], goal: "Retrieve the document" }
    const run = (name: string, agent: Agent.Agent, options: object = {}) =>
      kernel.tasks.run(agent, { ...room, ...options }).pipe(
        Effect.tap(({ taskId }) =>
          Effect.sync(() => {
            tasks[name] = taskId
          }),
        ),
      )
    yield* run("won", yield* Effect.promise(() => exampleAgent("knows-the-way")))
    yield* run("wandered", yield* Effect.promise(() => exampleAgent("wanderer")), { maxSteps: 12 })
    yield* run(
      "watched",
      deciding("watcher", (view) => {
        seen.push(everything(view))
        return view.step < 3 ? { act: "text-room/look" } : { done: "abandoned", reason: "seen enough" }
      }),
    )
    yield* run("consulted", consulting().agent)
    yield* run("unanswered", unanswered())
    yield* run("worked", wayward.agent, { plugins: ["counter"] })
    const left = yield* kernel.tasks.open({ ...room, agent: "leaver@1" })
    tasks.left = left.id
    yield* left.act("text-room/go", { direction: "north" })
    yield* kernel.tasks
      .run(
        deciding("breaker", ({ step }) => {
          if (step === 2) throw new Error("out of ideas")
          return { say: `step ${step}` }
        }),
        room,
      )
      .pipe(Effect.ignore)
    const opened = yield* (yield* EventLog).readPage({ types: ["TaskOpened"] }, 100)
    tasks.broken = String(opened.at(-1)?.taskId)
  })
  await Effect.runPromise(Effect.provide(record, layer))
})

const replay = (task: string, agent: Agent.Agent) => reading(Replay.replay(String(tasks[task]), agent))

/** The recorded decisions of a task, and where they stand. */
const decisions = (task: string) =>
  reading(
    Effect.map(
      Effect.flatMap(
        EventLog,
        (log): Effect.Effect<ReadonlyArray<import("../../src/events/vocabulary/Event.ts").Event>, LogError> =>
          log.readPage({ taskId: String(tasks[task]), types: ["DecisionMade"] }, 1000),
      ),
      (events) =>
        events.flatMap((event) =>
          is(event, "DecisionMade")
            ? [{ position: event.position, choice: event.payload.choice as unknown as Agent.Choice }]
            : [],
        ),
    ),
  )

describe("a replay", () => {
  it("is identical where the agent is the same, its randomness included", async () => {
    for (const [task, agent] of [
      ["won", "knows-the-way"],
      ["wandered", "wanderer"],
    ] as const) {
      expect(await replay(task, await exampleAgent(agent))).toMatchObject({
        taskId: tasks[task],
        timeline: "main",
        recorded: `${agent}@1.0.0`,
        replayed: `${agent}@1.0.0`,
        verdict: "identical",
        divergence: null,
        complete: true,
        rationales: 0,
      })
    }
  })

  it("shows the agent what it saw, to the letter", async () => {
    const again: Array<unknown> = []
    const report = await replay(
      "watched",
      deciding("watcher", (view) => {
        again.push(everything(view))
        return view.step < 3 ? { act: "text-room/look" } : { done: "abandoned", reason: "seen enough" }
      }),
    )
    expect(report).toMatchObject({ verdict: "identical", complete: true })
    expect(again).toHaveLength(4)
    expect(again).toEqual(seen)
    expect(JSON.stringify(again)).toBe(JSON.stringify(seen))
  })

  it("starts no process, opens no socket and appends nothing", async () => {
    const kinds: Array<string> = []
    const hook = async_hooks.createHook({ init: (_id, type) => kinds.push(type) })
    const outward = () => kinds.filter((kind) => /PROCESS|PIPE|TCP|UDP|TLS|HTTP|GETADDRINFO|SOCKET/.test(kind))
    const before = await reading(Effect.flatMap(EventLog, (log) => log.head))
    hook.enable()
    const report = await replay("won", await exampleAgent("knows-the-way"))
    const during = outward()
    await new Promise((resolve) => spawn("true").on("exit", resolve))
    hook.disable()
    expect(report.verdict).toBe("identical")
    expect(during).toEqual([])
    expect(outward()).toContain("PROCESSWRAP")
    expect(await reading(Effect.flatMap(EventLog, (log) => log.head))).toEqual(before)
  })
})

describe("an agent that perceives and acts by itself", () => {
  it("is told what it was told: readings but not those at their intervals, refusals, time and random numbers", async () => {
    const { agent, told } = worker()
    expect(await replay("worked", agent)).toMatchObject({ verdict: "identical", complete: true })
    expect(told).toEqual(wayward.told)
    expect(told).toContain("denied")
    expect(told).toContain("expired")
    expect(told).toContain("failed")
  })

  it("diverges where it says something else, and cannot hide it by swallowing what it does not expect", async () => {
    for (const swallow of [false, true]) {
      expect(await replay("worked", worker({ say: "half  way", swallow }).agent)).toMatchObject({
        verdict: "diverged",
        divergence: {
          kind: "another-message",
          path: "/say",
          expected: { say: "half way" },
          found: { say: "half  way" },
        },
      })
    }
  })
})

/** Chooses as was recorded, but for one decision; where it goes on for longer, it looks. */
const but = (recorded: ReadonlyArray<Agent.Choice>, changed: { readonly at: number; readonly choice: Agent.Choice }) =>
  deciding("changed", ({ step }) =>
    step === changed.at ? changed.choice : (recorded[step] ?? { act: "text-room/look" }),
  )

describe("an agent that asks a language model", () => {
  it("is given the recorded answers, and no model is asked", async () => {
    const { agent, asked } = consulting()
    expect(await replay("consulted", agent)).toMatchObject({ verdict: "identical", complete: true })
    expect(asked).toEqual([])
    const { model } = await reading(TaskAudit.load(String(tasks.consulted)))
    expect(model).toMatchObject({ calls: 4, failed: 0, inputTokens: 12, outputTokens: 4, cost: { unpriced: 4 } })
  })

  it("diverges where it asks something else, and gets no answer", async () => {
    const { agent, asked } = consulting("Whither?")
    const report = await replay("consulted", agent)
    expect(report).toMatchObject({
      verdict: "diverged",
      divergence: { kind: "another-question", path: "/consult/request/prompt" },
    })
    const question = await reading(
      Effect.flatMap(EventLog, (log) => log.readPage({ taskId: String(tasks.consulted), types: ["ModelCalled"] }, 1)),
    )
    expect(report.divergence?.position).toBe(question[0]?.position)
    expect(asked).toEqual([])
  })
})

describe("a divergence", () => {
  it("names the decision, where in it the difference is, and of what kind, at whichever decision it is", async () => {
    const recorded = await decisions("wandered")
    const choices = recorded.map(({ choice }) => choice)
    expect(recorded).toHaveLength(12)
    for (const [at, { position, choice }] of recorded.entries()) {
      const [name = ""] = Object.keys("act" in choice ? (choice.args ?? {}) : {})
      const args = { ...("act" in choice ? choice.args : {}), [name]: "elsewhere" }
      const changes: ReadonlyArray<readonly [Agent.Choice, string, string]> = [
        [{ act: "text-room/drop", args: { item: "nothing" } }, "another-command", ""],
        [{ ...choice, args } as Agent.Choice, "another-command", `/args/${name}`],
        [{ say: "hello" }, "another-request", ""],
        [{ done: "achieved" }, "done-earlier", ""],
      ]
      for (const [found, kind, path] of changes) {
        const { divergence } = await replay("wandered", but(choices, { at, choice: found }))
        expect(divergence).toMatchObject({ kind, position, expected: choice, found })
        if (path !== "") expect(divergence?.path).toBe(path)
      }
    }
  })

  it("is an agent that goes on where it was done, or is done with another word", async () => {
    const recorded = await decisions("won")
    const [choices, last] = [recorded.map(({ choice }) => choice), recorded.length - 1]
    const expected = { done: "achieved", reason: "The document is in hand." }
    for (const [choice, kind, path] of [
      [{ act: "text-room/look" }, "done-later", ""],
      [{ done: "achieved", reason: "It is won." }, "another-outcome", "/reason"],
      [{ done: "failed", reason: "The document is in hand." }, "another-outcome", "/done"],
    ] as const) {
      const report = await replay("won", but(choices, { at: last, choice }))
      expect(report).toMatchObject({
        verdict: "diverged",
        divergence: { kind, path, position: recorded[last]?.position, expected, found: choice },
      })
    }
  })

  it("is no rationale that reads otherwise, nor arguments that say the same", async () => {
    const choices = (await decisions("watched")).map(({ choice }) => choice)
    const wordy = deciding(
      "wordy",
      ({ step }) =>
        ({
          ...(step < 3 ? { act: "text-room/look", args: {} } : choices[step]),
          ...(step < 3 ? { rationale: "let me think" } : {}),
        }) as Agent.Choice,
    )
    expect(await replay("watched", wordy)).toMatchObject({ verdict: "identical", rationales: 3 })
  })

  it("is an agent that fails where it did not, or no longer where it did", async () => {
    const fails = (reason: string, at: number) =>
      deciding("breaker", ({ step }) => {
        if (step === at) throw new Error(reason)
        return { say: `step ${step}` }
      })
    expect(await replay("broken", fails("out of ideas", 2))).toMatchObject({ verdict: "identical", complete: true })
    const failed = (reason: string) => ({ done: "failed", reason: `Agent breaker@1 failed: ${reason}` })
    expect((await replay("broken", fails("no luck", 2))).divergence).toMatchObject({
      kind: "agent-failed",
      path: "/reason",
      expected: failed("out of ideas"),
      found: failed("no luck"),
    })
    expect((await replay("broken", fails("no luck", 1))).divergence).toMatchObject({
      kind: "agent-failed",
      path: "",
      expected: { say: "step 1" },
      found: failed("no luck"),
    })
    expect((await replay("broken", fails("never", -1))).divergence).toMatchObject({
      kind: "asked-for-more",
      expected: failed("out of ideas"),
      found: { say: "step 2" },
    })
  })
})

describe("an agent that fails, or does not answer", () => {
  /** Decides as was recorded, but at one decision. */
  const at = (
    choices: ReadonlyArray<Agent.Choice>,
    step: number,
    otherwise: () => Agent.Choice | Promise<Agent.Choice>,
  ) => ({
    name: "changed",
    version: "1",
    decide: (view: Agent.DecisionContext) =>
      view.step === step ? otherwise() : (choices[view.step] ?? { say: "more" }),
  })
  const never = () => new Promise<Agent.Choice>(() => {})
  const throws = (): Agent.Choice => {
    throw new Error("no idea")
  }
  const withDeadline = (task: string, agent: Agent.Agent, deadlineMs = 150) =>
    reading(Replay.replay(String(tasks[task]), agent, { deadlineMs }))

  it("diverges at the decision that it was to make, whichever it is", async () => {
    const recorded = await decisions("won")
    const choices = recorded.map(({ choice }) => choice)
    for (const [step, { position, choice }] of recorded.entries()) {
      expect(await replay("won", at(choices, step, throws))).toMatchObject({
        verdict: "diverged",
        complete: true,
        divergence: {
          kind: "agent-failed",
          position,
          path: "",
          expected: choice,
          found: { done: "failed", reason: "Agent changed@1 failed: no idea" },
        },
      })
      expect(await withDeadline("won", at(choices, step, never))).toMatchObject({
        verdict: "diverged",
        complete: true,
        divergence: { kind: "no-answer", position, path: "", expected: choice, found: { unansweredMs: 150 } },
      })
    }
  })

  it("diverges at the question to a model that it was to ask", async () => {
    const questions = await reading(
      Effect.flatMap(EventLog, (log) => log.readPage({ taskId: String(tasks.consulted), types: ["ModelCalled"] }, 9)),
    )
    for (const [otherwise, kind] of [
      [throws, "agent-failed"],
      [never, "no-answer"],
    ] as const) {
      const { agent } = consulting()
      const silent: Agent.DecidingAgent = {
        ...agent,
        decide: (view) => (view.step === 1 ? otherwise() : agent.decide(view)),
      }
      const { divergence } = await withDeadline("consulted", silent)
      expect(divergence).toMatchObject({ kind, position: questions[2]?.position, expected: { consult: {} } })
    }
  })

  it("diverges at the end where the recorded agent had failed, and says nothing about a recording that goes no further", async () => {
    const speaking = [0, 1].map((step): Agent.Choice => ({ say: `step ${step}` }))
    const closed = await reading(
      Effect.flatMap(EventLog, (log) => log.readPage({ taskId: String(tasks.broken), types: ["TaskClosed"] }, 1)),
    )
    expect((await withDeadline("broken", at(speaking, 2, never))).divergence).toMatchObject({
      kind: "no-answer",
      position: closed[0]?.position,
      expected: { done: "failed" },
    })
    const leaver = Agent.fromAdvance({
      name: "leaver",
      version: "1",
      advance: (task) => Effect.zipRight(task.act("text-room/go", { direction: "north" }), Effect.never),
    })
    expect(await withDeadline("left", leaver)).toMatchObject({ divergence: null, complete: false })
  })

  it("that works by itself diverges at what it was to ask", async () => {
    for (const [otherwise, kind] of [
      [Effect.fail(new Error("no idea")), "agent-failed"],
      [Effect.never, "no-answer"],
    ] as const) {
      const { agent } = worker()
      let step = 0
      const silent = Agent.fromAdvance({
        ...agent,
        advance: (task) => (step++ === 1 ? otherwise : agent.advance(task)),
      })
      const commanded = await reading(
        Effect.flatMap(EventLog, (log) =>
          log.readPage({ taskId: String(tasks.worked), types: ["ActuatorCommanded"] }, 9),
        ),
      )
      const { divergence } = await withDeadline("worked", silent)
      expect(divergence).toMatchObject({ kind, expected: { perceive: true } })
      expect(divergence?.position).toBeGreaterThan(Number(commanded[0]?.position))
      expect(divergence?.position).toBeLessThan(Number(commanded[1]?.position))
    }
  })

  it("has as long as it likes for all of it, if each decision is made in time", async () => {
    const choices = (await decisions("won")).map(({ choice }) => choice)
    const slow: Agent.DecidingAgent = {
      name: "slow",
      version: "1",
      decide: ({ step }) => Effect.as(Effect.sleep(40), choices[step] ?? { done: "failed" }),
    }
    expect(await withDeadline("won", slow, 300)).toMatchObject({ verdict: "identical", complete: true })
  })

  it("is given no deadline that is none", async () => {
    for (const deadlineMs of [0, -1, Number.NaN]) {
      await expect(withDeadline("won", await exampleAgent("wanderer"), deadlineMs)).rejects.toThrow(
        "deadlineMs: expected milliseconds, more than 0",
      )
    }
  })
})

describe("a recording that lacks an answer", () => {
  it("is identical as far as that, and says that it is not complete: it is no divergence", async () => {
    expect(await replay("unanswered", unanswered())).toMatchObject({
      verdict: "identical",
      divergence: null,
      complete: false,
    })
  })
})

describe("a recording that was cut short", () => {
  const leaver = (direction: string) =>
    Agent.fromAdvance({
      name: "leaver",
      version: "1",
      advance: (task) => Effect.as(task.act("text-room/go", { direction }), true),
    })

  it("is identical as far as it goes, and says that it is not complete", async () => {
    expect(await replay("left", leaver("north"))).toMatchObject({ verdict: "identical", complete: false })
    expect(await replay("left", leaver("south"))).toMatchObject({
      divergence: { kind: "another-command", path: "/args/direction", expected: { args: { direction: "north" } } },
    })
  })

  it("a recording that was cut short by a limit of steps ends at that limit again", async () => {
    const choices = (await decisions("wandered")).map(({ choice }) => choice)
    const report = await replay("wandered", but(choices, { at: 99, choice: { done: "failed" } }))
    expect(report).toMatchObject({ verdict: "identical", complete: true })
  })
})

describe("a task that cannot be replayed", () => {
  it("is one of which something was shredded: what its agent saw nobody can show again", async () => {
    const filename = path.join(directory, "personal.db")
    const shredding = Effect.gen(function* () {
      const log = yield* EventLog
      const append = (event: CoreNewEvent, subject?: string) =>
        log.append({
          stream: "task/p",
          taskId: "p",
          actor: "kernel",
          events: [event],
          ...(subject === undefined ? {} : { subject }),
        })
      yield* append({ type: "TaskOpened", payload: { goal: "meet", measures: [], agent: "a@1", seed: 1 } })
      const payload = { sensor: "room/look", reading: "anna", priority: 0, latencyMs: 1, perception: 1 }
      yield* append({ type: "SensorRead", payload }, "anna")
      yield* append({ type: "TaskClosed", payload: { outcome: "achieved" } })
      yield* (yield* PersonalData).shred({ subject: "anna", reason: "asked for", actor: "human:test" })
      return yield* Effect.flip(Replay.replay("p", worker().agent))
    })
    const refused = await Effect.runPromise(
      Effect.provide(shredding, Hindcast.layerLog({ log: filename, workspace: directory })),
    )
    expect(refused).toMatchObject({ _tag: "NotReplayable", position: 2 })
    expect(refused.message).toContain("the personal fields of the event at @2 cannot be read")
  })

  it("is one that was never opened, or is not in that timeline", async () => {
    const agent = await exampleAgent("wanderer")
    await expect(reading(Replay.replay("nobody", agent))).rejects.toThrow('No task "nobody" was opened')
    await expect(reading(Replay.replay(String(tasks.won), agent, { timeline: "fork-1" }))).rejects.toThrow(
      'There is no timeline "fork-1" in this log. Known: main.',
    )
  })
})
