/** Groups items by keys. */

/** Groups items by key, in the order in which the keys first occur. An item may have several keys. */
export const groupBy = <Item>(
  items: Iterable<Item>,
  keysOf: (item: Item) => ReadonlyArray<string>,
): ReadonlyMap<string, ReadonlyArray<Item>> => {
  const groups = new Map<string, Array<Item>>()
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}
