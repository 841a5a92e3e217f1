import { Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** What a task is opened with. */
export interface OpenOptions {
  readonly goal: string
  /** What the task is called; one that a task of the log has is refused (`TaskIdTaken`). Default: a new UUIDv7. */
  readonly id?: string
  /** Who works on it, as the log names it: `name@version`. Default: `program`. */
  readonly agent?: string
  /** The plugins that take part. Default: every one that is active when the task is opened. */
  readonly plugins?: ReadonlyArray<string>
  /** Options of environments, by plugin: a scenario, say. Default: what each manifest names. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
  /** Seeds the agent's and the plugins' randomness. Default: drawn from the kernel's seed. */
  readonly seed?: number
}

/** A schema for each that may be left out, but who works on it. */
export const openFields = {
  // What an id may be is said by `TaskIdInvalid`.
  id: Schema.String,
  plugins: Schema.Array(Options.Text),
  environment: Schema.Record({ key: Schema.String, value: JsonObject }),
  seed: Options.Seed,
}

/** Their schema. */
export const OpenOptions = Options.of<OpenOptions>({
  required: { goal: Options.Text },
  optional: { ...openFields, agent: Options.Name },
})

/** What a command or a message follows from. */
export interface CausedBy {
  readonly causationId?: string
}

/** Their schema. */
export const CausedBy = Options.of<CausedBy>({ optional: { causationId: Options.Text } })
