import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { driver } from "../../src/events/sqlite/driver/choice.ts"
import type { Connection } from "../../src/events/sqlite/driver/Driver.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { about, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** What was asked of a log: calls of the kernel, and pages that were read of its file, by whomever. */
interface Counted {
  appends: number
  heads: number
  pages: number
  read: number
}

const NOTHING: Counted = { appends: 0, heads: 0, pages: 0, read: 0 }
const counted: Counted = { ...NOTHING }
let looked = () => {}

/** Counts what is asked while an effect runs. */
const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    Object.assign(counted, NOTHING)
    return Effect.map(effect, () => ({ ...counted }))
  })

/** Waits until the log was looked at so often for commits of other processes. */
const looks = (count: number) =>
  Effect.async<void>((resume) => {
    let left = count
    looked = () => {
      if (--left === 0) resume(Effect.void)
    }
  })

const counting = <A, E, R>(what: "appends" | "heads" | "pages", asked: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    counted[what] += 1
    return asked
  })

/** A log that counts what it is asked. */
const countingLog = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) =>
    EventLog.of({
      ...log,
      append: (request) => counting("appends", log.append(request)),
      head: counting("heads", log.head),
      readPage: (query, limit) => counting("pages", log.readPage(query, limit)),
    }),
  ),
)

/** A connection that counts the pages of events that are read, and tells of looks. */
const countingConnection = (connection: Connection): Connection => ({
  ...connection,
  prepare: (sql) => {
    const statement = connection.prepare(sql)
    const isPage = sql.includes("payload") && sql.includes("FROM events")
    if (!isPage && sql !== "PRAGMA data_version") return statement
    return {
      ...statement,
      rows: (parameters) => {
        if (isPage) counted.read += 1
        else looked()
        return statement.rows(parameters)
      },
    }
  },
})

/** A kernel that counts, with two sensors and a tool of the program. */
const given = Effect.gen(function* () {
  const sqlite = driver()
  const { open } = sqlite
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      Object.assign(sqlite, { open: (...args: Parameters<typeof open>) => countingConnection(open(...args)) }),
    ),
    () => Effect.sync(() => Object.assign(sqlite, { open })),
  )
  return yield* (yield* testKernel({
    between: countingLog,
    gate: { rules: [{ name: "ask", actuator: "program/send", decision: "confirm" }], default: "allow" },
    sensors: {
      warmth: Sensor.make({ description: "How warm it is", read: () => ({ celsius: 21.5 }) }),
      light: Sensor.make({ description: "How bright it is", read: () => ({ lux: 320 }) }),
    },
    tools: {
      set: Tool.make({ description: "Sets it", risk: "none", run: (args) => args }),
      send: Tool.make({ description: "Sends it", risk: "high", run: (args) => args }),
    },
  })).start
})

const STEPS = 10

/** Looks for commits of other processes, 50 ms apart, in which nothing else may be asked. */
const LOOKS = 6

it.scopedLive("a step of perceiving and acting asks the log only to append", () =>
  Effect.gen(function* () {
    const { run } = yield* given
    const step = yield* run(
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const task = yield* tasks.open({ goal: "Be measured" })
        const one = Effect.zipRight(task.perceive(), task.act("program/set", { level: 3 }))
        yield* one
        return yield* during(Effect.repeatN(one, STEPS - 1))
      }),
    )
    expect(step).toEqual({ ...NOTHING, appends: 4 * STEPS })
  }),
)

it.scopedLive("an idle kernel with an open task asks its log nothing", () =>
  Effect.gen(function* () {
    const { run } = yield* given
    const idle = yield* run(
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        yield* tasks.open({ goal: "Be measured" })
        return yield* during(looks(LOOKS))
      }),
    )
    expect(idle).toEqual(NOTHING)
  }),
)

it.scopedLive("a task that waits for a person asks its log nothing", () =>
  Effect.gen(function* () {
    const { run } = yield* given
    const waiting = yield* run(
      Effect.gen(function* () {
        const { tasks } = yield* Kernel
        const task = yield* tasks.open({ goal: "Be measured" })
        const acting = yield* Effect.fork(task.act("program/send", {}))
        yield* seen(about("ConfirmationRequested"))
        const found = yield* during(looks(LOOKS))
        const { decide, pending } = yield* Confirmations
        const [id = ""] = Object.keys(yield* pending)
        yield* decide(id, { approved: true, by: "ada", channel: "program" })
        yield* Fiber.join(acting)
        return found
      }),
    )
    expect(waiting).toEqual(NOTHING)
  }),
)
