/** Items by a key, in the order in which keys came. An item may stand under several keys. */
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
