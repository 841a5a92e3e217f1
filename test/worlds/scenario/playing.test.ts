import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { about, events, seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { decoded, doing, hurrying, SOLUTION, theLostKey, theLostKeyWhole } from "./given.ts"

const kernel = Effect.flatMap(testKernel({ plugins: [inRepository("plugins", "text-room")] }), ({ start }) => start)

/** Plays a scenario, and says how its task ended, with the scenario's events. */
const played = (agent: Agent.Agent, text: string, options: Scenario.PlayOptions = {}) =>
  Effect.gen(function* () {
    const audit = yield* Scenario.run(agent, yield* decoded(text), options)
    const types = ["ScenarioStarted", "TriggerFired", "MilestoneReached", "ScenarioEnded"]
    const log = yield* EventLog
    const recorded = yield* log.readPage({ taskId: audit.taskId, types }, 1000)
    return { audit, recorded: recorded.map(({ type, payload }) => [type, payload] as const) }
  })

/** The seed's scenario with events of its own. */
const withEvents = (yaml: string) => `${theLostKey}\nevents:\n${yaml}`

const LOOKS = [
  ["look", { target: "bookshelf" }],
  ["examine", { target: "The Bookshelf" }],
  ["look", {}],
  ["look", { target: "bookshelf" }],
] as const

describe("the seed's own scenario", { timeout: 120_000 }, () => {
  it.scopedLive(
    "is won as it stands: the task is achieved when the document is carried, without a word of the agent",
    () =>
      Effect.gen(function* () {
        const { run } = yield* kernel
        const { audit, recorded } = yield* run(played(doing(SOLUTION), theLostKey))
        expect(audit).toMatchObject({ outcome: "achieved", goal: expect.stringContaining("find a lost key") })
        expect(recorded.map(([type]) => type)).toEqual(["ScenarioStarted", "ScenarioEnded"])
        expect(recorded[0]?.[1]).toMatchObject({ name: "The Lost Key", version: "1.0", plugin: "text-room" })
        expect(recorded[1]?.[1]).toMatchObject({
          result: "won",
          condition: { type: "item_in_inventory", agent_id: "PiaAgent_001", item_name: "old_document" },
        })
        const [changed] = (yield* run(events("EnvironmentChanged"))).slice(-1)
        expect(recorded[1]?.[1].because).toEqual([changed?.position])
        expect(yield* run(events("ActuatorCommanded"))).toHaveLength(SOLUTION.length)
      }),
  )

  it.scopedLive("is won by an agent that advances by itself, which gets no further answer", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const { audit } = yield* run(played(hurrying(SOLUTION), theLostKey))
      expect(audit.outcome).toBe("achieved")
      expect(yield* run(events("ActuatorCommanded"))).toHaveLength(SOLUTION.length)
    }),
  )

  it.scopedLive("is lost after its steps, refused ones too", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const short = theLostKey.replace("steps: 200", "steps: 4")
      const { audit, recorded } = yield* run(played(doing([["open", { target: "desk" }]]), short))
      expect(audit.outcome).toBe("failed")
      expect(recorded.at(-1)).toMatchObject(["ScenarioEnded", { result: "lost", condition: { steps: 4 } }])
      expect(yield* run(events("ActuatorCommanded"))).toHaveLength(4)
    }),
  )

  it.scopedLive("is open for an agent that gives up, or runs out of steps", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const { audit, recorded } = yield* run(played(doing([]), theLostKey, { maxSteps: 2 }))
      expect(audit.outcome).toBe("truncated")
      expect(recorded.map(([type]) => type)).toEqual(["ScenarioStarted"])
    }),
  )

  it.scopedLive(
    "with what it has as comments: the agent is told of the shimmer and its config, and the key is a milestone",
    () =>
      Effect.gen(function* () {
        const { run } = yield* kernel
        const views: Array<Agent.DecisionContext> = []
        const { audit, recorded } = yield* run(
          played(
            doing([...LOOKS, ...SOLUTION], (view) => void views.push(view)),
            theLostKeyWhole,
          ),
        )
        expect(audit.outcome).toBe("achieved")
        expect(recorded.slice(1)).toMatchObject([
          ["TriggerFired", { trigger: "events/0", response: { type: "message_to_agent" }, because: { length: 3 } }],
          ["TriggerFired", { trigger: "events/1" }],
          ["MilestoneReached", { name: "key_found_by_agent" }],
          ["ScenarioEnded", { result: "won" }],
        ])
        expect(views[4]?.inputs).toMatchObject([{ source: "scenario", content: expect.stringContaining("shimmer") }])
        expect(views.filter(({ inputs }) => inputs.length > 0)).toHaveLength(1)
        expect(views[0]?.config).toMatchObject({ self_model: { mood: "curious" } })
      }),
  )
})

