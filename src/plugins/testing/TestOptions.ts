/** The options of the test kit, and their schemas. */
import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { Signal } from "../author.ts"
import type { Progress } from "../process/PluginProcess.ts"
import { WantedTier } from "../sandbox/Tier.ts"
import type { Answers } from "./Answers.ts"
import type { Files } from "./directories.ts"

/** Options of `loadPlugin`. */
export interface LoadPluginOptions {
  /**
   * The workspace: an existing directory, or the contents of files by their paths, which are written to a temporary
   * directory. Default: an empty temporary directory.
   */
  readonly workspace?: string | Files
  /** Scripted answers to host requests. The host carries out requests that have no script. */
  readonly answers?: Answers
  /** The seed of `context.random`. Default: 1. */
  readonly seed?: number
  /** The value of `context.now`, in epoch milliseconds. Default: the current time. */
  readonly now?: number
  /** Accepts a manifest that `hindcast plugin add --lenient` accepts. Default: false. */
  readonly lenient?: boolean
  /** The sandbox tier. Default: the strongest that this machine has. */
  readonly sandbox?: WantedTier
  /**
   * `flags` consents to running the plugin even if only Deno's permissions confine it, as on macOS, on Windows and on
   * Linux without a second layer. Set it for a plugin that you wrote or trust. Default: without a second layer, the
   * plugin is not started.
   */
  readonly consent?: "flags"
}

/** Options of one call. */
export interface CallPluginOptions {
  /** The time-out in milliseconds. Default: the manifest's, else 30 000. */
  readonly timeoutMs?: number
  /** The id of the command that `act` carries out (`context.commandId`). Default: none. */
  readonly commandId?: string
  /** Cancels the call. */
  readonly signal?: Signal
  /** Called with each progress report of the plugin (`context.progress`). */
  readonly onProgress?: (progress: Progress) => void
}

const AnswersSchema = Options.of<Answers>({
  optional: {
    run: Options.callable<NonNullable<Answers["run"]>>(),
    fetch: Options.callable<NonNullable<Answers["fetch"]>>(),
  },
}).annotations({ description: "an object with functions run or fetch" })

/** The schema of `LoadPluginOptions`. */
export const LoadPluginOptions = Options.of<LoadPluginOptions>({
  optional: {
    workspace: Schema.Union(Options.Path, Schema.Record({ key: Schema.String, value: Schema.String })).annotations({
      description: "a directory, or the texts of files by their paths",
    }),
    answers: AnswersSchema,
    seed: Options.Seed,
    now: Options.wholeNumber(0),
    lenient: Schema.Boolean,
    sandbox: WantedTier,
    consent: Schema.Literal("flags"),
  },
})

/** The schema of `CallPluginOptions`. */
export const CallPluginOptions = Options.of<CallPluginOptions>({
  optional: {
    timeoutMs: Options.Milliseconds,
    commandId: Options.Text,
    signal: Options.kind<AbortSignal>("an AbortSignal", (value) => value instanceof AbortSignal),
    onProgress: Options.callable<(progress: Progress) => void>(),
  },
})
