import { TimeLimit } from "hindcast/worlds"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { opened, rejection } from "./opened.ts"

const plugins = [inRepository("test/worlds/samples/drift")]

describe("a world for programs without Effect", () => {
  it("is reset and stepped with promises, in wrappers, and each episode is a task", async () => {
    const hindcast = await opened({ plugins })
    const world = await hindcast.world({ world: "drift", wrappers: [TimeLimit(2)] })
    expect([world.name, world.info.maxEpisodeSteps, world.agents(), world.spaces().action]).toEqual([
      ...["drift", 2, ["agent"]],
      { type: "Discrete", n: 3, start: -1 },
    ])
    const { observation, info } = await world.reset({ seed: 42 })
    expect([observation, info]).toEqual([[0, 0.7739560485559633], { gust: 0.7739560485559633 }])
    expect(await world.step(1)).toMatchObject({ observation: [1, 0.4388784397520523], terminated: false })
    expect(await world.step(0)).toMatchObject({ truncated: true })
    expect([await world.state(), await world.status()]).toMatchObject([{ at: 1, episode: { step: 2 } }, "truncated"])
    expect(await rejection(world.step(1))).toMatchObject({ _tag: "ActionRefused", code: "EpisodeOver" })
    await world.close()
    const closed = []
    for await (const event of hindcast.events.read({ types: ["TaskClosed"] })) closed.push(event)
    expect(closed).toMatchObject([{ payload: { outcome: "truncated" } }])
  })

  it("rejects what is no world, and wrong options", async () => {
    const hindcast = await opened({ plugins })
    expect(await rejection(hindcast.world({ world: "nowhere" }))).toMatchObject({ _tag: "NoSuchEnvironment" })
    expect(await rejection(hindcast.world({ world: "drift", wrappers: [3 as never] }))).toMatchObject({
      _tag: "InvalidOptions",
      problems: [{ path: "wrappers[0]" }],
    })
    const world = await hindcast.world({ world: "drift" })
    expect(await rejection(world.step(1))).toMatchObject({ _tag: "NoEpisode" })
    const aborted = AbortSignal.abort(new Error("stopped"))
    expect(await rejection(world.reset({ seed: 1, signal: aborted }))).toMatchObject({ message: "stopped" })
  })
})
