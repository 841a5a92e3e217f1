/** Options of the test kit, with their schemas. */
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
   * An existing directory, or files by path, written to a temporary directory. Default: an empty temporary directory.
   */
  readonly workspace?: string | Files
  /** Scripted answers to host requests; the host carries out the others. */
  readonly answers?: Answers
  /** The seed of `context.random`. Default: 1. */
  readonly seed?: number
  /** The value of `context.now`, in epoch milliseconds. Default: the current time. */
  readonly now?: number
  /** Accepts what `hindcast plugin add --lenient` accepts. Default: false. */
  readonly lenient?: boolean
  /** Default: the strongest tier of this machine. */
  readonly sandbox?: WantedTier
  /**
   * `flags` allows running a plugin that only Deno's permissions confine: on macOS, on Windows, and on Linux without a
   * second layer. Set it for plugins that you wrote or trust. Default: a plugin does not start without a second layer.
   */
  readonly consent?: "flags"
}

/** Options of one call. */
export interface CallPluginOptions {
  /** In milliseconds. Default: the manifest's, else 30 000. */
  readonly timeoutMs?: number
  /** The command's id (`context.commandId`), for `act`. Default: none. */
  readonly commandId?: string
  /** Cancels the call. */
  readonly signal?: Signal
  /** Receives the reports of `context.progress`. */
  readonly onProgress?: (progress: Progress) => void
}

const AnswersSchema = Options.of<Answers>({
  optional: {
    run: Options.callable<NonNullable<Answers["run"]>>(),
    fetch: Options.callable<NonNullable<Answers["fetch"]>>(),
  },
}).annotations({ description: "an object with functions run or fetch" })

/** Schema of `LoadPluginOptions`. */
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

/** Schema of `CallPluginOptions`. */
export const CallPluginOptions = Options.of<CallPluginOptions>({
  optional: {
    timeoutMs: Options.Milliseconds,
    commandId: Options.Text,
    signal: Options.kind<AbortSignal>("an AbortSignal", (value) => value instanceof AbortSignal),
    onProgress: Options.callable<(progress: Progress) => void>(),
  },
})
