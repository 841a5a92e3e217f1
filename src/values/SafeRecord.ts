/** A record whose keys come from outside: any text, `__proto__` and `constructor` among it. */
export type SafeRecord<Value> = { readonly [key: string]: Value }

/** A record that only one has, and may change. */
export type Own<Value> = { [key: string]: Value }

/** The value under a key, or `undefined`. Only own properties count. */
export const get = <Value>(record: SafeRecord<Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The record with this value under this key; the very same record where it is there already. */
export const set = <Value>(record: SafeRecord<Value>, key: string, value: Value): SafeRecord<Value> =>
  // A computed key in a literal defines an own property, also where the key is `__proto__`.
  Object.hasOwn(record, key) && record[key] === value ? record : { ...record, [key]: value }

/** The record without this key; the very same record where it has none such. */
export const remove = <Value>(record: SafeRecord<Value>, key: string): SafeRecord<Value> => {
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _removed, ...rest } = record
  return rest
}

/** The record with the value under a key changed; the very same record where there is none, or nothing changes. */
export const change = <Value>(
  record: SafeRecord<Value>,
  key: string,
  how: (value: Value) => Value,
): SafeRecord<Value> => {
  const value = get(record, key)
  return value === undefined ? record : set(record, key, how(value))
}

/** Puts a value under a key of a record that nobody else has. */
export const put = <Value>(record: Own<Value>, key: string, value: Value): void => {
  // Assigned to, `__proto__` would not become a key.
  if (key === "__proto__") Object.defineProperty(record, key, { ...OWN, value })
  else record[key] = value
}

const OWN = { enumerable: true, configurable: true, writable: true }

/** Keys beyond which V8 keeps a record as a hash table, which it spreads at half the speed of this loop. */
const MAX_SPREAD = 256

/** A record of one's own with the same entries. */
export const copy = <Value>(record: SafeRecord<Value>): Own<Value> => {
  const keys = Object.keys(record)
  if (keys.length <= MAX_SPREAD) return { ...record }
  const copied: Own<Value> = {}
  // Every key is one of the record's own.
  for (const key of keys) put(copied, key, record[key] as Value)
  return copied
}
