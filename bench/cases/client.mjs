/**
 * The Python package: its bare round trip against newline JSON over a pipe between two Pythons, by the fastest of many
 * short turns (as Python's `timeit` recommends), and a step of a cart pole against the same step by the library, alone
 * and 64 episodes at a time. The library's steps are measured before and after, since both need the disk.
 */
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { open } from "../../dist/promise.js"
import { median, timed } from "../measure.mjs"

const at = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const STEPS = 60
const EPISODES = 64

export const run = async (directory, rounds, say) => {
  say("steps by the library")
  const before = await librarySteps(path.join(directory, "client-before.db"), rounds)
  say("Python's round trips and steps")
  const python = measuredByPython(path.join(directory, "client-python.db"), rounds)
  say("steps by the library again")
  const after = await librarySteps(path.join(directory, "client-after.db"), rounds)
  const step = median([...before, ...after])
  say("a rollout by the library")
  const rollout = await libraryRollout(path.join(directory, "client-rollout.db"), rounds)
  return [
    {
      what: "bare round trip of the Python client, fastest of many turns",
      unit: "µs",
      ours: python.ours,
      floor: python.floor,
      ratio: python.ours / python.floor,
      medianRatio: python.oursMedian / python.floorMedian,
      ...(python.floorCpu === null ? {} : { cpuRatio: python.oursCpu / python.floorCpu }),
      bound: { at: "most", value: 2 },
      floorIs: "newline JSON over a pipe between two Pythons",
    },
    {
      what: "a step of cart pole from Python",
      unit: "ms",
      ours: python.step,
      floor: step,
      ratio: python.step / step,
      bound: { at: "most", value: 2 },
      floorIs: "the same step by the library",
    },
    {
      what: `steps of ${EPISODES} cart poles at a time from Python, in compact form`,
      unit: "steps/s",
      ours: python.vector,
      floor: rollout,
      ratio: python.vector / rollout,
      bound: { at: "least", value: 0.5 },
      floorIs: "the library's rollout of as many",
    },
  ]
}

const measuredByPython = (log, rounds) => {
  const { status, stdout, stderr, error } = spawnSync(
    "python3",
    [at("bench/programs/client.py"), log, String(rounds)],
    {
      encoding: "utf8",
      env: { ...process.env, HINDCAST_BIN: at("dist/cli/main.js"), PYTHONPATH: at("python/src") },
    },
  )
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${error?.message ?? stderr}`)
  return JSON.parse(stdout)
}

/** Milliseconds of each step. The first episode is a warm-up. */
const librarySteps = async (log, rounds) => {
  const hindcast = await open({ log, plugins: [at("packages/worlds/cart-pole")] })
  const world = await hindcast.world({ world: "cart-pole" })
  const all = []
  for (let round = 0; round < rounds; round++) {
    await world.reset({ seed: round })
    let [action, isOver] = [1, false]
    for (let count = 0; count < STEPS && !isOver; count++) {
      let step
      const ms = await timed(async () => {
        step = await world.step(action)
      })
      if (round > 0) all.push(ms)
      const [, , angle, speed] = step.observation
      action = angle + speed > 0 ? 1 : 0
      isOver = step.terminated || step.truncated
    }
  }
  await hindcast.close()
  return all
}

/** Steps of a second. The first rollout is a warm-up. */
const libraryRollout = async (log, rounds) => {
  const hindcast = await open({ log, plugins: [at("packages/worlds/cart-pole")] })
  const policy = ({ observation: [, , angle, speed] }) => (angle + speed > 0 ? 1 : 0)
  const all = []
  for (let round = 0; round < rounds; round++) {
    let steps = 0
    const ms = await timed(async () => {
      const options = { world: "cart-pole", policy, episodes: EPISODES, parallel: EPISODES, seed: round * EPISODES }
      ;({ steps } = await hindcast.rollout(options))
    })
    if (round > 0) all.push((steps / ms) * 1000)
  }
  await hindcast.close()
  return median(all)
}
