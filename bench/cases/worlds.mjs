/**
 * Worlds through the kernel and its log: concurrent cart poles, a round of a hundred agents in one grid, and any moment
 * of a recorded episode with its picture. A step's floor is the world's own work plus raw inserts of its events. Steps
 * without a world come first: two sensors and a command of one plugin, in many tasks at once.
 */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Agent, EnvironmentState, EventLog, Hindcast, Kernel, Projector } from "../../dist/index.js"
import { drawText } from "../../dist/projections/index.js"
import { AgentGroup } from "../../dist/worlds/index.js"
import { catCalls, rawTable } from "../floor.mjs"
import { inLanes, median, spentBy } from "../measure.mjs"

const room = fileURLToPath(new URL("../room", import.meta.url))
const worlds = fileURLToPath(new URL("../../packages/worlds/", import.meta.url))

/** Concurrent cart poles. */
const TASKS = 8
const STEPS = 150
/** Events per step: a reading, a decision, five of the command with its changes, and a reward. */
const EVENTS = 8
const AGENTS = 100
const ROUNDS = 12

/** Measured episodes of such rounds, and warm-up episodes. */
const EPISODES = 5
const WARM_EPISODES = 2

/** Tasks of steps without a world, and steps of each per round. */
const MANY_TASKS = 64
const MANY_STEPS = 20
/** Warm-up openings of as many tasks. */
const WARM_OPENINGS = 6

export const run = async (directory, rounds, say) => [
  ...(await roomSteps(directory, rounds, say)),
  ...(await steps(directory, rounds, say)),
  ...(await together(directory, say)),
]

const layer = (directory, name, world) =>
  Hindcast.layer({
    log: path.join(directory, `${name}.db`),
    workspace: directory,
    gate: { default: "allow" },
    seed: 7,
    plugins: [path.join(worlds, world)],
  })

const balances = Agent.fromPolicy({
  name: "balances",
  version: "1",
  policy: (readings) => {
    const [, , angle, speed] = readings["cart-pole/observation"]
    return { act: "cart-pole/step", args: { action: angle + speed > 0 ? 1 : 0 } }
  },
})

/** Steps of two readings and a command: six events. */
const roomSteps = async (directory, rounds, say) => {
  say(`${MANY_TASKS} tasks in one room`)
  const raw = rawTable(await emptyLog(directory, "room-floor"))
  const calls = catCalls(ROOM_FRAME)
  const steps = MANY_TASKS * MANY_STEPS
  const step = (task) =>
    Effect.gen(function* () {
      const readings = yield* task.perceive()
      const { status } = yield* task.act("room/set", { level: 3 })
      if (readings.length !== 2 || status !== "succeeded") yield* Effect.dieMessage("a step of the room went wrong")
    })
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const runtime = yield* Effect.runtime()
    const tasks = []
    const opened = Effect.gen(function* () {
      for (let index = 0; index < MANY_TASKS; index++) tasks.push(yield* kernel.tasks.open({ goal: "be measured" }))
    })
    const all = Effect.forEach(tasks, (task) => Effect.repeatN(step(task), MANY_STEPS - 1), {
      concurrency: "unbounded",
    })
    const spent = (effect) => Effect.promise(() => spentBy(() => Effect.runPromise(Effect.provide(effect, runtime))))
    // The first openings run while V8 compiles them.
    const openings = []
    for (let round = 0; round < WARM_OPENINGS + rounds; round++) {
      tasks.length = 0
      const one = yield* spent(opened)
      if (round >= WARM_OPENINGS) openings.push(one.cpuMs / MANY_TASKS)
    }
    const [found, floors] = [[], []]
    for (let round = 0; round < 2 + rounds; round++) {
      const one = yield* spent(all)
      const floor = yield* Effect.promise(() => spentBy(() => inLanes(byHandInRoom(calls, raw), steps, MANY_TASKS)))
      if (round < 2) continue
      found.push(one)
      floors.push(floor.cpuMs / steps)
    }
    return {
      openMs: median(openings),
      perSecond: median(found.map(({ ms }) => (steps / ms) * 1000)),
      cpuMs: median(found.map(({ cpuMs }) => cpuMs / steps)),
      floorMs: median(floors),
    }
  })
  const { openMs, perSecond, cpuMs, floorMs } = await Effect.runPromise(
    Effect.provide(
      program,
      Hindcast.layer({
        log: path.join(directory, "room.db"),
        workspace: directory,
        gate: { default: "allow" },
        plugins: [room],
        host: { consent: "flags" },
      }),
    ),
  )
  calls.close()
  raw.close()
  const row = (what, unit, ours, at, value) => ({ what, unit, ours, bound: { at, value, of: "ours" } })
  return [
    row(`steps of two sensors and a command, ${MANY_TASKS} tasks at once`, "steps/s", perSecond, "least", 1500),
    {
      what: "such a step, processor time",
      unit: "ms",
      ours: cpuMs,
      floor: floorMs,
      ratio: cpuMs / floorMs,
      bound: { at: "most", value: 2.5 },
      floorIs: "the loop by hand: its three calls through cat, 6 raw inserts, one synced",
    },
    row("opening a task, processor time", "ms", openMs, "most", 1),
  ]
}

