/**
 * Runs an agent or a group in a scenario. After each command, evaluates the scenario's triggers and conditions, then
 * records and carries out the due responses. The run ends when the scenario is won or lost.
 *
 * All of this follows from the events of the task: a replay, a fork and a resumed task find the recorded part and do
 * the rest.
 */

import { Effect, Either } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Agent from "../../kernel/agents/Agent.ts"
import type { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { ScenarioEvent, Task } from "../../kernel/tasks/Task.ts"
import * as ConductedTask from "./ConductedTask.ts"
import * as Course from "./Course.ts"
import { asJson, type Scenario } from "./Document.ts"
import { fromJson } from "./decode.ts"
import * as RecordedResponses from "./RecordedResponses.ts"
import { asObject, fullName } from "./World.ts"

/** A scenario to play in the world of a plugin. */
export interface Playing {
  readonly scenario: Scenario
  readonly digest: string
  readonly plugin: string
}

/**
 * Puts an agent under its task's scenario: the one in `ScenarioStarted`, otherwise `playing`, which is then recorded.
 * Without either, the agent works alone. A group stays a group.
 */
export function conducted(agent: Agent.GroupAgent, playing?: Playing): Agent.GroupAgent
export function conducted(agent: Agent.AdvancingAgent, playing?: Playing): Agent.AdvancingAgent
export function conducted(agent: Agent.Agent, playing?: Playing): Agent.Agent
export function conducted(agent: Agent.Agent, playing?: Playing): Agent.Agent {
  const conductedBy = (task: Task) => begin(task, playing)
  const { name, version } = agent
  if ("decide" in agent) return { name, version, conductedBy, decide: (context) => agent.decide(context) }
  const advance: Agent.AdvancingAgent["advance"] = (task) => agent.advance(task)
  if (!Agent.isGroup(agent)) return { name, version, conductedBy, advance }
  const withAgents: Agent.GroupAgent["withAgents"] = (agents, limits) =>
    conducted(agent.withAgents(agents, limits), playing)
  const { agents, maxRounds } = agent
  const limits = maxRounds === undefined ? {} : { maxRounds }
  const group: Agent.GroupAgent = { name, version, conductedBy, advance, agents, ...limits, withAgents }
  return group
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
    return { task: ConductedTask.of(task, playing.scenario, conductor), ended: conductor.ended }
  })

const startOf = ({ scenario, digest, plugin }: Playing): ScenarioEvent => ({
  type: "ScenarioStarted",
  payload: { name: scenario.scenario_name, version: scenario.version, digest, plugin, scenario: asJson(scenario) },
})

/** The recorded scenario; undefined if a later version of Hindcast wrote one that this version cannot decode. */
const playingOf = ({
  scenario,
  digest,
  plugin,
}: Extract<ScenarioEvent, { readonly type: "ScenarioStarted" }>["payload"]): Playing | undefined =>
  Either.match(fromJson(scenario), {
    onLeft: () => undefined,
    onRight: (scenario) => ({ scenario, digest, plugin }),
  })

/**
 * Maximum number of a scenario's commands per request of its agent: repeating triggers could fire each other forever.
 */
const MAX_COMMANDS = 100

const conductorOf = (task: Task, { scenario, plugin }: Playing): ConductedTask.Conductor => {
  const course = Course.start(scenario, task.id, plugin)
  const responses = RecordedResponses.start()
  let seen = 0
  /** Events that were read but not processed yet. */
  let unsettled: ReadonlyArray<Event> = []
  let ended: Agent.RunResult | undefined

  const read = Effect.gen(function* () {
    const events = yield* task.events(seen)
    seen = events.at(-1)?.position ?? seen
    responses.take(events)
    unsettled = [...unsettled, ...events]
    const settled = Course.settled(unsettled)
    unsettled = unsettled.slice(settled.length)
    return course.take(settled)
  })

  /** Gives the next recorded command that was not carried out yet. Returns whether there was one. */
  const command = Effect.gen(function* () {
    const due = responses.dueCommand()
    if (due === undefined) return false
    const { actuator, args, agent_id } = asObject(due.payload.response)
    const agent = responses.agents() === undefined || typeof agent_id !== "string" ? {} : { agentId: agent_id }
    // The options are valid. A refused command has its outcome in the log.
    yield* task
      .act(fullName(plugin, String(actuator)), asObject(args), { causationId: due.id, source: "scenario", ...agent })
      .pipe(Effect.catchTags({ InvalidOptions: Effect.die, InvalidCommand: () => Effect.void }))
    responses.carriedOut(due.id)
    return true
  })

  /** @param given number of the scenario's commands since the agent's last request */
  const look = (when: "start" | "later", given = 0): Effect.Effect<void, ConductError> =>
    Effect.gen(function* () {
      if (ended !== undefined) return
      const { firings, end, steps } = yield* read
      const due = firings.slice(responses.firings())
      for (const firing of due) {
        yield* task.conduct(
          RecordedResponses.firedBy(firing),
          ...RecordedResponses.consequencesOf(firing, responses.agents()),
        )
      }
      if (due.length > 0) yield* read
      if (end === undefined) {
        if (given >= MAX_COMMANDS) {
          const reason = `the scenario ${scenario.scenario_name} gave ${given} commands after one of its agent: its triggers fire one another`
          ended = { outcome: "failed", reason, steps }
          return
        }
        if (yield* command) yield* look("later", given + 1)
        return
      }
      const { result, condition, because, agentId } = end
      const isAtStart = when === "start" && steps === 0
      const outcome = result === "won" && !isAtStart ? "achieved" : "failed"
      const ending = `the scenario ${scenario.scenario_name} is ${result}: ${JSON.stringify(condition)}`
      const reason = isAtStart ? `${ending}, before anything was done` : ending
      if (!responses.isEnded()) {
        const by = agentId === undefined ? {} : { agentId }
        const left = responses
          .present()
          .map((each): ScenarioEvent => ({ type: "AgentLeft", payload: { agentId: each, outcome, reason } }))
        yield* task.conduct(
          { type: "ScenarioEnded", payload: { result, condition: { ...condition }, because, ...by } },
          ...left,
        )
      }
      ended = { outcome, reason, steps }
    })
  // Commands of one round are processed one after another.
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  return { look: (when) => oneAtATime(look(when)), ended: () => ended }
}
