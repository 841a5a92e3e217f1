/** Visits the past of 1,000,000 events in 10,000 tasks, and aligns two tasks of 10,000 events. */
import * as path from "node:path"
import { Effect, Either, Layer, Stream } from "effect"
import { EnvironmentState, EventLog, Predicate, Projector, TimeTravel } from "../../dist/index.js"
import { rawTable } from "../floor.mjs"
import { EVENTS_OF_TASK, history } from "../history.mjs"
import { median, spentBy } from "../measure.mjs"

const TASKS = 10_000
const EVENTS = TASKS * EVENTS_OF_TASK

/** Events of each aligned task. */
const EVENTS_ALIGNED = 10_000

/** Times each question is asked, each time of another task. */
const ASKED = 15

export const run = async (directory, rounds, say) => {
  const filename = path.join(directory, "travel.db")
  const tasks = await record(filename, say)
  say("reading all of it, for the floor")
  const raw = rawTable(filename)
  const floors = []
  for (let round = 0; round < Math.min(rounds, 3); round++) floors.push(await spentBy(async () => raw.readAll()))
  raw.close()
  const floor = { ms: median(floors.map(({ ms }) => ms)), cpuMs: median(floors.map(({ cpuMs }) => cpuMs)) }
  say("asking about its past")
  const layer = TimeTravel.layer.pipe(
    Layer.provideMerge(Projector.layer),
    Layer.provideMerge(EventLog.layerSqlite({ filename })),
  )
  return Effect.runPromise(Effect.provide(ask(tasks, floor), layer))
}

const ask = (tasks, floor) =>
  Effect.gen(function* () {
    const travel = yield* TimeTravel.TimeTravel
    // Stores the snapshots that any log has after its first read.
    yield* (yield* Projector.Projector).current(EnvironmentState.projection)
    const runtime = yield* Effect.runtime()
    const rows = []
    const measure = (what, most, question) =>
      Effect.promise(async () => {
        const all = []
        for (let index = 0; index < ASKED; index++) {
          // Spreads over the log in no order: multiples of the golden ratio.
          const task = tasks[Math.floor(TASKS * (((index + 1) * 0.618_033_988_75) % 1))]
          all.push(await spentBy(() => Effect.runPromise(Effect.provide(question(task, index), runtime))))
        }
        const [ms, cpuMs] = [median(all.map((one) => one.ms)), median(all.map((one) => one.cpuMs))]
        rows.push({
          what,
          unit: "ms",
          ours: ms,
          floor: floor.ms,
          ratio: floor.ms / ms,
          cpuRatio: floor.cpuMs / cpuMs,
          bound: { at: "most", value: most, of: "ours" },
          floorIs: "raw keyset pages + JSON.parse of all events",
        })
      })
    const bisect = (when, options) => travel.bisect(Either.getOrThrow(Predicate.compile(when)), options)
    const at = (task) => `/tasks/${task}/environment/room/at`

    yield* measure("bisect, how many tasks there are", 300, (_, index) =>
      bisect(`size(state.tasks) > ${600 * (index + 1)}`),
    )
    yield* measure("bisect, over all tasks, assumed monotone", 300, (task) =>
      bisect(`state.tasks.exists(id, id == "${task}")`),
    )
    yield* measure("bisect, the state of one task", 300, (task) => bisect(`state.tasks["${task}"].open == false`))
    yield* measure("blame of a path in a task", 100, (task) => travel.blame(at(task)))
    yield* measure("blame of a path that is in no task", 100, () => travel.blame("/shared/readings/room~1door"))
    yield* measure("history of a path in a task", 1_000, (task) => Stream.runDrain(travel.history(at(task))))
    yield* measure("history of a path that is in no task", 1_000, () =>
      Stream.runDrain(travel.history("/shared/readings/room~1door")),
    )
    yield* measure(`align two tasks of ${EVENTS_ALIGNED.toLocaleString("en")} events, half alike`, 1_000, () =>
      travel.align({ taskId: "long-a" }, { taskId: "long-b" }),
    )
    yield* measure("the same, with nothing alike", 1_000, () =>
      travel.align({ taskId: "long-a" }, { taskId: "long-c" }),
    )
    return rows
  })

/** Records the log as a kernel does; in its middle, events without a task and three long tasks. */
const record = (filename, say) => {
  const tasks = new Set()
  const recording = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const appendAll = (requests) =>
      Effect.all(
        requests.map((request) => log.append(request)),
        { concurrency: "unbounded", discard: true },
      )
    let recorded = 0
    for (const requests of history(TASKS)) {
      yield* appendAll(requests)
      for (const { taskId } of requests) tasks.add(taskId)
      recorded += requests.reduce((events, request) => events + request.events.length, 0)
      if (recorded % 250_000 === 0)
        say(`recorded ${recorded.toLocaleString("en")} of ${EVENTS.toLocaleString("en")} events`)
      if (recorded === EVENTS / 2) yield* appendAll([...door(), ...long("a", 1), ...long("b", 2), ...long("c", 0)])
    }
  })
  return Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename }))).then(() => [...tasks])
}

const door = () =>
  Array.from({ length: 200 }, (_, index) => ({
    stream: "sensors",
    actor: "plugin:room@1.0.0",
    events: [
      {
        type: "SensorRead",
        payload: { sensor: "room/door", reading: index % 3 === 0 ? "open" : "shut", priority: 0, latencyMs: 1 },
      },
    ],
  }))

/** A task of many readings; two such tasks agree in every `every`-th one. */
const long = (name, every) =>
  Array.from({ length: EVENTS_ALIGNED / 100 }, (_, hundred) => ({
    stream: `task/long-${name}`,
    taskId: `long-${name}`,
    actor: "plugin:room@1.0.0",
    events: Array.from({ length: 100 }, (_, index) => {
      const number = hundred * 100 + index
      const reading = every > 0 && number % every === 0 ? number % 977 : `${name}-${number}`
      return {
        type: "SensorRead",
        payload: { sensor: `room/${name}`.replace(/[ab]$/, "view"), reading, priority: 0, latencyMs: 1 },
      }
    }),
  }))
