import type { Rollout } from "hindcast/worlds"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { opened, rejection } from "./opened.ts"

const plugins = [inRepository("packages/worlds/corridor")]

describe("a rollout for programs without Effect", () => {
  it("returns its episodes, streams them, and rejects with what the policy threw", async () => {
    const hindcast = await opened({ plugins })
    const whole = await hindcast.rollout({ world: "corridor", policy: () => 1, episodes: 3, seed: 5 })
    expect(whole.episodes.map(({ episode, seed }) => [episode, seed])).toEqual([
      [0, 5],
      [1, 6],
      [2, 7],
    ])
    expect(whole.steps).toBeGreaterThan(3)
    const streamed: Array<Rollout.EpisodeResult> = []
    for await (const episode of hindcast.rollouts({ world: "corridor", policy: async () => 1, episodes: 3, seed: 5 })) {
      streamed.push(episode)
    }
    const without = ({ taskId: _, ...episode }: (typeof streamed)[number]) => episode
    expect(streamed.map(without).sort((a, b) => a.episode - b.episode)).toEqual(whole.episodes.map(without))
    const [first] = whole.episodes
    const commands = []
    for await (const event of hindcast.events.read({ taskId: first?.taskId ?? "", types: ["ActuatorCommanded"] })) {
      commands.push(event)
    }
    expect(commands.length).toBe(first?.steps)
    const policy = () => Promise.reject(new Error("no idea"))
    const failed = await rejection(hindcast.rollout({ world: "corridor", policy, episodes: 1 }))
    expect(failed).toMatchObject({ _tag: "PolicyFailed", episode: 0, step: 0 })
    const rolloutId = (failed as unknown as { readonly rolloutId: string }).rolloutId
    const continued = await hindcast.continueRollout(rolloutId, { name: "policy", version: "1", act: () => 1 })
    expect(continued.episodes.length).toBe(1)
  })
})
