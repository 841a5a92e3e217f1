/** A task for testing a measure's function. */
import { Effect } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { Manifest } from "../manifest/Manifest.ts"
import type { JudgeOptions } from "../process/PluginProcess.ts"

/** A task to judge. */
export interface GivenTask {
  /** In order; their positions are 1, 2, 3 … */
  readonly events: ReadonlyArray<{ readonly type: string; readonly payload?: JsonObject; readonly actor?: string }>
  /** The state at the task's end. Default: empty. */
  readonly state?: { readonly readings?: JsonObject; readonly environment?: JsonObject }
  /** Default: none. */
  readonly goal?: string
  /** Default: `test@1`. */
  readonly agent?: string
  /** Default: `achieved`. */
  readonly outcome?: string | null
  /** Default: `t1`. */
  readonly id?: string
}

/** Events per chunk; small, so that tests can have several chunks. */
const PAGE_EVENTS = 100

/** The arguments that a kernel passes to the measure's function. */
export const callOf = (
  { peas }: Manifest,
  name: string,
  { events, state = {}, goal = "", agent = "test@1", outcome = "achieved", id = "t1" }: GivenTask,
): { readonly task: JsonObject; readonly readPage: JudgeOptions["readPage"] } => {
  const measure = peas.performance.find((measure) => measure.name === name)
  const { description = "", rewards = [], punishments = [], metadata = {} } = measure ?? {}
  const all = events.map(({ type, payload = {}, actor = "kernel" }, index): JsonObject => {
    const time = { occurredAt: index, recordedAt: index }
    const eventId = `00000000-0000-7000-8000-${String(index + 1).padStart(12, "0")}`
    return { position: index + 1, id: eventId, type, actor, causationId: null, ...time, payload }
  })
  return {
    task: {
      id,
      goal,
      agent,
      outcome,
      state: { readings: {}, environment: {}, pending: {}, ...state },
      measure: { name, description, rewards: rewards.map(plain), punishments: punishments.map(plain), metadata },
    },
    readPage: (after) =>
      Effect.succeed({ events: all.slice(after, after + PAGE_EVENTS), more: all.length > after + PAGE_EVENTS }),
  }
}

const plain = (reward: object): JsonObject => ({ ...reward })
