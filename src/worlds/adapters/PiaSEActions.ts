/** Carries out actions under PiaSE's names and builds their results. */

import { Effect, Option, Schema } from "effect"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import type { Ended, Environment } from "../handle/Environment.ts"
import type { WorldError } from "../handle/WorldError.ts"
import { commandOf, isInvalid, messageOf } from "./Actions.ts"
import { ActionCommand, type ActionInput, type ActionResult } from "./PiaSEData.ts"
import { at, type PiaSEOptions } from "./PiaSEOptions.ts"

/** Carries out one action of an agent. */
type Submit = (agent_id: string, action_command: ActionInput) => Effect.Effect<ActionResult, WorldError>

/**
 * Carries out several actions of one agent, one after another, by descending `execution_priority`. Actions without a
 * priority come last; equal ones keep their order. The results are in the order of `commands`.
 */
export const submitAll = (
  environment: { readonly submit_action: Submit },
  agent_id: string,
  commands: ReadonlyArray<ActionInput>,
): Effect.Effect<ReadonlyArray<ActionResult>, WorldError> =>
  Effect.gen(function* () {
    const decoded = yield* Options.decode("submitAll", Schema.Array(ActionCommand), commands)
    const priority = (index: number) => decoded[index]?.execution_priority ?? Number.NEGATIVE_INFINITY
    const order = [...decoded.keys()].sort((a, b) => (priority(a) === priority(b) ? a - b : priority(b) - priority(a)))
    const results = new Map<number, ActionResult>()
    for (const index of order) {
      const command = decoded[index]
      if (command !== undefined) results.set(index, yield* environment.submit_action(agent_id, command))
    }
    return [...decoded.keys()].flatMap((index) => results.get(index) ?? [])
  })

/** Carries out an action and waits for its end, at most `answerWithinMs`. */
export const carryOut = (
  environment: Environment,
  options: PiaSEOptions,
  agent: string,
  action: ActionCommand,
): Effect.Effect<ActionResult, WorldError> =>
  Effect.gen(function* () {
    const { publicState = [], answerWithinMs } = options
    const state = publicState.length === 0 ? Effect.succeed({}) : environment.state
    const { sequence_id, execution_priority } = action
    const before = yield* state
    const acting = environment.act(agent, {
      ...commandOf(environment.name, action, options),
      ...(sequence_id === null && execution_priority === null ? {} : { choice: action }),
    })
    const ended = yield* answerWithinMs === undefined
      ? Effect.asSome(acting)
      : Effect.timeoutOption(acting, answerWithinMs)
    return Option.isNone(ended)
      ? IN_PROGRESS
      : resultOf(ended.value, environment.info.spaces !== null, changesOf(before, yield* state, publicState))
  })

const IN_PROGRESS: ActionResult = {
  status: "in_progress",
  message: "The action has not ended yet. A later perception has its result in last_action_result.",
  state_changes_summary: null,
  rewards_obtained: null,
  immediate_perception_snippet: null,
  error_details: null,
}

const resultOf = (ended: Ended, isWorld: boolean, changes: JsonObject | null): ActionResult => ({
  status: statusOf(ended),
  message: messageOf(ended),
  state_changes_summary: changes,
  rewards_obtained: rewardsOf(ended.result),
  immediate_perception_snippet: isObject(ended.result) && !isWorld ? ended.result : null,
  error_details: ended.code,
})

export const statusOf = (ended: Ended): string =>
  ended.status === "succeeded"
    ? "success"
    : ended.status === "unknown"
      ? "unknown"
      : isInvalid(ended)
        ? "invalid_action"
        : "failure"

/** The rewards in the result of a world's step, by name; under `reward` if they have no names. */
const rewardsOf = (result: Json): { readonly [name: string]: number } | null => {
  const { reward, rewards } = asObject(result)
  const named = Object.entries(asObject(rewards)).flatMap(([name, value]) =>
    typeof value === "number" ? [[name, value] as const] : [],
  )
  if (named.length > 0) return Object.fromEntries(named)
  return typeof reward === "number" ? { reward } : null
}

const changesOf = (before: Json, after: Json, pointers: ReadonlyArray<string>): JsonObject | null => {
  const changed = pointers.flatMap((pointer) => {
    const [then, now] = [at(before, pointer), at(after, pointer)]
    return JsonPatch.equal(then, now) ? [] : [[pointer, now] as const]
  })
  return pointers.length === 0 ? null : Object.fromEntries(changed)
}
