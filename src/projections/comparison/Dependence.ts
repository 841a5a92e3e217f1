/** Groups pairs that may depend on each other. */

/** Returns the group of each pair. Pairs with a common key are in one group, also transitively. */
export const groupsBy = (
  names: ReadonlyArray<string>,
  keysOf: (name: string) => ReadonlyArray<string>,
): ((name: string) => string) => {
  const above = new Map<string, string>()
  const rootOf = (node: string): string => {
    let at = node
    for (let next = above.get(at); next !== undefined; next = above.get(at)) {
      above.set(at, above.get(next) ?? next)
      at = next
    }
    return at
  }
  const pairOf = (name: string) => JSON.stringify(["pair", name])
  for (const name of names) {
    for (const key of keysOf(name)) {
      const [one, other] = [rootOf(pairOf(name)), rootOf(JSON.stringify(["key", key]))]
      if (one !== other) above.set(one, other)
    }
  }
  return (name) => rootOf(pairOf(name))
}
