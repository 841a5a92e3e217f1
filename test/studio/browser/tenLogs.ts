/** Ten logs of all kinds, to hold what pages say against what their audits say. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { layerSqlite } from "../../../src/events/index.ts"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { record } from "../../../src/record/index.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import { MAIN } from "../../built.ts"
import { document, hindcast } from "../../cli/hindcast.ts"
import { copyOfDemoLog, demoLog } from "../../demoLog.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import * as Killable from "../../killable.ts"
import { inRepository } from "../../repository.ts"
import { append, appendAs, opening, reading } from "./writing.ts"

/** Makes the file of a log in a directory. */
type Maker = (directory: string) => Promise<string>

const SHA = "0".repeat(64)

const asked = (model: string, more: object, usage: object = { inputTokens: 1_000, outputTokens: 50 }) =>
  [
    { type: "ModelCalled", payload: { provider: "acme", model, requestDigest: SHA, request: {} } },
    { type: "ModelResponded", payload: { response: {}, usage, ...more } },
  ] as ReadonlyArray<CoreNewEvent>

const closed = (outcome: "achieved" | "failed"): CoreNewEvent => ({
  type: "TaskClosed",
  payload: { outcome, reason: `it ${outcome}` },
})

const RUBRIC = `name: wordy
measures:
  - name: brevity
    description: Says little
    punishments:
      - name: spoke
        when: a command succeeds
        weight: 0.15
        per: occurrence
        rule: event.type == "CommandSucceeded"
`

/** Scores the closed tasks of a log by a rubric, and lets the pointer `official` name that. */
export const promoted: Maker = async (directory) => {
  const file = await copyOfDemoLog(23, 7, path.join(directory, "official"))
  fs.writeFileSync(path.join(directory, "wordy.yaml"), RUBRIC)
  await document(["rescore", "--rubric", path.join(directory, "wordy.yaml"), "--label", "wordy", "--log", file])
  await document(["score", "promote", "official", "wordy", "--log", file])
  return file
}

const imported: Maker = async (directory) => {
  const file = path.join(directory, "imported.db")
  await document(["import", inRepository("test/importing/sessions"), "--log", file])
  return file
}

const recorded: Maker = async (directory) => {
  const file = path.join(directory, "recorded.db")
  const run = await record({ log: file, goal: "Add up", agent: "tester" })
  const add = run.tool("add", ({ a, b }: { a: number; b: number }) => a + b, { risk: "none" })
  await add({ a: 1, b: 2 })
  await add({ a: 3, b: 4 })
  await run.end("achieved", "all done")
  return file
}

/** The demo of a coding agent: with models, a crash, and a fork. */
const forked: Maker = async (directory) => {
  const file = path.join(directory, "forked.db")
  const { code, stderr } = await hindcast(["demo", "--log", file, "--directory", path.join(directory, "forked")])
  if (code !== 0) throw new Error(stderr)
  return file
}

/** Two agents that walk in one world. */
const grouped: Maker = (directory) =>
  Effect.gen(function* () {
    const walking = Agent.fromPolicy({
      ...{ name: "walker", version: "1" },
      policy: () => ({ act: "arena/step", args: { action: 1 } }),
    })
    const own = path.join(directory, "grouped")
    const kernel = yield* testKernel({ directory: own, plugins: [inRepository("test/worlds/samples/arena")] })
    const { run } = yield* kernel.start
    const agents = { bob: walking, ada: walking }
    const group = AgentGroup.make({ name: "group", version: "1", world: "arena", agents })
    const options = { goal: "Walk", seed: 5, plugins: ["arena"], agents: Object.keys(agents).sort() }
    yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(group, options)))
    return kernel.log
  }).pipe(Effect.scoped, Effect.runPromise)

/** A kernel that was killed in the middle of its first task. On a busy machine the task may end before, so it tries again. */
const killed: Maker = (directory) =>
  Effect.gen(function* () {
    for (let attempt = 1; attempt <= KILLS; attempt++) {
      const file = path.join(directory, `killed-${attempt}.db`)
      const demo = yield* Killable.start([MAIN, "demo", "--world", "--log", file])
      const closed = yield* Effect.provide(
        Effect.zipRight(
          Killable.killedAt(demo, Killable.logReaches(60)),
          Effect.flatMap(EventLog, (log) => log.readPage({ types: ["TaskClosed"] }, 1)),
        ),
        layerSqlite({ filename: file }),
      )
      if (closed.length === 0) return file
    }
    return yield* Effect.dieMessage(`expected a task that was open when its kernel was killed, found none in ${KILLS}`)
  }).pipe(Effect.scoped, Effect.runPromise)

const KILLS = 10

/** Tasks that a kernel works on, while its lease is held. */
const live: Maker = async (directory) => {
  const file = path.join(directory, "live.db")
  await append(file, "at-work", [opening("Listen"), reading(1), ...asked("big", { cost: { usd: 0.5, prices: "t@1" } })])
  await append(file, "done", [opening("Listen once"), reading(2), closed("achieved")])
  return file
}

/** Costs and tokens that are known, partly known and unknown, and no score. */
const unscored: Maker = async (directory) => {
  const file = path.join(directory, "unscored.db")
  const unknown = { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] }
  const known = { cost: { usd: 0.25, prices: "t@1" } }
  await append(file, "known", [opening("Known"), ...asked("big", known), ...asked("small", known), closed("achieved")])
  await append(file, "partly", [
    opening("Partly"),
    ...asked("big", known),
    ...asked("big", {}, unknown),
    closed("failed"),
  ])
  await append(file, "unknown", [opening("Unknown"), ...asked("big", {}), closed("failed")])
  await append(file, "__proto__", [opening("None"), closed("achieved")])
  return file
}

/** Tasks of a person whose data is encrypted. */
const personal: Maker = async (directory) => {
  const file = path.join(directory, "personal.db")
  await appendAs(file, "ada-1", { subject: "ada" }, [
    opening("Ask ada"),
    reading("her address"),
    ...asked("big", { cost: { usd: 1.5, prices: "t@1" } }),
    closed("achieved"),
  ])
  return file
}

/** Several timelines, each with an end of its own. */
const timelines: Maker = async (directory) => {
  const file = path.join(directory, "timelines.db")
  const task = { stream: "task/t", taskId: "t", actor: "kernel" }
  await append(file, "t", [opening("Choose"), reading(1), ...asked("big", { cost: { usd: 1, prices: "t@1" } })])
  await Effect.gen(function* () {
    const log = yield* EventLog
    for (const [timeline, outcome] of [
      ["left", "achieved"],
      ["right", "failed"],
    ] as const) {
      const forking: CoreNewEvent = {
        type: "TimelineForked",
        payload: { timeline, parent: "main", at: 4, overrides: {} },
      }
      yield* log.append({ ...task, timeline, events: [forking] })
      yield* log.append({
        ...task,
        timeline,
        events: [...asked("small", { cost: { usd: 2, prices: "t@1" } }), closed(outcome)],
      })
    }
  }).pipe(Effect.provide(layerSqlite({ filename: file })), Effect.runPromise)
  await append(file, "t", [closed("failed")])
  return file
}

/** The makers by the kind of their log. */
export const TEN: ReadonlyArray<readonly [kind: string, make: Maker]> = [
  ["scored", () => demoLog(23, 7)],
  ["promoted", promoted],
  ["imported", imported],
  ["recorded", recorded],
  ["forked", forked],
  ["of a group", grouped],
  ["killed", killed],
  ["live", live],
  ["unscored", unscored],
  ["personal", personal],
  ["of several timelines", timelines],
]
