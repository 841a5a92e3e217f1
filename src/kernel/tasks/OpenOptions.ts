/** The options of opening a task. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { RunLimits, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** The recorded agent of a task that names none. */
export const NO_AGENT = "program"

/** Options of `tasks.open`. */
export interface OpenOptions {
  readonly goal: string
  /**
   * The person whose personal data the task holds. Encrypts fields that their types declare personal under this
   * subject's key, until `PersonalData.shred` destroys it. Forks inherit it. Default: none.
   */
  readonly subject?: string
  /** The task's id, unique in the log (`TaskIdTaken`). Default: a new UUIDv7. */
  readonly id?: string
  /** The agent, as `name@version`. Default: `program`; such a task cannot resume. */
  readonly agent?: string
  /** Recorded, so that a resume keeps them. */
  readonly limits?: RunLimits
  /**
   * The id of an open task of this kernel whose child the task becomes: its budget is part of the parent's, pausing and
   * cancelling the parent reaches it, and it ends with the parent at the latest. Default: none.
   */
  readonly parent?: string
  /**
   * The names of several agents. Worlds begin with them, and each perception and command belongs to one (`agentId`).
   * Default: one agent without a name.
   */
  readonly agents?: ReadonlyArray<string>
  /** The plugins of the task. Default: all active ones at its opening. */
  readonly plugins?: ReadonlyArray<string>
  /** Options of environments by plugin, for example a scenario. Default: the scenario that the manifest names. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
  /** Seeds the agent's and the plugins' randomness. Default: drawn from the kernel's seed. */
  readonly seed?: number
  /**
   * The received signal that the task opens for. The same commit records it as handled, and as an input of the task, which
   * the agent takes before its first turn. Set by `Listener.serve`. Default: none.
   */
  readonly forSignal?: OpeningSignal
}

/** A signal that a listener received. */
export interface OpeningSignal {
  /** Its `SignalReceived`. */
  readonly event: Pick<Event, "id" | "stream" | "position">
  readonly listener: string
  /** Its own id. */
  readonly signal: string
  readonly source: string
  readonly content: Json
  /** The index of the rule that chose the agent. */
  readonly rule: number
}

const MAX_NAME = 100

/** The name of an agent in a task with several. It becomes a key of documents and a part of actors. */
export const AgentName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/),
  Schema.maxLength(MAX_NAME),
  // A world's program may keep its agents in a plain object.
  Schema.filter((name) => !(name in Object.prototype)),
  Schema.annotations({
    description: `a name of letters, digits, '.', '_', ':' and '-' that starts with a letter or digit, at most ${MAX_NAME} long`,
  }),
)

const AgentNames = Schema.Array(AgentName).pipe(
  Schema.filter((names) => names.length > 0 && new Set(names).size === names.length, {
    description: "one or more different names",
  }),
)

/** Schemas of the optional fields except `agent`. */
export const openFields = {
  // `TaskIdInvalid` says which ids are valid.
  id: Schema.String,
  agents: AgentNames,
  plugins: Schema.Array(Options.Text),
  environment: Schema.Record({ key: Schema.String, value: JsonObject }),
  seed: Options.Seed,
  subject: Options.Name,
  forSignal: Options.kind<OpeningSignal>(
    "a received signal",
    Options.has("event", "listener", "signal", "source", "rule"),
  ),
  parent: Options.Text,
}

/** Schema of `OpenOptions`. */
export const OpenOptions = Options.of<OpenOptions>({
  required: { goal: Options.Text },
  optional: { ...openFields, agent: Options.Name, limits: RunLimits },
})

/** The cause of a command or a message. */
export interface CausedBy {
  readonly causationId?: string
}

/** Schema of `CausedBy`. */
export const CausedBy = Options.of<CausedBy>({ optional: { causationId: Options.Text } })

/** Options of `say`. */
export interface SayOptions extends CausedBy {
  /** The speaking agent, in a task with several. */
  readonly agentId?: string
  /** The addressed agents. Default: all that listen. */
  readonly audience?: ReadonlyArray<string>
}

/** Schema of `SayOptions`. */
export const SayOptions = Options.of<SayOptions>({
  optional: { causationId: Options.Text, agentId: AgentName, audience: Schema.Array(AgentName) },
})

/** Options of `act`. */
export interface ActOptions extends CausedBy {
  /** The acting agent, in a task with several. */
  readonly agentId?: string
  /** The model's id of its tool call. */
  readonly callId?: string
  /** A command from a scenario is no step of an agent. */
  readonly source?: "scenario"
  /**
   * Time limit in milliseconds, including waits for its turn and for a person. Then its tool's signal aborts, and the
   * outcome says so. Default: only the tool's own limit.
   */
  readonly withinMs?: number
  /** An `interrupting` input stops it. Default: false. */
  readonly interruptible?: boolean
  /** Limits of the agent that a command calls (`Agent.asTool`). Default: as much as its task and its tool allow. */
  readonly budget?: TaskBudget
}

/** Schema of `ActOptions`. */
export const ActOptions = Options.of<ActOptions>({
  optional: {
    causationId: Options.Text,
    callId: Options.Text,
    agentId: AgentName,
    source: Schema.Literal("scenario"),
    withinMs: Schema.NonNegative,
    interruptible: Schema.Boolean,
    budget: TaskBudget,
  },
})
