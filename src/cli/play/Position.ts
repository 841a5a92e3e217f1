/** The state of a game, read from the log: the last step and the world. */
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isSpace, type Space } from "../../plugins/spaces/Space.ts"
import type { World } from "../../projections/state/Worlds.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as TaskWorlds from "../task/TaskWorlds.ts"
import type { WorldToPlay } from "./WorldToPlay.ts"

export interface LastStep {
  readonly action: Json
  /** The world's answer: reward, rewards, terminated, truncated, outcome and info; null if it refused. */
  readonly result: JsonObject | null
  /** Why the world refused the action, or why its result is unknown; null otherwise. */
  readonly refused: string | null
}

export interface Position {
  /** The log position up to which steps were read. */
  readonly at: number
  readonly step: number
  /** Null before the first action. */
  readonly last: LastStep | null
  readonly return: number
  /** `active`, `terminated`, `truncated` or `left`. */
  readonly status: string
  /** The action space, if options made it differ from the manifest's. */
  readonly action: Space | null
  /** The world to draw; null if it has no view. */
  readonly world: World | null
}

const TYPES = ["ActuatorCommanded", "CommandSucceeded", "CommandFailed", "CommandDenied"]

/** More than the events of one move. */
const PAGE = 100

/** Reads the game's state after the last move. `before` is the position before it; undefined at the start. */
export const read = (world: WorldToPlay, taskId: string, before: Position | undefined) =>
  Effect.gen(function* () {
    const after = before?.at ?? 0
    const events = yield* (yield* EventLog).readPage({ taskId, after, types: TYPES }, PAGE)
    const { documents, worlds } = yield* TaskWorlds.now(taskId)
    const episode = asObject(asObject(SafeRecord.get(documents, world.plugin)).episode)
    const [own] = Object.values(asObject(episode.agents))
    const { status, return: sum, spaces } = asObject(own)
    const { action } = asObject(spaces)
    const position: Position = {
      at: events.at(-1)?.position ?? after,
      step: typeof episode.step === "number" ? episode.step : 0,
      last: lastStep(events) ?? before?.last ?? null,
      return: typeof sum === "number" ? sum : 0,
      status: STATUSES.find((known) => known === status) ?? "active",
      action: isSpace(action) ? action : null,
      world: worlds.find(({ plugin }) => plugin === world.plugin) ?? null,
    }
    return position
  })

const lastStep = (events: ReadonlyArray<Event>): LastStep | undefined => {
  let last: LastStep | undefined
  for (const event of events) {
    if (is(event, "ActuatorCommanded")) last = { ...NOTHING, action: asObject(event.payload.args).action ?? null }
    if (last === undefined) continue
    if (is(event, "CommandSucceeded")) {
      const { result, unrecorded } = event.payload
      last =
        unrecorded === undefined
          ? { ...last, result: asObject(result) }
          : { ...last, refused: `completed, but its result was not recorded: ${unrecorded.reason}` }
    }
    if (is(event, "CommandFailed")) last = { ...last, refused: event.payload.error.message }
    if (is(event, "CommandDenied")) last = { ...last, refused: event.payload.reason }
  }
  return last
}

const NOTHING = { result: null, refused: null }

/** The possible states of an agent. Ignores any other status in a plugin's document. */
const STATUSES = ["active", "terminated", "truncated", "left"] as const
