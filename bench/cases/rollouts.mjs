/**
 * Rollouts in compact form, against the full form and against the world itself: steps per second, bytes on disk, opening
 * any step of a long episode, and scoring again by a rule.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { EnvironmentState, EventLog, Hindcast, Projector, Scoring } from "../../dist/index.js"
import * as Tools from "../../dist/plugins/sandbox/Tools.js"
import { drawText } from "../../dist/projections/index.js"
import { Rollout } from "../../dist/worlds/index.js"
import { median, spentBy } from "../measure.mjs"

const WORLD = fileURLToPath(new URL("../../packages/worlds/cart-pole", import.meta.url))
const BARE = fileURLToPath(new URL("../programs/bare-world.mjs", import.meta.url))

const BARE_STEPS = 1_000_000
/** Episodes at a time, and episodes of each form in a round. The full form takes as long as it takes. */
const PARALLEL = 64
const FULL_PARALLEL = 8
const FULL_EPISODES = 8
/** Steps of the long episode, and moments that are opened. */
const LONG = 10_000
const MOMENTS = 40
const ROUNDS = 3
/** About 500 steps each. */
const SCORED_EPISODES = 64

const keeps = ([place, speed, angle, turn]) => (angle + turn + 0.05 * place + 0.1 * speed > 0 ? 1 : 0)
const balances = {
  name: "balances",
  version: "1",
  act: ({ observation: [, , angle, turn] }) => (angle + turn > 0 ? 1 : 0),
}
const steady = { name: "steady", version: "1", act: ({ observation }) => keeps(observation) }

export const run = async (directory, rounds, say) => {
  const rows = []
  for (const measure of [rates, moments, scores]) {
    say(`rollouts: ${measure.name}`)
    rows.push(...(await measure(directory, Math.min(rounds, ROUNDS))))
  }
  return rows
}

const inKernel = (directory, name, plugin, program) =>
  Effect.runPromise(
    Effect.provide(
      program,
      Hindcast.layer({
        log: path.join(directory, `${name}.db`),
        workspace: directory,
        gate: { default: "allow" },
        seed: 7,
        plugins: [plugin],
        host: { consent: "flags" },
      }),
    ),
  )

/** Plays episodes. Returns the steps per second. */
const rateOf = (options) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    let steps = 0
    const { ms } = yield* Effect.promise(() =>
      spentBy(async () => {
        ;({ steps } = await Effect.runPromise(Effect.provide(Rollout.run(options), runtime)))
      }),
    )
    return { steps, perSecond: (steps / ms) * 1000 }
  })

const rates = async (directory, rounds) => {
  const base = { world: "cart-pole", policy: balances }
  const { deno } = await Effect.runPromise(Tools.find)
  const bareSteps = () => Number(execFileSync(deno, ["run", "--quiet", BARE, String(BARE_STEPS)], { encoding: "utf8" }))
  const found = await inKernel(
    directory,
    "rollouts",
    WORLD,
    Effect.gen(function* () {
      const [full, compact, bare] = [[], [], []]
      for (let round = 0; round < 1 + rounds; round++) {
        const one = yield* rateOf({
          ...base,
          record: "full",
          episodes: FULL_EPISODES,
          parallel: FULL_PARALLEL,
          maxSteps: 100,
        })
        const many = yield* rateOf({ ...base, episodes: PARALLEL, parallel: PARALLEL })
        if (round === 0) continue
        full.push(one.perSecond)
        compact.push(many.perSecond)
        bare.push(bareSteps())
      }
      return { full: median(full), compact: median(compact), bare: median(bare) }
    }),
  )
  const size = await bytesAStep(directory, base)
  const row = {
    what: `compact cart poles, ${PARALLEL} in one process, in the log`,
    unit: "steps/s",
    ours: found.compact,
  }
  return [
    {
      ...row,
      floor: found.full,
      ratio: found.compact / found.full,
      bound: { at: "least", value: 25 },
      floorIs: `the full form, ${FULL_PARALLEL} tasks`,
    },
    {
      ...row,
      what: "the same",
      floor: found.bare,
      ratio: found.compact / found.bare,
      bound: { at: "least", value: 0.2 },
      floorIs: "the world's functions in Deno: no checks, no pipe, no log",
    },
    { what: "bytes on disk for such a step", unit: "bytes", ours: size, bound: { at: "most", value: 12, of: "ours" } },
  ]
}

