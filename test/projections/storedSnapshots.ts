import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Layer } from "effect"
import { layerSqlite } from "../../src/events/index.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { begin, fold, type Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

/** Enough for a few snapshots; more tasks than fit one page of a stored state. */
const EVENTS = 4_500
export const TASKS = 150

/** Every task is opened, and then read in, a few at a time. */
export const fill = (count = EVENTS) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* log.head
    const taskOf = (index: number) => Math.floor((index * TASKS) / EVENTS)
    for (let index = position; index < position + count; index += 5) {
      const id = taskOf(index) === taskOf(index - 1) ? `t${taskOf(index)}` : `t${Math.max(0, taskOf(index) - 1)}`
      const reading = (each: number) =>
        ({
          type: "SensorRead",
          payload: { sensor: `room/${each % 3}`, reading: { each, text: "x".repeat(100) }, priority: 0, latencyMs: 1 },
        }) as const
      const opened = { type: "TaskOpened", payload: { goal: `g${index}`, measures: [], agent: "a" } } as const
      const some = [0, 1, 2, 3, 4].map((offset) =>
        offset === 0 && index % 30 === 0 ? opened : reading(index + offset),
      )
      yield* log.append({ stream: `task/${id}`, taskId: id, actor: "test", events: some })
    }
  })

export const allEvents = Effect.gen(function* () {
  const log = yield* EventLog
  return yield* log.readPage({}, 100_000)
})

export const projectorOn = (filename: string, options: { readonly readonly?: boolean } = {}) =>
  Projector.layerWith({ checks: false }).pipe(Layer.provideMerge(layerSqlite({ filename, ...options })))

/** A log with its snapshots, laid by a program that is gone. It is another log each time. */
export const newFilledLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  yield* Effect.provide(Effect.zipRight(fill(), current(EnvironmentState.projection)), projectorOn(filename))
  return filename
})

/** The same in a directory of its own: a copy of one that is made once, with all that lies beside it. */
export const filledLog = Effect.gen(function* () {
  const filename = path.join(yield* temporaryDirectory, "log.db")
  for (const { name, mode, bytes } of yield* made) {
    fs.writeFileSync(path.join(path.dirname(filename), name), bytes, { mode })
  }
  return filename
})

/** The files of a filled log. */
const made = Effect.cached(
  Effect.scoped(
    Effect.map(newFilledLog, (filename) => {
      const directory = path.dirname(filename)
      return fs.readdirSync(directory).map((name) => {
        const file = path.join(directory, name)
        return { name, mode: fs.statSync(file).mode & 0o777, bytes: fs.readFileSync(file) }
      })
    }),
  ),
).pipe(Effect.runSync)

export const current = <S>(projection: Projection<S>) =>
  Effect.flatMap(Projector.Projector, (projector) => projector.current(projection))

export const stateAt = <S>(projection: Projection<S>, at: number) =>
  Effect.flatMap(Projector.Projector, (projector) => projector.stateAt(projection, at))

export const sql = <Row>(filename: string, statement: string, ...parameters: ReadonlyArray<unknown>) =>
  Effect.sync(() => {
    const database = new Database(filename)
    try {
      const prepared = database.prepare(statement)
      if (prepared.reader) return prepared.all(...parameters) as ReadonlyArray<Row>
      prepared.run(...parameters)
      return []
    } finally {
      database.close()
    }
  })

export const snapshotPositions = (filename: string) =>
  Effect.map(sql<{ readonly position: number }>(filename, "SELECT position FROM snapshots ORDER BY position"), (rows) =>
    rows.map(({ position }) => position),
  )

/** The environment, telling the first event that it has to fold. */
export const watched = () => {
  const seen: Array<number> = []
  const projection: Projection<EnvironmentState.EnvironmentState> = {
    ...EnvironmentState.projection,
    builder: (from, own) => {
      const draft = begin(EnvironmentState.projection, from, own)
      return {
        apply: (event) => {
          seen.push(event.position)
          draft.apply(event)
        },
        state: () => draft.state(),
      }
    },
  }
  return { projection, firstFolded: () => seen[0] ?? null }
}

/** At any position and now, the state is that of all events. */
export const expectTrueStates = Effect.gen(function* () {
  const events = yield* allEvents
  for (const at of [0, 1, 999, 1_960, 2_000, 3_333, 4_499, events.length]) {
    assert.deepStrictEqual(
      yield* stateAt(EnvironmentState.projection, at),
      fold(EnvironmentState.projection, events.slice(0, at)),
    )
  }
  assert.deepStrictEqual(yield* current(EnvironmentState.projection), fold(EnvironmentState.projection, events))
})
