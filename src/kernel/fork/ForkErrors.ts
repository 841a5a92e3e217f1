/** The errors of a refused fork. */

import { Data } from "effect"
import type { Divergence } from "../replay/Divergence.ts"
import { FilesNotRestored } from "./FilesRestoration.ts"
import { OverrideInvalid } from "./Overrides.ts"
import { WorldDiffers } from "./RestorationCheck.ts"
import { WorldNotRewound } from "./WorldRestoration.ts"

/** The event at that position belongs to no task. Name one. */
export class TaskNotNamed extends Data.TaggedError("TaskNotNamed")<{ readonly at: number }> {
  override get message() {
    return `@${this.at} belongs to no task. Name the task (\`task\`, \`--task\`), or fork at one of its events.`
  }
}

/** The agent does not repeat the recorded decisions. Fork with one that does, or start it fresh. */
export class AgentDiverged extends Data.TaggedError("AgentDiverged")<{
  readonly agent: string
  readonly divergence: Divergence
  readonly consequence: string
}> {
  override get message() {
    const { kind, position, expected, found } = this.divergence
    return (
      `Agent ${this.agent} diverged from the recording @${position} (${kind}), before the moment of the fork: ` +
      `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}. ${this.consequence} Start the agent at the moment of the fork instead (\`fresh\`, \`--fresh\`).`
    )
  }
}

export const withConsequence =
  (consequence: () => string) =>
  <E>(error: E): E | FilesNotRestored | WorldDiffers | WorldNotRewound | OverrideInvalid => {
    if (error instanceof WorldDiffers) return new WorldDiffers({ ...error, consequence: consequence() })
    if (error instanceof WorldNotRewound) return new WorldNotRewound({ ...error, consequence: consequence() })
    if (error instanceof FilesNotRestored) return new FilesNotRestored({ ...error, consequence: consequence() })
    if (error instanceof OverrideInvalid) return new OverrideInvalid({ ...error, consequence: consequence() })
    return error
  }