describe("triggers and conditions", { timeout: 120_000 }, () => {
  it.scopedLive("that fire one another for ever fail the task, and are stopped", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const echo = withEvents(
        `  - { name: echo, repeat: true, trigger: { type: rule, rule: 'event.type == "CommandSucceeded"' }, response: { type: command, actuator: look } }`,
      )
      const { audit } = yield* run(played(doing([["look", {}]]), echo.replace("steps: 200", "steps: 100000")))
      expect(audit).toMatchObject({ outcome: "failed", reason: expect.stringContaining("fire one another") })
      expect((yield* run(events("ActuatorCommanded"))).length).toBeLessThanOrEqual(102)
    }),
  )

  it.scopedLive(
    "fire once unless they repeat, set flags that others wait for, and give commands that are no steps",
    () =>
      Effect.gen(function* () {
        const { run } = yield* kernel
        const text = withEvents(`
  - { name: never, trigger: { type: item_found, item_name: flashlight }, response: { type: set_flag, flag_name: lit } }
  - { name: first, trigger: { type: step_reached, steps: 2 }, response: { type: set_flag, flag_name: Half Way } }
  - { name: each, repeat: true, trigger: { type: step_reached, steps: 2 }, response: [{ type: reward, amount: 0.25 }, { type: reward, amount: 0.25 }, { type: reward, amount: 0.25, name: extra }] }
  - name: then
    trigger: { type: flag_set, flag_name: half_way }
    response: [{ type: log_milestone, milestone_name: half }, { type: command, actuator: go, args: { direction: north } }]
  - { name: seen, trigger: { type: rule, rule: 'command.actuator == "text-room/go" && event.type == "CommandSucceeded"' }, response: { type: set_flag, flag_name: document_secured } }
`)
        const { audit, recorded } = yield* run(played(doing([]), text))
        expect(audit.outcome).toBe("achieved")
        expect(recorded.slice(1)).toMatchObject([
          ["TriggerFired", { trigger: "first" }],
          ["TriggerFired", { trigger: "each" }],
          ["TriggerFired", { trigger: "each" }],
          ["TriggerFired", { trigger: "each", response: { name: "extra" } }],
          ["TriggerFired", { trigger: "then" }],
          ["MilestoneReached", { name: "half" }],
          ["TriggerFired", { trigger: "then", response: { type: "command" } }],
          ["TriggerFired", { trigger: "seen" }],
          ["ScenarioEnded", { result: "won", condition: { type: "flag_set", flag_name: "document_secured" } }],
        ])
        const commands = yield* run(events("ActuatorCommanded"))
        expect(commands.map(({ payload }) => payload.actuator)).toEqual([
          ...["text-room/look", "text-room/look", "text-room/go"],
        ])
        const rubric = Scenario.rubricOf((yield* decoded(text)).scenario)
        const scored = rubric && (yield* run(Effect.flatMap(Kernel, (kernel) => kernel.rescore({ rubric }))))
        expect(scored).toBeDefined()
        const given = (yield* run(events("RewardGiven"))).filter(
          ({ payload }) => payload.scoreSetId === scored?.scoreSetId,
        )
        expect(given.map(({ payload }) => [payload.name, payload.amount])).toEqual([
          ["each", 0.5],
          ["extra", 0.25],
        ])
      }),
  )

  it.scopedLive("a rule that repeats fires when it becomes true, and not again because a flag was set meanwhile", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const text = withEvents(`
  - { name: rule, repeat: true, trigger: { type: rule, rule: 'state.environment["text-room"].steps >= 1' }, response: { type: log_milestone, milestone_name: begun } }
  - { name: flag, trigger: { type: step_reached, steps: 2 }, response: { type: set_flag, flag_name: lit } }
`)
      const { recorded } = yield* run(played(doing([]), text, { maxSteps: 5 }))
      expect(recorded.flatMap(([type, { trigger }]) => (type === "TriggerFired" ? [trigger] : []))).toEqual([
        "rule",
        "flag",
      ])
    }),
  )

  it.scopedLive("a rule and a condition on the agent's state end it", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const losing = (condition: string) =>
        theLostKey.replace(/- type: "max_steps_reached"\n {4}steps: 200/, `- ${condition}`)
      for (const condition of [
        "{ type: agent_state_condition, agent_id: PiaAgent_001, condition: refusals >= 2 }",
        `{ type: rule, rule: 'state.environment["text-room"].refusals >= 2' }`,
      ]) {
        const { audit, recorded } = yield* run(
          played(
            doing([
              ["open", { target: "desk" }],
              ["look", {}],
              ["read", { target: "desk" }],
            ]),
            losing(condition),
          ),
        )
        expect(audit).toMatchObject({ outcome: "failed" })
        expect(recorded.at(-1)).toMatchObject(["ScenarioEnded", { result: "lost" }])
      }
      const won = theLostKey
        .replace('type: "flag_set" # Example alternative', "type: rule\n    rule: task.goal != ''")
        .replace('    agent_id: "PiaAgent_001"\n    flag_name: "document_secured"\n', "")
      const { audit } = yield* run(played(doing([]), won))
      expect(audit).toMatchObject({ outcome: "failed", reason: expect.stringContaining("before anything was done") })
    }),
  )
})

