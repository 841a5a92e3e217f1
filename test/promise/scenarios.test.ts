import * as fs from "node:fs"
import * as path from "node:path"
import { type Agent, agentGroup } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { directory, opened, rejection } from "./opened.ts"

const plugins = ["arena", "drift"].map((name) => inRepository(`test/worlds/samples/${name}`))

const always = (action: number): Agent => ({
  name: `always-${action}`,
  version: "1",
  decide: async () => ({ act: "arena/step", args: { action } }),
})

/** Perceives and acts by itself. */
const walker: Agent = {
  name: "walker",
  version: "1",
  advance: async (task) => {
    await task.perceive()
    await task.act("arena/step", { action: 1 })
    return true
  },
}

const RACE = `
scenario_name: The Race
environment_type: arena
version: "1"
description: Get to two.
configuration: { goal: 9 }
initial_state: { agent_setup: [{ agent_id: ann }, { agent_id: ben }] }
win_conditions: [{ type: rule, rule: state.environment.arena.places.ann >= 2 }]
lose_conditions: [{ type: max_steps_reached, steps: 5 }]
`

describe("a group of agents", () => {
  it("decides and advances by promises, in rounds, and is replayed", async () => {
    const hindcast = await opened({ plugins })
    const pair = agentGroup({ name: "pair", version: "1", world: "arena", agents: { ann: always(1), ben: walker } })
    const audit = await hindcast.tasks.run(pair, { goal: "Walk", plugins: ["arena"], agents: ["ann", "ben"] })
    expect(audit).toMatchObject({ outcome: "achieved", agents: { ann: { commanded: 3 }, ben: { commanded: 3 } } })
    expect(await hindcast.replay(audit.taskId, pair)).toMatchObject({ divergence: null })
  })

  it("is refused at once where its options are wrong", async () => {
    const wrong = outside({ name: "pair", version: "1", agents: { ann: { name: "ann" } }, maxRounds: 0 })
    const refused = rejection(Promise.resolve().then(() => agentGroup(wrong)))
    expect(placesOf(await refused)).toEqual(["agents", "maxRounds"])
  })
})

describe("a scenario", () => {
  it("is played by agents by their names, from a file, and replayed with its conductor", async () => {
    const hindcast = await opened({ plugins })
    const file = path.join(directory(), "the-race.yaml")
    fs.writeFileSync(file, RACE)
    const scenario = await hindcast.scenarios.load(file)
    expect(scenario.scenario.scenario_name).toBe("The Race")
    const audit = await hindcast.scenarios.run({ ann: always(1), ben: walker }, scenario)
    expect(audit).toMatchObject({ outcome: "achieved", agent: "ann+ben@1", steps: 4 })
    const pair = agentGroup({ name: "ann+ben", version: "1", agents: { ann: always(1), ben: walker } })
    const replayed = await hindcast.replay(audit.taskId, hindcast.scenarios.conducted(pair))
    expect(replayed).toMatchObject({ verdict: "identical" })
    const lost = await hindcast.scenarios.run(
      agentGroup({ name: "pair", version: "1", agents: { ann: always(0), ben: walker } }),
      file,
    )
    expect(lost.outcome).toBe("failed")
    const single = hindcast.scenarios.run(always(1), scenario)
    expect(await rejection(single)).toMatchObject({ message: expect.stringContaining("an agent for each of ann, ben") })
  })
})
