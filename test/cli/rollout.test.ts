import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Pages from "../../src/events/read/Pages.ts"
import { layer as layerSqlite } from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { hindcast, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)
const world = inRepository("packages", "worlds", "cart-pole")

/** Balances with mistakes. With the variable `KILL_AT`, kills its own process at that call, as `kill -9` does. */
const POLICY = `
let calls = 0
export default {
  name: "balances",
  version: "1",
  act: ({ observation: [, , angle, turn], random, step }) => {
    calls += 1
    if (process.env.KILL_AT === String(calls)) process.kill(process.pid, "SIGKILL")
    if (process.env.THROW_AT === String(calls)) throw new Error("lost my balance")
    return random() < 0.3 ? (random() < 0.5 ? 0 : 1) : angle + turn > 0 ? 1 : 0
  },
}
`
const policy = place.file("policy.mjs", POLICY)

const logOf = (name: string) => path.join(place.directory, `${name}.db`)
const rollout = (log: string, words: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  start(["rollout", ...words, "--policy", policy, "--log", logOf(log), "--sandbox", "flags", "--json"], { env }).ended
const begun = [world, "--episodes", "9", "--seed", "4", "--parallel", "4", "--max-steps", "300"]

const eventsOf = (log: string) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const events: Array<Event> = []
      yield* Pages.forEach((yield* EventLog).readPage, {}, (page) => void events.push(...page))
      return events
    }).pipe(Effect.provide(layerSqlite({ filename: logOf(log), readonly: true }))),
  )

/** What each episode did, by its index, without ids, times and places. */
const meaningOf = (events: ReadonlyArray<Event>) => {
  const episodes = new Map<number, Array<unknown>>()
  const episodeOf = new Map<string | null, number>()
  for (const { type, taskId, payload } of events) {
    if (type === "TaskOpened") episodeOf.set(taskId, (payload.rollout as { episode: number }).episode)
    const episode = episodeOf.get(taskId)
    if (
      episode === undefined ||
      !/^(?:SensorRead|ActuatorCommanded|CommandSucceeded|EnvironmentChanged|RewardGiven|TaskClosed)$/.test(type)
    )
      continue
    const { commandId: _c, latencyMs: _l, because: _b, scoreSetId: _s, ...rest } = payload
    episodes.set(episode, [...(episodes.get(episode) ?? []), [type, rest]])
  }
  return [...episodes].sort(([a], [b]) => a - b)
}

const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
const idIn = (events: ReadonlyArray<Event>) => {
  const [started] = events.filter(({ type }) => type === "RolloutStarted")
  return String(started?.payload.rolloutId)
}

describe("hindcast rollout", () => {
  it("continues after kill -9 with the same result, and has every acknowledged step", async () => {
    for (const autoreset of ["Disabled", "SameStep"]) {
      const words = [...begun, "--autoreset", autoreset]
      const whole = await rollout(`whole-${autoreset}`, words)
      expect(whole.stderr).toBe("")
      expect(whole.code).toBe(0)
      const expected = meaningOf(await eventsOf(`whole-${autoreset}`))
      expect(expected.length).toBe(9)
      const { steps } = lines(whole.stdout).at(-1)
      const log = `killed-${autoreset}`
      const acknowledged: Array<{ readonly episode: number }> = []
      const kills = ["150", "200", String(Math.floor(steps / 3))]
      for (const [index, at] of kills.entries()) {
        const again = index === 0 ? words : ["--continue", idIn(await eventsOf(log))]
        const killed = await rollout(log, again, { KILL_AT: at })
        expect({ at, code: killed.code }).toEqual({ at, code: null })
        acknowledged.push(...(killed.stdout === "" ? [] : lines(killed.stdout)))
        // Each episode that was told is whole.
        const found = new Map(meaningOf(await eventsOf(log)))
        for (const { episode } of acknowledged) expect(found.get(episode)).toEqual(new Map(expected).get(episode))
      }
      const id = idIn(await eventsOf(log))
      const ended = await rollout(log, ["--continue", id])
      expect(ended.code).toBe(0)
      expect(lines(ended.stdout).at(-1)).toEqual({ rolloutId: id, episodes: 9, steps })
      expect(meaningOf(await eventsOf(log))).toEqual(expected)
      const audits = await hindcast(["log", "verify", "--log", logOf(log)])
      expect(audits.code).toBe(0)
    }
  }, 120_000)

  it("says at which step a policy threw, and how to continue", async () => {
    const failed = await rollout("thrown", begun, { THROW_AT: "500" })
    expect(failed.code).toBe(1)
    const { error } = JSON.parse(failed.stderr)
    expect(error.tag).toBe("PolicyFailed")
    expect(error.message).toMatch(
      /The policy balances@1 failed at step \d+ of episode \d+: lost my balance\. Every step before/,
    )
    const [, id = ""] = /--continue (\S+)`/.exec(error.message) ?? []
    const events = await eventsOf("thrown")
    const recorded = events.reduce(
      (sum, { type, payload }) => sum + (type === "StepsRecorded" ? Number(payload.steps) : 0),
      0,
    )
    expect(recorded).toBeGreaterThan(500 - 5)
    const continued = await rollout("thrown", ["--continue", id])
    expect(continued.code).toBe(0)
    const whole = await rollout("unthrown", begun)
    expect(lines(continued.stdout).at(-1).steps).toBe(lines(whole.stdout).at(-1).steps)
  }, 60_000)

  it("tells people of each episode and of the whole", async () => {
    const { code, stdout } = await hindcast([
      ...["rollout", world, "--policy", inRepository("examples", "policies", "balances.mjs")],
      ...["--episodes", "2", "--seed", "1", "--max-steps", "20", "--log", logOf("people"), "--sandbox", "flags"],
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /\nepisode 0: truncated after 20 steps, return 20 {2}\S+\nepisode 1: truncated after 20 steps, return 20/,
    )
    expect(stdout).toMatch(/Rollout \S+: 2 episodes, 40 steps, mean return 20\n/)
  })

  it.each([
    ["no policy", [world], /--policy/],
    ["no world", ["--policy", policy], /WORLD/],
    ["a module without a policy", [world, "--policy", inRepository("package.json")], /policy|JSON|import/],
    ["no episodes", [world, "--policy", policy, "--episodes", "0"], /--episodes/],
  ])("refuses %s", async (_what, words, reason) => {
    const { code, stderr } = await hindcast(["rollout", ...words, "--log", logOf("refused"), "--sandbox", "flags"])
    expect(code).toBe(1)
    expect(stderr).toMatch(reason)
  })
})
