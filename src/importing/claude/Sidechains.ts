/** Finds the sub-agent of each record inside its parent session's file. */

import { field, nameFrom, textOf } from "../runs/Untrusted.ts"

const MAX_SIDECHAINS = 100_000

export class Sidechains {
  /** Agent by message id, for records that do not name it. */
  readonly #agents = new Map<string, string>()

  /** The sub-agent of a record; undefined for the session's own. `number` makes a name for an unknown one unique. */
  agentOf(value: unknown, number: number): string | undefined {
    if (field(value, "isSidechain") !== true) return undefined
    const [uuid, parent, named] = [textOf(value, "uuid"), textOf(value, "parentUuid"), textOf(value, "agentId")]
    const inherited = parent === undefined ? undefined : this.#agents.get(parent)
    const agent =
      named === undefined
        ? (inherited ?? nameFrom(`sidechain-${(uuid ?? String(number)).slice(0, 8)}`))
        : nameFrom(`agent-${named}`)
    if (uuid !== undefined && this.#agents.size < MAX_SIDECHAINS) this.#agents.set(uuid, agent)
    return agent
  }
}