describe("a scenario's task", { timeout: 120_000 }, () => {
  it.scopedLive("is replayed, also by an agent that was not given the scenario, and forked, with the same end", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const { audit, recorded } = yield* run(played(doing([...LOOKS, ...SOLUTION]), theLostKeyWhole))
      const kernelOf = yield* run(Kernel)
      const replayed = yield* kernelOf.replay(audit.taskId, Scenario.conducted(doing([...LOOKS, ...SOLUTION])))
      expect(replayed).toMatchObject({ verdict: "identical", divergence: null })

      const third = (yield* run(events("DecisionMade")))[2]
      const forked = yield* kernelOf.fork(Scenario.conducted(doing([...LOOKS, ...SOLUTION])), {
        at: `@${third?.position}`,
        task: audit.taskId,
      })
      expect(forked.audit.outcome).toBe("achieved")
      const log = yield* run(EventLog)
      const inFork = yield* log.readPage(
        { timeline: forked.timeline, types: ["TriggerFired", "MilestoneReached", "ScenarioEnded"] },
        1000,
      )
      const withoutPlaces = ({ because: _, ...payload }: { readonly [key: string]: unknown }) => payload
      expect(inFork.map(({ type, payload }) => [type, withoutPlaces(payload)])).toEqual(
        recorded.slice(1).map(([type, payload]) => [type, withoutPlaces(payload)]),
      )
    }),
  )

  it.scopedLive("is resumed by a kernel that finds a response half done, and everything happens once", () =>
    Effect.gen(function* () {
      const options = { plugins: [inRepository("plugins", "text-room")], onOpenTasks: "resume" } as const
      const directory = yield* temporaryDirectory
      const agent = doing([...LOOKS, ...SOLUTION])
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel({ ...options, directory })).start
        yield* Effect.forkDaemon(Effect.exit(run(played(agent, theLostKeyWhole, { id: "left-open" }))))
        yield* run(seen(about("TriggerFired")))
      }).pipe(Effect.scoped)
      const { run } = yield* (yield* testKernel({ ...options, directory })).start
      const kernelOf = yield* run(Kernel)
      const audit = yield* kernelOf.tasks.resume("left-open", Scenario.conducted(agent))
      expect(audit.outcome).toBe("achieved")
      const types = ["ScenarioStarted", "TriggerFired", "InputReceived", "MilestoneReached", "ScenarioEnded"]
      expect((yield* run(events(...types))).map(({ type }) => type)).toEqual([
        ...["ScenarioStarted", "TriggerFired", "InputReceived", "TriggerFired", "MilestoneReached", "ScenarioEnded"],
      ])
      expect(yield* kernelOf.replay("left-open", Scenario.conducted(agent))).toMatchObject({ verdict: "identical" })
    }),
  )

  it.scopedLive("comes to the same by its events, however they are cut into pieces", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const { audit } = yield* run(played(doing([...LOOKS, ...SOLUTION]), theLostKeyWhole))
      const { scenario } = yield* decoded(theLostKeyWhole)
      const log = yield* run(EventLog)
      const all = yield* log.readPage({ taskId: audit.taskId }, 1000)
      const whole = Scenario.Course.start(scenario, audit.taskId, "text-room").take(all)
      expect(whole.end).toMatchObject({ result: "won" })
      for (const size of [1, 2, 7]) {
        const fold = Scenario.Course.start(scenario, audit.taskId, "text-room")
        let unsettled: typeof all = []
        let course = fold.take([])
        for (let at = 0; at < all.length; at += size) {
          unsettled = [...unsettled, ...all.slice(at, at + size)]
          // A command's end and the change that it made are one commit, and read together.
          if (all[at + size]?.type === "EnvironmentChanged") continue
          const settled = Scenario.Course.settled(unsettled)
          unsettled = unsettled.slice(settled.length)
          course = fold.take(settled)
        }
        expect(course).toEqual(whole)
      }
    }),
  )

  it.scopedLive("is lost in a fork whose agent does otherwise", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const { audit } = yield* run(played(doing(SOLUTION), theLostKey.replace("steps: 200", "steps: 9")))
      const kernelOf = yield* run(Kernel)
      const fifth = (yield* run(events("DecisionMade")))[4]
      const forked = yield* kernelOf.fork(Scenario.conducted(doing(SOLUTION.slice(0, 4))), {
        at: `@${fifth?.position}`,
        task: audit.taskId,
      })
      expect(audit.outcome).toBe("achieved")
      expect(forked.audit.outcome).toBe("failed")
    }),
  )

  it.scopedLive("is not opened where the scenario names what the world does not have", () =>
    Effect.gen(function* () {
      const { run } = yield* kernel
      const registry = (yield* run(Kernel)).plugins
      const text = withEvents(`
  - { trigger: { type: action_taken, action_type: dance }, response: { type: command, actuator: sing } }
`)
      const refused = yield* Effect.flip(
        Effect.flatMap(decoded(text), (loaded) =>
          Effect.flatMap(registry.state, (state) => Either.map(Scenario.inWorld(loaded, state), () => undefined)),
        ),
      )
      expect(refused.message).toMatch(
        /\d+:38 \/events\/0\/trigger\/action_type: expected an actuator of text-room \(look/,
      )
      expect(refused.message).toMatch(
        /\/events\/0\/response\/actuator: expected an actuator of text-room .* found "sing"/,
      )
      const elsewhere = yield* decoded(theLostKey.replace("TextBasedRoom", "Moon"))
      expect(Either.isLeft(Scenario.inWorld(elsewhere, yield* registry.state))).toBe(true)
      expect(yield* run(events("TaskOpened"))).toEqual([])
    }),
  )
})
