/** The commands of a task before an event, as rules about order see them. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { EarlierCommand } from "../../rules/RuleContext.ts"

/** Maximum number of commands that a rule sees: the last ones. It bounds the time of a rule that reads all of them. */
export const MAX_COMMANDS = 500

export interface EarlierCommands {
  /** Oldest first. A returned list never changes, since rules may be evaluated in batches. */
  readonly list: () => ReadonlyArray<EarlierCommand>
  readonly apply: (event: Event) => void
}

export const start = (): EarlierCommands => {
  let commands: ReadonlyArray<EarlierCommand> = []
  const end = (id: string, outcome: EarlierCommand["outcome"]): void => {
    const index = commands.findLastIndex((command) => command.id === id)
    const found = commands[index]
    if (found !== undefined)
      commands = [...commands.slice(0, index), { ...found, outcome }, ...commands.slice(index + 1)]
  }
  return {
    list: () => commands,
    apply: (event) => {
      if (is(event, "ActuatorCommanded")) {
        const { commandId: id, actuator, args, argsDigest: digest } = event.payload
        const command = { id, actuator, args, digest, position: event.position, outcome: "open" } as const
        commands = [...commands.slice(1 - MAX_COMMANDS), command]
        return
      }
      const outcome = OUTCOMES.get(event.type)
      if (outcome !== undefined) end(String(event.payload.commandId), outcome)
    },
  }
}

const OUTCOMES: ReadonlyMap<string, EarlierCommand["outcome"]> = new Map([
  ["CommandSucceeded", "succeeded"],
  ["CommandFailed", "failed"],
  ["CommandDenied", "denied"],
  ["CommandOutcomeUnknown", "unknown"],
])
