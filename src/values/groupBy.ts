/** Groups items by key, in the order in which keys first occur. An item may have several keys. */
export const groupBy = <Item, Key>(
  items: Iterable<Item>,
  keysOf: (item: Item) => ReadonlyArray<Key>,
): ReadonlyMap<Key, ReadonlyArray<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}
