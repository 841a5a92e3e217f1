/** Records which of the gate's rules do not apply to a session's server, and tells the user. */

import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as Calls from "./Calls.ts"
import type { Kept } from "./Kept.ts"
import * as RuleCoverage from "./RuleCoverage.ts"

export interface IdleRules {
  readonly opened: () => Promise<void>
  /** Takes the names of all tools. Says the same once. */
  readonly listed: (names: ReadonlyArray<string>) => Promise<void>
}

interface Parts {
  readonly gate: GateConfig
  readonly server: string
  readonly kept: Kept
  /** The event that opened the session. */
  readonly cause: string
  readonly note: (text: string) => void
}

const KIND = "rules without a tool"

export const make = ({ gate, server, kept, cause, note }: Parts): IdleRules => {
  let last: string | undefined
  const say = async (said: string | undefined): Promise<void> => {
    if (said === undefined || said === last) return
    last = said
    note(said)
    await kept.message(KIND, { said }, cause, said.length)
  }
  return {
    opened: () => say(RuleCoverage.ofOthers(gate, server)),
    listed: (names) =>
      say(
        RuleCoverage.ofNoTool(
          gate,
          server,
          names.map((name) => Calls.actuatorOf(server, name)),
        ),
      ),
  }
}
