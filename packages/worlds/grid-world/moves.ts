/** Who moves in a round in which all move at once. */

/**
 * The agents that get where they want to go. `at` and `wanted` are cells by agent; the names come in order. Of those that
 * want one cell, the first by name gets it. An agent follows one that makes way, also around in a circle; two do not pass
 * through each other; nobody enters a cell whose agent stays.
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
  // Who stays keeps its cell, so that who wanted that cell stays too.
  const stop = (name: string): void => {
    let next: string | undefined = name
    while (next !== undefined && moving.delete(next)) next = claims.get(at.get(next) ?? -1)
  }
  for (const [cell, name] of claims) if (moving.has(name) && isStopped(name, cell)) stop(name)
  return moving
}
