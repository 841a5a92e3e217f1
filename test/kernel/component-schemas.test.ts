import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { testKernel } from "./testKernel.ts"

const go = { type: "object", properties: { to: { enum: ["north", "south"] } }, required: ["to"] }
const position = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] }

const manifest = {
  name: "walker",
  description: "d",
  version: "1.0.0",
  entry: "main.ts",
  permissions: { read: [], run: [] },
  peas: {
    performance: [{ name: "m", description: "d", rewards: [{ name: "r", when: "never", weight: 0.5 }] }],
    environment: { name: "field", description: "d" },
    sensors: [
      { name: "here", description: "Where it is", reading: position, priority: 1 },
      { name: "lost", description: "Where it is not", reading: position },
    ],
    actuators: [
      {
        name: "go",
        description: "Goes",
        risk: "low",
        idempotent: false,
        args: go,
        result: position,
        priority: 1,
      },
      { name: "jump", description: "Jumps" },
    ],
  },
}

const ENTRY = `
let x = 0
export default {
  sensors: { here: () => ({ x }), lost: () => ({ x: "?" }) },
  actuators: {
    go: (_context, { to }) => {
      x += 1
      return to === "south" ? { x: null } : { x }
    },
    jump: () => x,
  },
  environment: { reset: () => { x = 0 }, state: () => ({ x }) },
}`

const walking = <A, E>(test: Effect.Effect<A, E, Kernel | EventLog>) =>
  Effect.flatMap(temporaryDirectory, (base) => {
    const plugin = path.join(base, "walker")
    fs.mkdirSync(plugin)
    fs.writeFileSync(path.join(plugin, "looper-plugin.json"), JSON.stringify(manifest))
    fs.writeFileSync(path.join(plugin, "main.ts"), ENTRY)
    return Effect.flatMap(testKernel({ directory: base, plugins: [plugin] }), ({ layer }) =>
      Effect.provide(test, layer),
    )
  })

const eventsAfter = (position: number) => Effect.flatMap(EventLog, (log) => log.readPage({ after: position }, 1000))

const typesAfter = (position: number) => Effect.map(eventsAfter(position), (events) => events.map(({ type }) => type))

describe("a component's schema", () => {
  it.scopedLive("a command whose arguments disagree is recorded and denied, with the path, before anything else", () =>
    walking(
      Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "walk" })
        const head = (yield* (yield* EventLog).head).position
        expect(yield* task.act("walker/go", { to: "up" })).toMatchObject({
          status: "denied",
          rule: "args-schema",
          reason: 'args.to: expected one of "north", "south", found "up"',
        })
        expect(yield* typesAfter(head)).toEqual(["ActuatorCommanded", "CommandDenied"])
        expect(yield* task.act("walker/go", {})).toMatchObject({ reason: expect.stringContaining("args.to: expected") })
        expect(yield* task.act("walker/go", { to: "north" })).toMatchObject({ status: "succeeded", result: { x: 1 } })
        expect(yield* task.act("walker/jump", { how: "high" })).toMatchObject({ status: "succeeded", result: 1 })
      }),
    ),
  )

  it.scopedLive("a result that disagrees is left out of a success, and what the command changed is recorded", () =>
    walking(
      Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "walk" })
        const head = (yield* (yield* EventLog).head).position
        expect(yield* task.act("walker/go", { to: "south" })).toMatchObject({
          status: "succeeded",
          unrecorded: expect.stringContaining("result.x: expected integer, found null"),
        })
        expect((yield* typesAfter(head)).slice(-2)).toEqual(["CommandSucceeded", "EnvironmentChanged"])
      }),
    ),
  )

  it.scopedLive("a reading that disagrees is a failed sensor, and the others are read", () =>
    walking(
      Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "walk" })
        const head = (yield* (yield* EventLog).head).position
        expect((yield* task.perceive()).map(({ sensor, reading }) => [sensor, reading])).toEqual([
          ["walker/here", { x: 0 }],
        ])
        const events = yield* eventsAfter(head)
        expect(events.find(({ type }) => type === "SensorFailed")?.payload).toMatchObject({
          sensor: "walker/lost",
          error: { code: "AnswerInvalid", message: expect.stringContaining('reading.x: expected integer, found "?"') },
        })
      }),
    ),
  )

  it.scopedLive("agents are shown what can be perceived and done, with schemas, risk and descriptions", () => {
    const shown: Array<Pick<Agent.DecisionContext, "actuators" | "plugins" | "sensors">> = []
    const looker: Agent.DecidingAgent = {
      name: "looker",
      version: "1",
      decide: ({ actuators, plugins, sensors }) => {
        shown.push({ actuators, plugins, sensors })
        return { done: "achieved" }
      },
    }
    return walking(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        yield* kernel.tasks.run(looker, { goal: "look" })
        const field = { name: "field", description: "d", rules: [], conventions: [] }
        const offered = {
          plugins: [{ name: "walker", description: "d", environment: field }],
          sensors: [
            { name: "walker/here", description: "Where it is", reading: position },
            { name: "walker/lost", description: "Where it is not", reading: position },
          ],
          actuators: [
            {
              name: "walker/go",
              description: "Goes",
              args: go,
              result: position,
              idempotent: false,
              risk: "low",
              effectiveRisk: "low",
            },
            { name: "walker/jump", description: "Jumps", effectiveRisk: "undeclared" },
          ],
        }
        expect(shown).toEqual([offered])
        yield* kernel.plugins.deactivate("walker/lost")
        yield* kernel.plugins.deactivate("walker/go")
        const task = yield* kernel.tasks.open({ goal: "look" })
        expect(yield* task.capabilities()).toEqual({
          plugins: offered.plugins,
          sensors: offered.sensors.slice(0, 1),
          actuators: offered.actuators.slice(1),
          guides: [],
        })
      }),
    )
  })
})
