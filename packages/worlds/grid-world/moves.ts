/** Resolves simultaneous moves. */

/**
 * The agents that reach the cells they want. `at` and `wanted` map agents, sorted by name, to cells. The first agent by
 * name gets a contested cell. An agent can follow one that makes way, also in a circle; two cannot swap cells; nobody
 * enters the cell of an agent that stays.
 */
export const movers = (
  names: ReadonlyArray<string>,
  at: ReadonlyMap<string, number>,
  wanted: ReadonlyMap<string, number>,
): ReadonlySet<string> => {
  const claims = new Map<number, string>()
  for (const name of names) {
    const cell = wanted.get(name)
    if (cell !== undefined && !claims.has(cell)) claims.set(cell, name)
  }
  const moving = new Set(claims.values())
  const occupants = new Map([...at].map(([name, cell]) => [cell, name]))
  const isStopped = (name: string, cell: number): boolean => {
    const occupant = occupants.get(cell)
    if (occupant === undefined) return false
    return !moving.has(occupant) || wanted.get(occupant) === at.get(name)
  }
  // An agent that stays keeps its cell, and so stops the one that wanted it.
  const stop = (name: string): void => {
    let next: string | undefined = name
    while (next !== undefined && moving.delete(next)) next = claims.get(at.get(next) ?? -1)
  }
  for (const [cell, name] of claims) if (moving.has(name) && isStopped(name, cell)) stop(name)
  return moving
}