/** As large as the frames between host and the room's plugin. */
const ROOM_FRAME = Buffer.from(
  `${JSON.stringify({ type: "ok", id: 123456, value: { celsius: 21.5, room: "study" } })}\n`,
)

/** A hand-written step in the room: both sensors at once, then the command, and an insert per event. */
const byHandInRoom = (calls, raw) => async () => {
  const sensed = async (sensor) => {
    await calls.call()
    raw.one(JSON.stringify({ sensor, reading: { celsius: 21.5, room: "study" }, priority: 0, latencyMs: 0.123 }))
  }
  await Promise.all([sensed("room/warmth"), sensed("room/light")])
  raw.one(JSON.stringify({ commandId: "1", actuator: "room/set", args: { level: 3 }, priority: 0 }))
  raw.one(JSON.stringify({ commandId: "1", allowed: true }))
  raw.synced(JSON.stringify({ commandId: "1", dispatched: true }))
  await calls.call()
  raw.one(JSON.stringify({ commandId: "1", result: { level: 3 }, latencyMs: 0.123 }))
}

/** Balances poles, and visits moments of the recording. */
const steps = async (directory, rounds, say) => {
  const raw = rawTable(await emptyLog(directory, "worlds-floor"))
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const runtime = yield* Effect.runtime()
    const one = (seed) => kernel.tasks.run(balances, { goal: "Keep the pole up", maxSteps: STEPS, seed })
    const all = Effect.map(
      Effect.all(
        Array.from({ length: TASKS }, (_, seed) => one(seed)),
        { concurrency: "unbounded" },
      ),
      (audits) => audits.reduce((sum, { acting }) => sum + acting.succeeded, 0),
    )
    say(`${TASKS} cart poles at once`)
    const [found, floors] = [[], []]
    for (let round = 0; round < 2 + rounds; round++) {
      let taken = 0
      const spent = yield* Effect.promise(() =>
        spentBy(async () => {
          taken = await Effect.runPromise(Effect.provide(all, runtime))
        }),
      )
      const floorMs = yield* Effect.promise(() => byHand(raw))
      if (round < 2) continue
      found.push({ perSecond: (taken / spent.ms) * 1000, cpuMs: spent.cpuMs / taken })
      floors.push(floorMs)
    }
    say("moments of an episode")
    const moments = yield* lookBack()
    return {
      perSecond: median(found.map((one) => one.perSecond)),
      cpuMs: median(found.map((one) => one.cpuMs)),
      floorMs: median(floors),
      moments,
    }
  })
  const { perSecond, cpuMs, floorMs, moments } = await Effect.runPromise(
    Effect.provide(program, layer(directory, "cart-poles", "cart-pole")),
  )
  raw.close()
  return [
    {
      what: `steps of cart poles, ${TASKS} tasks at once`,
      unit: "steps/s",
      ours: perSecond,
      bound: { at: "least", value: 500, of: "ours" },
    },
    {
      what: "a step, processor time of the kernel",
      unit: "ms",
      ours: cpuMs,
      floor: floorMs,
      ratio: cpuMs / floorMs,
      bound: { at: "most", value: 2 },
      floorIs: `${EVENTS} raw inserts, one synced`,
    },
    {
      what: "any step of an episode of 500: state and view, median",
      unit: "ms",
      ours: moments,
      bound: { at: "most", value: 10, of: "ours" },
    },
  ]
}

const emptyLog = async (directory, name) => {
  const log = path.join(directory, `${name}.db`)
  await Effect.runPromise(Effect.void.pipe(Effect.provide(Hindcast.layerLog({ log }))))
  return log
}

