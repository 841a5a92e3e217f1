import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Transitions from "../../../src/projections/exports/Transitions.ts"
import * as AgentGroup from "../../../src/worlds/group/AgentGroup.ts"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { events, seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { decoded, mistakesIn } from "./given.ts"

const plugins = ["arena", "duel"].map((name) => inRepository(`test/worlds/samples/${name}`))

const kernel = Effect.flatMap(testKernel({ plugins }), ({ start }) => start)

const scenario = (rest: string) => `
scenario_name: The Race
environment_type: arena
version: "1.0"
description: Be at seven together.
configuration: { goal: 9 }
initial_state:
  agent_setup:
    - { agent_id: ann, initial_agent_config: { goals: [run], settings: { pace: 1 } } }
    - { agent_id: ben, initial_agent_config: { goals: [rest] } }
${rest}`

const RACE = scenario(`
win_conditions:
  - { type: rule, rule: 'state.environment.arena.places.ann >= 4' }
lose_conditions:
  - { type: max_steps_reached, steps: 20 }
events:
  - { name: off, trigger: { type: step_reached, steps: 1 }, response: { type: message_to_agent, agent_id: ben, content: go } }
  - { name: half, trigger: { type: rule, rule: 'state.environment.arena.places.ann >= 2' }, response: [{ type: message_to_agent, content: half }, { type: log_milestone, agent_id: ann, milestone_name: half }] }
  - { name: wave, trigger: { type: step_reached, agent_id: ben, steps: 2 }, response: { type: command, actuator: wave, agent_id: ben } }
`)

/** Takes one action for ever, and tells what it sees. */
const always = (action: number, told: (view: Agent.DecisionContext) => void = () => {}): Agent.DecidingAgent => ({
  name: `always-${action}`,
  version: "1",
  decide: (view) => {
    told(view)
    return { act: "arena/step", args: { action } }
  },
})

const types = ["ScenarioStarted", "TriggerFired", "MilestoneReached", "ScenarioEnded", "AgentLeft"]

const played = (players: Scenario.Players, text = RACE, options: Scenario.PlayOptions = {}) =>
  Effect.gen(function* () {
    const audit = yield* Scenario.run(players, yield* decoded(text), { seed: 3, ...options })
    const log = yield* EventLog
    const recorded = yield* log.readPage({ taskId: audit.taskId, types }, 1000)
    return { audit, recorded: recorded.map(({ type, payload }) => [type, payload] as const) }
  })

describe("a scenario of several agents", { timeout: 120_000 }, () => {
  it.scopedLive(
    "is played by a group of them: each has its config, is told what is for it, and the end is everybody's",
    () =>
      Effect.gen(function* () {
        const { run } = yield* kernel
        const views: Array<readonly [string, Agent.DecisionContext]> = []
        const agents = {
          ann: always(1, (view) => void views.push(["ann", view])),
          ben: always(0, (view) => void views.push(["ben", view])),
        }
        const { audit, recorded } = yield* run(played(agents))
        expect(audit).toMatchObject({ outcome: "achieved", agent: "ann+ben@1", steps: 8 })
        expect(audit.reason).toContain("the scenario The Race is won")
        expect(recorded.slice(1)).toMatchObject([
          ["TriggerFired", { trigger: "off" }],
          ["TriggerFired", { trigger: "half", response: { type: "message_to_agent" } }],
          ["TriggerFired", { trigger: "half", response: { type: "log_milestone" } }],
          ["MilestoneReached", { name: "half", agentId: "ann" }],
          ["TriggerFired", { trigger: "wave" }],
          ["ScenarioEnded", { result: "won" }],
          ["AgentLeft", { agentId: "ann", outcome: "achieved" }],
          ["AgentLeft", { agentId: "ben", outcome: "achieved" }],
        ])
        const heard = (name: string) =>
          views.flatMap(([who, { inputs }]) => (who === name ? inputs.map(({ content }) => content) : []))
        expect({ ann: heard("ann"), ben: heard("ben") }).toEqual({ ann: ["half"], ben: ["go", "half"] })
        const configs = new Map(views.map(([who, { config }]) => [who, config]))
        expect(configs.get("ann")).toEqual({ goals: ["run"], settings: { pace: 1 } })
        expect(configs.get("ben")).toEqual({ goals: ["rest"] })
        // What the scenario commands is no step of an agent.
        expect(audit.acting).toMatchObject({ commanded: 8 })
        expect(audit.agents?.ben).toMatchObject({ commanded: 4, outcome: "achieved" })
        const log = yield* run(EventLog)
        const builder = Transitions.begin(audit, null)
        for (const event of yield* log.readPage({ taskId: audit.taskId }, 1000)) builder.add(event)
        const transitions = [...builder.transitions()]
        expect(transitions.map(({ action }) => action.actuator)).toEqual(Array.from({ length: 8 }, () => "arena/step"))
        const waved = (yield* run(events("ActuatorCommanded"))).filter(
          ({ payload }) => payload.actuator === "arena/wave",
        )
        expect(waved.map(({ payload }) => payload)).toMatchObject([{ agentId: "ben", source: "scenario" }])
      }),
  )

  it.scopedLive("is replayed, forked with one of them replaced, and resumed where a command of its was cut off", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const options = { plugins, directory, onOpenTasks: "resume" } as const
      const group = (ben = 0) =>
        AgentGroup.make({ name: "pair", version: "1", agents: { ann: always(1), ben: always(ben) } })
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel(options)).start
        yield* Effect.forkDaemon(Effect.exit(run(played(group(), RACE, { id: "left-open" }))))
        yield* run(seen((event) => event.type === "ActuatorCommanded" && event.payload.source === "scenario"))
      }).pipe(Effect.scoped)
      const { run } = yield* (yield* testKernel(options)).start
      const kernelOf = yield* run(Kernel)
      const audit = yield* kernelOf.tasks.resume("left-open", Scenario.conducted(group()))
      expect(audit).toMatchObject({ outcome: "achieved", steps: 8 })
      const commanded = yield* run(events("ActuatorCommanded"))
      expect(commanded.filter(({ payload }) => payload.source === "scenario")).toHaveLength(1)
      expect(yield* run(events("AgentLeft"))).toHaveLength(2)
      expect(yield* kernelOf.replay("left-open", Scenario.conducted(group()))).toMatchObject({ verdict: "identical" })

      const cutOff = commanded.find(({ payload }) => payload.source === "scenario")
      const again = yield* kernelOf.fork(Scenario.conducted(group()), {
        task: "left-open",
        at: cutOff?.position ?? 0,
        timeline: "again",
      })
      expect(again.audit).toMatchObject({ outcome: "achieved", steps: 8 })
      const log = yield* run(EventLog)
      const inFork = yield* log.readPage({ timeline: "again", types: ["ActuatorCommanded", "CommandSucceeded"] }, 1000)
      const waves = inFork
        .filter(({ payload }) => payload.source === "scenario")
        .map(({ payload }) => payload.commandId)
      const succeeded = inFork.filter(({ type }) => type === "CommandSucceeded").map(({ payload }) => payload.commandId)
      // The one that was cut off goes on, and is not given again.
      expect(waves).toEqual([])
      expect(succeeded.filter((commandId) => commandId === cutOff?.payload.commandId)).toHaveLength(1)

      const decided = yield* run(events("DecisionMade"))
      const forked = yield* kernelOf.fork(Scenario.conducted(group(1)), {
        task: "left-open",
        at: decided[2]?.position ?? 0,
        timeline: "other",
      })
      expect(forked.audit).toMatchObject({ outcome: "achieved", steps: 8 })
    }),
  )

  it.scopedLive(
    "is won by whoever meets a condition, or by every agent where it says so, and lost by steps of one",
    () =>
      Effect.gen(function* () {
        const { run } = yield* kernel
        const flags = (condition: string, lost = "{ type: max_steps_reached, steps: 4 }") =>
          scenario(`
win_conditions: [${condition}]
lose_conditions: [${lost}]
events:
  - { trigger: { type: action_taken, agent_id: ben, action_type: "0" }, response: { type: set_flag, agent_id: ben, flag_name: Rested } }
  - { trigger: { type: action_taken, agent_id: ann, action_type: "0", count: 2 }, response: { type: set_flag, agent_id: ann, flag_name: rested } }
`)
        const agents = { ann: always(1), ben: always(0) }
        const one = yield* run(played(agents, flags("{ type: flag_set, flag_name: rested }")))
        expect(one.recorded.find(([type]) => type === "ScenarioEnded")?.[1]).toMatchObject({
          result: "won",
          agentId: "ben",
        })
        const other = yield* run(played(agents, flags("{ type: flag_set, agent_id: ann, flag_name: rested }")))
        expect(other.audit).toMatchObject({ outcome: "failed", steps: 8 })
        const every = flags("{ type: flag_set, every_agent: true, flag_name: rested }")
        expect((yield* run(played(agents, every))).audit.outcome).toBe("failed")
        const both = yield* run(played({ ann: always(0), ben: always(0) }, every))
        expect(both.audit).toMatchObject({ outcome: "achieved", steps: 4 })
        const short = flags(
          "{ type: flag_set, agent_id: ann, flag_name: rested }",
          "{ type: max_steps_reached, agent_id: ben, steps: 1 }",
        )
        expect((yield* run(played(agents, short))).audit).toMatchObject({ outcome: "failed", steps: 2 })
      }),
  )

  it.scopedLive("is refused where the agents are not its own, the world is for fewer, or nobody takes a step", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const refused = (players: Scenario.Players) =>
        Effect.map(Effect.flip(run(played(players))), ({ message }) => message)
      expect(yield* refused(always(1))).toContain("expected an agent for each of ann, ben, found a single agent")
      expect(yield* refused({ ann: always(1), cem: always(1) })).toContain("found ann, cem")
      const registry = (yield* run(Kernel)).plugins
      const inArena = (text: string) =>
        Effect.flatMap(decoded(text), (loaded) =>
          Effect.map(
            registry.state,
            (state) => Either.getOrThrow(Either.flip(Scenario.inWorld(loaded, state))).message,
          ),
        )
      expect(
        yield* inArena(RACE.replace("actuator: wave, agent_id: ben", "actuator: step, args: { action: 1 }")),
      ).toContain("expected the agent_id of the agent that takes the step: several agents take part, found none")
      const crowd = RACE.replace(
        "    - { agent_id: ben",
        `${["c", "d", "e", "f"].map((id) => `    - { agent_id: ${id} }\n`).join("")}    - { agent_id: ben`,
      )
      expect(yield* inArena(crowd)).toContain("expected at most 5 agents, the maximum of its world, found 6 agents")
      expect(yield* mistakesIn(RACE.replace("agent_id: ann,", 'agent_id: "ann b",'))).toEqual(
        expect.arrayContaining([expect.stringContaining('required for several agents, found "ann b"')]),
      )
      expect(yield* run(events("TaskOpened"))).toEqual([])
    }),
  )
})
