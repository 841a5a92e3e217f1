import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as TimelineHistory from "../../src/projections/timetravel/TimelineHistory.ts"
import * as Density from "../../src/studio/answers/timeline/Density.ts"
import * as TaskFamilies from "../../src/studio/index/TaskFamilies.ts"
import * as TimelineEvents from "../../src/studio/index/TimelineEvents.ts"
import { StudioLog } from "../../src/studio/StudioLog.ts"
import { opening, reading } from "./browser/writing.ts"
import { services } from "./given.ts"

const CHILDREN = 150
const DIGEST = "0".repeat(64)
const CAUSE = "0198aaaa-0000-7000-8000-000000000001"

let directory: string

beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-families-"))
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const command = (commandId: string, rest: Partial<CoreNewEvent> = {}) =>
  ({
    type: "ActuatorCommanded",
    payload: { commandId, actuator: "room/go", args: {}, argsDigest: DIGEST, priority: 0, agentId: "ada" },
    ...rest,
  }) as CoreNewEvent

const done = (commandId: string): CoreNewEvent => ({
  type: "CommandSucceeded",
  payload: { commandId, result: 1, latencyMs: 7 },
})

const CLOSED: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }

/** Appends the events of tasks to the log, and returns its main timeline. */
const written = (...tasks: ReadonlyArray<readonly [task: string, events: ReadonlyArray<CoreNewEvent>]>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    for (const [task, events] of tasks)
      yield* log.append({ stream: `task/${task}`, taskId: task, actor: "kernel", events: [...events] })
    return { log, past: yield* TimelineHistory.of(log, yield* Projector, MAIN) }
  })

const within = <A, E>(name: string, effect: Effect.Effect<A, E, EventLog | Projector>) =>
  Effect.runPromise(effect.pipe(Effect.provide(services(path.join(directory, name), false)), Effect.scoped))

describe("what Studio reads of a timeline", () => {
  it("is the families of tasks, once for all requests at a time, and page by page", () =>
    within(
      "family.db",
      Effect.gen(function* () {
        const children = Array.from(
          { length: CHILDREN },
          (_, index) => [`child${index}`, [{ ...opening("part"), causationId: CAUSE }]] as const,
        )
        const { log, past } = yield* written(["main", [opening("all"), command("a", { id: CAUSE })]], ...children)
        const steps: Array<string> = []
        const watched: TimelineHistory.TimelineHistory = {
          ...past,
          readPage: (query, limit) =>
            Effect.tap(past.readPage(query, limit), (page) => {
              if (page.length > 0) steps.push("page")
            }),
        }
        const finding: EventLog.Service = {
          ...log,
          find: (id) =>
            Effect.suspend(() => {
              steps.push("find")
              return log.find(id)
            }),
        }
        const families = new TaskFamilies.TaskFamilies()
        const read = TaskFamilies.extend(finding, watched, families)
        yield* Effect.all([read, read, read], { concurrency: "unbounded" })
        expect(families.childrenOf("main")).toHaveLength(CHILDREN)
        expect(families.childrenOf("main").at(-1)).toMatchObject({ task: `child${CHILDREN - 1}`, cause: 2 })
        expect(steps.filter((step) => step === "find")).toHaveLength(CHILDREN)
        // The causes of a page are found before the next page is read.
        expect(steps.indexOf("find")).toBeLessThan(steps.lastIndexOf("page"))
      }),
    ))

  it("is no call of a closed task, but for one that has not ended or begins later", () =>
    within(
      "closed.db",
      Effect.gen(function* () {
        const late = reading(1)
        const { past } = yield* written(
          ["closed", [opening("one"), command("a"), done("a"), CLOSED, late]],
          ["later", [opening("two"), CLOSED, late, command("b"), done("b"), late]],
          ["open", [opening("three"), command("c"), CLOSED]],
        )
        const events = new TimelineEvents.TimelineEvents()
        yield* TimelineEvents.extend(past, events)
        const calls = () => Array.from({ length: events.length }, (_, index) => events.callAt(index))
        expect(calls()).toEqual([0, 2, 2, 0, 0, 0, 0, 0, 9, 9, 0, 0, 13, 0])
        expect(events.followed).toBe(1)
        yield* written(["open", [done("c")]])
        yield* TimelineEvents.extend(past, events)
        expect(calls().at(-1)).toBe(13)
        expect(events.followed).toBe(0)
      }),
    ))

  it("is told to be a part in counts by a filter, until it is the whole timeline", () =>
    within(
      "density.db",
      Effect.gen(function* () {
        const { past } = yield* written(["t", [opening("one"), command("a")]])
        const events = new TimelineEvents.TimelineEvents()
        let isWhole = false
        const studio = {
          past: () => Effect.succeed(past),
          listed: () => Effect.succeed({ events, isWhole }),
        } as unknown as StudioLog["Type"]
        const asked = { timeline: MAIN, from: 1, to: 2, bins: 1, kind: "", agent: "ada", plugin: "" } as const
        const density = Effect.provideService(Density.density(asked), StudioLog, studio)
        expect(yield* density).toMatchObject({ indexed: 0, isWhole: false, bad: [false] })
        yield* TimelineEvents.extend(past, events)
        isWhole = true
        expect(yield* density).toMatchObject({ indexed: 2, isWhole: true })
      }),
    ))
})
