/** The options of memories: what to remember, what to recall, and the embedding model. */

import { Schema } from "effect"
import { Moment } from "../events/read/Moment.ts"
import * as Options from "../values/Options.ts"
import { Embedding } from "./Embedding.ts"

/** Options of `remember`. */
export interface RememberOptions {
  /** The memory in words, at most 8,000 characters. */
  readonly text: string
  /** The agent that it belongs to, without a version. Default: none. */
  readonly agent?: string
  /** The user that it is about. Default: none. */
  readonly user?: string
  /**
   * The person whose personal data it is: its text, user and vector are encrypted until `PersonalData.shred`. Default:
   * the subject of `taskId`, else none.
   */
  readonly subject?: string
  /** The task that it comes from. Default: none. */
  readonly taskId?: string
  /**
   * Makes the call repeatable: the same key finds the memory that it stored on this timeline instead of storing it
   * again. Fails if that memory belongs to another agent, user or subject. Keep personal data out of it. Default: each call stores a memory.
   */
  readonly key?: string
  /** Who stores it: an agent, the program, or an agent's guide. Default: `program`. */
  readonly source?: "agent" | "program" | "guide"
  /** The event that made it be stored. Default: none. */
  readonly causationId?: string
  /** Default: `main`. */
  readonly timeline?: string
}

/** A name, several, or null for none. */
export type Names = string | null | ReadonlyArray<string | null>

/** Selects memories. */
export interface MemoryScope {
  /** Only memories of this agent, or of one of these; null: of none. Default: of all. */
  readonly agent?: Names
  /** Only memories about this user, or about one of these; null: about none. Default: about all. */
  readonly user?: Names
  /** Only memories with this subject's personal data; null: only those without personal data. Default: both. */
  readonly subject?: Names
}

/** The moment of a recall: what was remembered then. */
export interface RecallMoment {
  /**
   * Only memories up to this moment, such as `412`, `"fork-1@412"` or a time. A fork remembers what its parents did up
   * to the fork point, and what it stored itself. Default: now, on `main`.
   */
  readonly at?: Moment
}

/** Options of `recall`. */
export interface RecallOptions extends MemoryScope, RecallMoment {
  /** The question, in words. */
  readonly query: string
  /** Maximum number of memories, up to 100. Default: 8. */
  readonly limit?: number
}

/** Options of `list`. */
export interface ListOptions extends MemoryScope, RecallMoment {
  /** Maximum number of memories. Default: 100. */
  readonly limit?: number
}

/** Longest text of a memory, in characters. */
const LONGEST_TEXT = 8_000

export const LIMIT = 8
export const LIST_LIMIT = 100

const MOST_RECALLED = 100
const MOST_LISTED = 10_000

const MemoryText = Options.Text.pipe(
  Schema.filter((text) => text.length <= LONGEST_TEXT),
  Schema.annotations({
    description: `text of 1 to ${LONGEST_TEXT} characters, not blank and without broken characters`,
  }),
)

const OneName = Schema.NullOr(Options.Name)

const NamesOrNull: Schema.Schema<Names> = Schema.Union(OneName, Schema.Array(OneName)).annotations({
  description: "a name, null, or a list of them",
})

const scope = { agent: NamesOrNull, user: NamesOrNull, subject: NamesOrNull }

const moment = { at: Moment }

/** Schema of `RememberOptions`. */
export const RememberOptions = Options.of<RememberOptions>({
  required: { text: MemoryText },
  optional: {
    agent: Options.Name,
    user: Options.Name,
    subject: Options.Name,
    taskId: Options.Text,
    key: Options.Text,
    source: Schema.Literal("agent", "program", "guide"),
    causationId: Options.Text,
    timeline: Options.Name,
  },
})

/** Schema of `RecallOptions`. */
export const RecallOptions = Options.of<RecallOptions>({
  required: { query: Options.Text },
  optional: { ...scope, ...moment, limit: Options.wholeNumber(1, MOST_RECALLED) },
})

/** Schema of `ListOptions`. */
export const ListOptions = Options.of<ListOptions>({
  optional: { ...scope, ...moment, limit: Options.wholeNumber(1, MOST_LISTED) },
})

/** The task of a call, for `MemoriesOptions.scope`. */
export interface RememberingTask {
  readonly taskId: string
  readonly goal: string
  /** The agent's name, without its version. */
  readonly agent: string
}

/** The option `memories` of a kernel. */
export interface MemoriesOptions {
  /**
   * An embedding model, by which recalls also find memories that say the same in other words. Default: none; recalls
   * compare words.
   */
  readonly embedding?: Embedding
  /**
   * The agent and the user whose memories the tools of a task store and recall. Default: the task's agent, and no user.
   * The task's subject always separates them too.
   */
  readonly scope?: (task: RememberingTask) => {
    readonly agent?: string | undefined
    readonly user?: string | undefined
  }
  /**
   * Also declares the sensor `program/memories`, which recalls by the task's newest input, or its goal. Default: false.
   */
  readonly sensor?: boolean
}

/** Schema of `MemoriesOptions`. */
export const MemoriesOptions = Options.of<MemoriesOptions>({
  optional: {
    embedding: Embedding,
    scope: Options.callable<NonNullable<MemoriesOptions["scope"]>>(),
    sensor: Schema.Boolean,
  },
}).annotations({ description: "an object with embedding, scope or sensor" })