/** The growth of a log by a step, without the size of an empty log. */
const bytesAStep = async (directory, base) => {
  const file = path.join(directory, "size.db")
  const sizes = []
  for (const episodes of [1, 1 + PARALLEL]) {
    const { steps } = await inKernel(directory, "size", WORLD, Rollout.run({ ...base, episodes, parallel: PARALLEL }))
    sizes.push({ steps, bytes: fs.statSync(file).size })
  }
  const [before, after] = sizes
  return (after.bytes - before.bytes) / after.steps
}

/** The time for state and picture at moments of a long compact episode, and of one of 500 steps in full. */
const moments = async (directory) => {
  const plugin = path.join(directory, "cart-pole")
  fs.cpSync(WORLD, plugin, { recursive: true })
  const manifest = path.join(plugin, "looper-plugin.json")
  const text = fs.readFileSync(manifest, "utf8")
  fs.writeFileSync(manifest, text.replace(/"max_episode_steps": *\d+/, `"max_episode_steps": ${LONG}`))
  const base = { world: "cart-pole", policy: steady, episodes: 1, parallel: 1, seed: 1 }
  const [compact, full] = await inKernel(
    directory,
    "moments",
    plugin,
    Effect.gen(function* () {
      const { steps, episodes } = yield* Rollout.run(base)
      if (steps !== LONG) return yield* Effect.dieMessage(`the long episode had ${steps} steps`)
      const full = yield* Rollout.run({ ...base, record: "full", maxSteps: 500, seed: 2 })
      return [yield* opened(episodes[0].taskId), yield* opened(full.episodes[0].taskId)]
    }),
  )
  return [
    {
      what: `any step of a compact episode of ${LONG}: state and view`,
      unit: "ms",
      ours: compact,
      floor: full,
      ratio: compact / full,
      bound: { at: "most", value: 2 },
      floorIs: "a step of an episode of 500 in full form",
    },
  ]
}

/** The median time for state and picture at moments of an episode. */
const opened = (taskId) =>
  Effect.gen(function* () {
    const projector = yield* Projector.Projector
    const log = yield* EventLog.EventLog
    const ends = yield* log.readPage({ taskId, types: ["CommandSucceeded"] }, LONG)
    const manifest = (yield* log.readPage({ types: ["PluginImported"] }, 1))[0].payload.manifest
    const took = []
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const { position } = ends[Math.floor((ends.length * moment) / (MOMENTS + 1))]
      const startedAt = performance.now()
      const state = yield* projector.stateAt(EnvironmentState.projection, position)
      drawText(manifest.peas.environment.view, state.tasks[taskId].environment["cart-pole"])
      took.push(performance.now() - startedAt)
    }
    return median(took)
  })

const RULE = 'event.type == "CommandSucceeded" && event.payload.result.reward > 0.5'

/** Scores episodes of both forms again, by one rule. */
const scores = async (directory, rounds) => {
  const found = await inKernel(
    directory,
    "scores",
    WORLD,
    Effect.gen(function* () {
      const scoring = yield* Scoring.Scoring
      const runtime = yield* Effect.runtime()
      const base = { world: "cart-pole", policy: balances }
      const forms = {
        compact: yield* Rollout.run({ ...base, episodes: SCORED_EPISODES, parallel: PARALLEL }),
        full: yield* Rollout.run({ ...base, episodes: FULL_EPISODES, parallel: FULL_PARALLEL, record: "full" }),
      }
      const spent = { compact: [], full: [] }
      for (let round = 0; round < 1 + rounds; round++) {
        for (const [form, { steps, episodes }] of Object.entries(forms)) {
          const rewards = [{ name: "upright", when: "the pole stands", weight: 0.1, rule: RULE, per: "occurrence" }]
          const measures = [{ name: "upright", description: "For measuring", rewards }]
          const options = {
            rubric: { name: `${form} ${round}`, measures },
            tasks: episodes.map(({ taskId }) => taskId),
          }
          const { ms } = yield* Effect.promise(() =>
            spentBy(() => Effect.runPromise(Effect.provide(scoring.rescore(options), runtime))),
          )
          if (round > 0) spent[form].push((ms / steps) * 1000)
        }
      }
      return { compact: median(spent.compact), full: median(spent.full) }
    }),
  )
  return [
    {
      what: "scoring a compact step again by a rule",
      unit: "µs",
      ours: found.compact,
      floor: found.full,
      ratio: found.full / found.compact,
      bound: { at: "least", value: 5 },
      floorIs: "a step in full form; the ratio is how many times as fast",
    },
  ]
}
