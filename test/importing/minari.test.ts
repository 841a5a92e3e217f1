import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import { inRepository } from "../repository.ts"
import { events, importing, payloads, typesOf, withFiles } from "./given.ts"

const golden = (...names: ReadonlyArray<string>) => inRepository("test", "golden", "worlds", ...names)
const head = Effect.flatMap(EventLog, (log) => log.head)

const copied = (from: string, to: string) => fs.cpSync(from, to, { recursive: true })

describe("a data set of Minari", () => {
  it.effect.each(["hdf5", "arrow", "parquet"])("is tasks with the steps of each episode, once: %s", (format) =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        copied(golden("minari", format), directory)
        const report = yield* importing(directory)
        expect(report).toMatchObject({ refused: [], unknown: [], others: {} })
        const all = yield* events
        expect(payloads(all, "TaskOpened").map(({ goal }) => goal)).toEqual([
          ...Array.from({ length: 3 }, () => "Act in CartPole-v1"),
          ...Array.from({ length: 3 }, () => "Act in FrozenLake-v1"),
        ])
        const task = "minari-cartpole.fixture-v0@2"
        const types = typesOf(all, task)
        expect(types.slice(0, 5)).toEqual([
          "TaskOpened",
          "EnvironmentReset",
          "ScoringStarted",
          "SensorRead",
          "ActuatorCommanded",
        ])
        expect(types.filter((type) => type === "RewardGiven")).toHaveLength(27)
        expect(types.filter((type) => type === "SensorRead")).toHaveLength(28)
        expect(all.filter(({ taskId }) => taskId === task).at(-1)?.payload).toMatchObject({
          outcome: "achieved",
          unjudged: true,
        })
        const audit = fold(TaskAudit.projection(task), all)
        expect(JSON.stringify(audit)).not.toContain("NaN")
        const before = yield* head
        yield* importing(directory)
        expect(yield* head).toEqual(before)
      }),
    ),
  )

  it.effect("with one damaged episode keeps the episodes before it, and says what is wrong", () =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        copied(golden("minari", "arrow", "cartpole"), directory)
        const damaged = path.join(directory, "fixture-v0", "data", "1", "part-0.arrow")
        fs.writeFileSync(damaged, fs.readFileSync(damaged).subarray(0, 900))
        const report = yield* importing(directory)
        expect(report.refused).toMatchObject([
          { reason: expect.stringContaining("found episode 1: bytes that are no whole Arrow file"), added: 4 },
        ])
        expect(payloads(yield* events, "TaskOpened")).toHaveLength(1)
      }),
    ),
  )

  it.effect.each<readonly [Readonly<Record<string, unknown>>, string]>([
    [{ data_format: "pickle" }, 'data_format hdf5, arrow, parquet, found "pickle"'],
    [{ observation_space: '{"type":"Box"}' }, "expected a space in observation_space, found a flaw at"],
    [{ observation_space: "cos\nsystem" }, "expected a space in JSON, found"],
    [{ action_space: undefined }, "a space in action_space, found none"],
    [{ total_steps: -1 }, "a count in total_steps, found -1"],
  ])("is refused by its metadata: %j", ([change, reason]) =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        copied(golden("minari", "arrow", "cartpole"), directory)
        const file = path.join(directory, "fixture-v0", "data", "metadata.json")
        const metadata = JSON.parse(fs.readFileSync(file, "utf8"))
        fs.writeFileSync(file, JSON.stringify({ ...metadata, ...change }))
        const { refused, added } = yield* importing(directory)
        expect(refused).toMatchObject([{ reason: expect.stringContaining(reason) }])
        expect(added).toBe(0)
      }),
    ),
  )
})
