/**
 * An agent that a scenario conducts: after each of its commands the scenario's triggers and conditions are looked at, what
 * falls due is recorded and done, and the run ends when the scenario is won or lost.
 *
 * All of it follows from the events of the task. A replay, a fork and a resumption find what is recorded already, and do
 * the rest.
 */

import { Effect, Either, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { ScenarioEvent, Task } from "../../kernel/tasks/Task.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Course from "./Course.ts"
import { agentsOf, asJson, type Scenario } from "./Document.ts"
import { fromJson } from "./decode.ts"
import type { Firing } from "./Triggers.ts"
import { asObject, fullName } from "./World.ts"

/** A scenario that is to be played, in the world of a plugin. */
export interface Playing {
  readonly scenario: Scenario
  readonly digest: string
  readonly plugin: string
}

/**
 * The agent, conducted by the scenario of its task: that which `ScenarioStarted` names, or, where there is none yet, the
 * one that is given, which is recorded. In a task without a scenario it works by itself.
 */
export function conducted(agent: Agent.AdvancingAgent, playing?: Playing): Agent.AdvancingAgent
export function conducted(agent: Agent.Agent, playing?: Playing): Agent.Agent
export function conducted(agent: Agent.Agent, playing?: Playing): Agent.Agent {
  const conductedBy = (task: Task) => begin(task, playing)
  const { name, version } = agent
  return "decide" in agent
    ? { name, version, conductedBy, decide: (view) => agent.decide(view) }
    : { name, version, conductedBy, advance: (task) => agent.advance(task) }
}

type ConductError = TaskClosed | AppendError | LogError

const begin = (task: Task, given: Playing | undefined): Effect.Effect<Agent.Conducted, ConductError> =>
  Effect.gen(function* () {
    const found = (yield* task.events(0)).findLast((event) => is(event, "ScenarioStarted"))
    const recorded = found !== undefined && is(found, "ScenarioStarted") ? playingOf(found.payload) : undefined
    const playing = recorded ?? given
    if (playing === undefined) return { task, ended: () => undefined }
    if (recorded === undefined) yield* task.conduct(startOf(playing))
    const conductor = conductorOf(task, playing)
    yield* conductor.look("start")
    return { task: withScenario(task, playing.scenario, conductor), ended: conductor.ended }
  })

const startOf = ({ scenario, digest, plugin }: Playing): ScenarioEvent => ({
  type: "ScenarioStarted",
  payload: { name: scenario.scenario_name, version: scenario.version, digest, plugin, scenario: asJson(scenario) },
})

/** The scenario of a recorded start; undefined if a later version of Hindcast wrote one that this one does not know. */
const playingOf = ({
  scenario,
  digest,
  plugin,
}: Extract<ScenarioEvent, { readonly type: "ScenarioStarted" }>["payload"]): Playing | undefined =>
  Either.match(fromJson(scenario), {
    onLeft: () => undefined,
    onRight: (scenario) => ({ scenario, digest, plugin }),
  })

interface Conductor {
  /** Looks at what came since the last look, and does what fell due. */
  readonly look: (when: "start" | "later") => Effect.Effect<void, ConductError>
  readonly ended: () => Agent.RunResult | undefined
}

/** Most commands that a scenario gives after one request of its agent. Repeating triggers could fire one another for ever. */
const MAX_COMMANDS = 100

const conductorOf = (task: Task, { scenario, plugin }: Playing): Conductor => {
  const course = Course.start(scenario, task.id, plugin)
  let seen = 0
  /** Read, and not taken yet. */
  let unsettled: ReadonlyArray<Event> = []
  /** The events by which responses were recorded, in order. */
  const recorded: Array<Event> = []
  /** The ids of recorded responses whose commands were given. */
  const commanded = new Set<string>()
  let isEndRecorded = false
  let ended: Agent.RunResult | undefined

  const read = Effect.gen(function* () {
    const events = yield* task.events(seen)
    seen = events.at(-1)?.position ?? seen
    for (const event of events) {
      if (is(event, "TriggerFired")) recorded.push(event)
      if (is(event, "ActuatorCommanded") && event.causationId !== null) commanded.add(event.causationId)
      isEndRecorded ||= is(event, "ScenarioEnded")
    }
    unsettled = [...unsettled, ...events]
    const settled = Course.settled(unsettled)
    unsettled = unsettled.slice(settled.length)
    return course.take(settled)
  })

  /** Gives the commands of responses that are recorded and were not given yet. Says whether there was one. */
  const command = Effect.gen(function* () {
    const due = recorded.find(({ id, payload }) => asObject(payload.response).type === "command" && !commanded.has(id))
    if (due === undefined) return false
    const { actuator, args } = asObject(due.payload.response)
    commanded.add(due.id)
    // The options are right; a command that is refused has its outcome in the log.
    yield* task
      .act(fullName(plugin, String(actuator)), asObject(args), { causationId: due.id })
      .pipe(Effect.catchTags({ InvalidOptions: Effect.die, InvalidCommand: () => Effect.void }))
    return true
  })

  /** @param given number of commands that the scenario gave since the agent's last request */
  const look = (when: "start" | "later", given = 0): Effect.Effect<void, ConductError> =>
    Effect.gen(function* () {
      if (ended !== undefined) return
      const { firings, verdict, steps } = yield* read
      const due = firings.slice(recorded.length)
      for (const firing of due) yield* task.conduct(firedBy(firing), ...consequencesOf(firing))
      if (due.length > 0) yield* read
      if (verdict === undefined) {
        if (given >= MAX_COMMANDS) {
          const reason = `the scenario ${scenario.scenario_name} gave ${given} commands after one of its agent: its triggers fire one another`
          ended = { outcome: "failed", reason, steps }
          return
        }
        if (yield* command) yield* look("later", given + 1)
        return
      }
      const { result, condition, because } = verdict
      if (!isEndRecorded) {
        yield* task.conduct({ type: "ScenarioEnded", payload: { result, condition: { ...condition }, because } })
      }
      const reason = `the scenario ${scenario.scenario_name} is ${result}: ${JSON.stringify(condition)}`
      ended =
        when === "start" && steps === 0
          ? { outcome: "failed", reason: `${reason}, before anything was done`, steps }
          : { outcome: result === "won" ? "achieved" : "failed", reason, steps }
    })
  // Commands that are given together are looked at one after the other.
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  return { look: (when) => oneAtATime(look(when)), ended: () => ended }
}

const firedBy = ({ trigger, response, because }: Firing): ScenarioEvent => ({
  type: "TriggerFired",
  payload: { trigger, response: { ...response }, because },
})

/** What is recorded together with a response. */
const consequencesOf = ({ response, because }: Firing): ReadonlyArray<ScenarioEvent> => {
  switch (response.type) {
    case "message_to_agent":
      return [
        {
          type: "InputReceived",
          payload: { source: "scenario", content: response.content, delivery: "steering" },
        },
      ]
    case "log_milestone":
      return [
        {
          type: "MilestoneReached",
          payload: {
            name: response.milestone_name,
            ...(response.agent_id === undefined ? {} : { agentId: response.agent_id }),
            because,
          },
        },
      ]
    default:
      return []
  }
}

/** The task as its agent works on it: each command is followed by a look, and nothing is answered after the end. */
const withScenario = (task: Task, scenario: Scenario, { look, ended }: Conductor): Task => {
  const open = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
    Effect.suspend((): Effect.Effect<A, E | TaskClosed> => {
      const end = ended()
      return end === undefined ? effect : new TaskClosed({ taskId: task.id })
    })
  const config = configOf(scenario)
  return {
    ...task,
    capabilities: () =>
      Effect.map(task.capabilities(), (offered) => ({ ...offered, ...(config === undefined ? {} : { config }) })),
    perceive: (...args) => open(task.perceive(...args)),
    act: (...args) => Effect.tap(open(task.act(...args)), () => look("later")),
    say: (...args) => open(task.say(...args)),
    consult: (...args) => open(task.consult(...args)),
    ask: (...args) => open(task.ask(...args)),
    inputs: (...args) => open(task.inputs(...args)),
    decided: (...args) => open(task.decided(...args)),
  }
}

/** What the scenario gives its agent to begin with. */
const configOf = (scenario: Scenario): JsonObject | undefined => {
  const config = agentsOf(scenario)[0]?.initial_agent_config
  return config === undefined ? undefined : Schema.decodeUnknownSync(JsonObject)(config)
}
