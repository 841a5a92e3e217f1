/** Items by a key, in the order in which keys and items come. */
export const groupedBy = <Key, Item>(
  items: ReadonlyArray<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, ReadonlyArray<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [item])
    else known.push(item)
  }
  return groups
}
