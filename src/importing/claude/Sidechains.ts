/** The agents whose messages stand among those of the session that started them. */

import { field, nameFrom, textOf } from "../runs/Untrusted.ts"

/** Most messages of sidechains whose agent is remembered. */
const MAX_SIDECHAINS = 100_000

export class Sidechains {
  /** The agent of each message, where its records do not name it. */
  readonly #agents = new Map<string, string>()

  /** The agent that a record is of; undefined for the session's own. `number` tells the record from others. */
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