/** A hand-written step: plain inserts of its events. */
const byHand = async (raw) => {
  const text = JSON.stringify({ reading: [0.01, 0.02, 0.03, 0.04], sensor: "cart-pole/observation", priority: 1 })
  const { cpuMs } = await spentBy(async () => {
    for (let step = 0; step < STEPS; step++) {
      for (let event = 1; event < EVENTS; event++) raw.one(text)
      raw.synced(text)
    }
  })
  return cpuMs / STEPS
}

/** The time for state and picture at moments of one episode of 500 steps. */
const lookBack = () =>
  Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const projector = yield* Projector.Projector
    const log = yield* EventLog.EventLog
    const steady = {
      ...balances,
      decide: ({ readings }) => ({ act: "cart-pole/step", args: { action: keeps(readings) } }),
    }
    const { taskId, range } = yield* kernel.tasks.run(steady, { goal: "Keep the pole up", maxSteps: 500, seed: 1 })
    const manifest = (yield* log.readPage({ types: ["PluginImported"] }, 1))[0].payload.manifest
    const took = []
    for (let moment = 1; moment <= 40; moment++) {
      const at = Math.floor(range.from + ((range.to - range.from) * moment) / 41)
      const startedAt = performance.now()
      const state = yield* projector.stateAt(EnvironmentState.projection, at)
      drawText(manifest.peas.environment.view, state.tasks[taskId].environment["cart-pole"])
      took.push(performance.now() - startedAt)
    }
    return median(took)
  })

/** Balances the pole for 500 steps with the cart on its track. */
const keeps = (readings) => {
  const [place, speed, angle, turn] = readings["cart-pole/observation"]
  return angle + turn + 0.05 * place + 0.1 * speed > 0 ? 1 : 0
}

/** Rounds of many agents in one grid. The floor is raw inserts of a round's events. */
const together = async (directory, say) => {
  say(`${AGENTS} agents in one grid`)
  const walker = Agent.fromPolicy({
    name: "walker",
    version: "1",
    policy: () => ({ act: "grid-world/step", args: { action: 0 } }),
  })
  const names = Array.from({ length: AGENTS }, (_, index) => `agent-${String(index).padStart(3, "0")}`)
  const rows = Array.from({ length: 40 }, () => ".".repeat(40))
  const group = AgentGroup.make({
    name: "crowd",
    version: "1",
    world: "grid-world",
    maxRounds: ROUNDS,
    agents: Object.fromEntries(names.map((name) => [name, walker])),
  })
  const raw = rawTable(await emptyLog(directory, "crowd-floor"))
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const log = yield* EventLog.EventLog
    const runtime = yield* Effect.runtime()
    const walked = kernel.tasks.run(group, {
      goal: "Walk",
      agents: names,
      environment: { "grid-world": { rows } },
    })
    const [times, spent, floors] = [[], [], []]
    for (let episode = 0; episode < WARM_EPISODES + EPISODES; episode++) {
      let taskId
      const one = yield* Effect.promise(() =>
        spentBy(async () => {
          taskId = (await Effect.runPromise(Effect.provide(walked, runtime))).taskId
        }),
      )
      const events = yield* log.readPage({ taskId }, 1_000_000)
      const texts = events.map(({ payload }) => JSON.stringify(payload))
      const floor = yield* Effect.promise(() =>
        spentBy(async () => {
          texts.forEach((text, index) =>
            index % Math.ceil(texts.length / ROUNDS) === 0 ? raw.synced(text) : raw.one(text),
          )
        }),
      )
      if (episode < WARM_EPISODES) continue
      const changed = events.filter(({ type }) => type === "EnvironmentChanged").map(({ recordedAt }) => recordedAt)
      times.push(...changed.slice(3).map((time, index) => time - changed[index + 2]))
      spent.push(one.cpuMs / ROUNDS)
      floors.push(floor.cpuMs / ROUNDS)
    }
    return { ours: median(times), cpuMs: median(spent), floorMs: median(floors) }
  })
  const { ours, cpuMs, floorMs } = await Effect.runPromise(
    Effect.provide(program, layer(directory, "crowd", "grid-world")),
  )
  raw.close()
  return [
    {
      what: `${AGENTS} agents in one grid, one round`,
      unit: "ms",
      ours,
      bound: { at: "most", value: 150, of: "ours" },
    },
    {
      what: "such a round, processor time of the kernel",
      unit: "ms",
      ours: cpuMs,
      floor: floorMs,
      ratio: cpuMs / floorMs,
      bound: { at: "most", value: 3 },
      floorIs: "its events as raw inserts, one synced",
    },
  ]
}
