/** A record whose keys come from outside: any text, `__proto__` and `constructor` among it. */
export type Keyed<Value> = { readonly [key: string]: Value }

/** The value under a key, or `undefined`. Only own properties count. */
export const get = <Value>(record: Keyed<Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The record with this value under this key; the very same record where it is there already. */
export const set = <Value>(record: Keyed<Value>, key: string, value: Value): Keyed<Value> =>
  // A computed key in a literal defines an own property, also where the key is `__proto__`.
  Object.hasOwn(record, key) && record[key] === value ? record : { ...record, [key]: value }

/** The record without this key; the very same record where it has none such. */
export const remove = <Value>(record: Keyed<Value>, key: string): Keyed<Value> => {
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _removed, ...rest } = record
  return rest
}

/** The record with the value under a key changed; the very same record where there is none, or nothing changes. */
export const change = <Value>(record: Keyed<Value>, key: string, how: (value: Value) => Value): Keyed<Value> => {
  const value = get(record, key)
  return value === undefined ? record : set(record, key, how(value))
}

/** The record with these entries put in, in one copy; the very same record where there are none. */
export const setAll = <Value>(record: Keyed<Value>, entries: ReadonlyMap<string, Value>): Keyed<Value> =>
  entries.size === 0 ? record : Object.fromEntries([...Object.entries(record), ...entries])
