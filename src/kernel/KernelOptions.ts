/** The configuration of a kernel. */

import { Schema } from "effect"
import * as Options from "../values/Options.ts"
import type { ProgressReport } from "./acting/policies/Progress.ts"
import { FileRecorder } from "./context/FileRecorder.ts"
import * as Gate from "./gate/Gate.ts"
import * as Supervision from "./instances/Supervision.ts"
import * as LiveJudge from "./judging/LiveJudge.ts"
import { RateLimits } from "./pacing/RateLimits.ts"
import { TreeLimits } from "./teams/TreeLimits.ts"

/** Configuration of a kernel. */
export interface KernelOptions {
  /** Default: `Gate.standard`. */
  readonly gate?: Gate.GateConfig
  /** The directory that plugins may work in: an absolute path. */
  readonly workspace: string
  /** Where the kernel keeps plugins' copies and caches: a directory next to the log. */
  readonly directory: string
  /** Seeds all randomness of this kernel. Default: drawn at random, and recorded. */
  readonly seed?: number
  /** The holder's name in messages about the lease. Default: `hindcast`. */
  readonly owner?: string
  /** Milliseconds after which an idle plugin process stops (see `Instances`). Default: no limit. */
  readonly idleMs?: number
  /**
   * The fate of open tasks when a kernel starts or ends. `abandon` closes them as `abandoned`. `resume` keeps them open
   * for `tasks.resume`, except interrupted runs and the tasks of forks. Default: `abandon`.
   */
  readonly onOpenTasks?: OnOpenTasks
  /** When a crashed plugin restarts, and when the kernel gives it up. Default: `Supervision.standard`. */
  readonly restarts?: Supervision.RestartPolicy
  /**
   * Trusts a log that this user did not write on this machine (`ForeignLog`). The user's own store records the trust.
   * Default: false.
   */
  readonly trust?: boolean
  /** Records the files of the workspace, as the tasks' commands change them. Default: they are not recorded. */
  readonly files?: FileRecorder
  /**
   * Requests and tokens a minute that all tasks of this kernel share, by `provider/model` or `provider/*`. In addition,
   * the kernel keeps to the limits that providers name in their answers. Default: only these.
   */
  readonly rateLimits?: RateLimits
  /**
   * Judges each task after it has closed, by a rubric and a model, in the background and within a budget. If the kernel
   * ends first, the next kernel with this judge continues. Default: only the measures of plugins score closed tasks.
   */
  readonly judge?: LiveJudge.JudgeOptions
  /**
   * Receives the reports of calls in progress (`context.progress`), each as it comes. The outcome of a command records
   * them together. Default: nobody does.
   */
  readonly onProgress?: (progress: ProgressReport) => void
  /** How deep and how large trees of tasks may grow (`Agent.asTool`, `parent`). Default: 4 generations, 100 tasks. */
  readonly trees?: TreeLimits
}

/** Schema of `KernelOptions.onOpenTasks`. */
export const OnOpenTasks = Schema.Literal("abandon", "resume")

export type OnOpenTasks = typeof OnOpenTasks.Type

/** Schema of `KernelOptions.onProgress`. */
export const OnProgress = Options.callable<(progress: ProgressReport) => void>()

/** Schema of `KernelOptions`. */
export const KernelOptions = Options.of<KernelOptions>({
  required: { workspace: Options.Path, directory: Options.Path },
  optional: {
    gate: Gate.GateConfig,
    seed: Options.Seed,
    owner: Options.Name,
    idleMs: Options.Milliseconds,
    onOpenTasks: OnOpenTasks,
    restarts: Supervision.RestartPolicy,
    trust: Schema.Boolean,
    files: FileRecorder,
    rateLimits: RateLimits,
    judge: LiveJudge.JudgeOptions,
    onProgress: OnProgress,
    trees: TreeLimits,
  },
})
