/**
 * Records with keys from outside. Plain property access would treat `__proto__` and `constructor` as members of
 * `Object.prototype`; these functions treat them as keys.
 */

/** A record with arbitrary text as keys. */
export type SafeRecord<Value> = { readonly [key: string]: Value }

/** A record that its single owner may mutate. */
export type Own<Value> = { [key: string]: Value }

/** Only own properties count. */
export const get = <Value>(record: SafeRecord<Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Sets a key. Returns the same object if nothing changes. */
export const set = <Value>(record: SafeRecord<Value>, key: string, value: Value): SafeRecord<Value> =>
  // A computed key in a literal defines an own property, also for `__proto__`.
  Object.hasOwn(record, key) && record[key] === value ? record : { ...record, [key]: value }

/** Removes a key. Returns the same object if it has no such key. */
export const remove = <Value>(record: SafeRecord<Value>, key: string): SafeRecord<Value> => {
  if (!Object.hasOwn(record, key)) return record
  const keys = Object.keys(record)
  if (keys.length > MAX_REST) {
    return copyOf(
      record,
      keys.filter((other) => other !== key),
    )
  }
  const { [key]: _removed, ...rest } = record
  return rest
}

/** Applies `how` to the value of a key. Returns the same object if it has no such key or nothing changes. */
export const change = <Value>(
  record: SafeRecord<Value>,
  key: string,
  how: (value: Value) => Value,
): SafeRecord<Value> => {
  const value = get(record, key)
  return value === undefined ? record : set(record, key, how(value))
}

export const put = <Value>(record: Own<Value>, key: string, value: Value): void => {
  // Assigning to `__proto__` would set the prototype.
  if (key === "__proto__") Object.defineProperty(record, key, { ...OWN, value })
  else record[key] = value
}

const OWN = { enumerable: true, configurable: true, writable: true }

/** Beyond this many keys, V8's `...rest` is slower than copying the others one by one. */
const MAX_REST = 32

/** Beyond this many keys, V8 keeps a record as a hash table; a spread copies it at half the speed of this loop. */
const MAX_SPREAD = 256

export const copy = <Value>(record: SafeRecord<Value>): Own<Value> => {
  const keys = Object.keys(record)
  return keys.length <= MAX_SPREAD ? { ...record } : copyOf(record, keys)
}

const copyOf = <Value>(record: SafeRecord<Value>, keys: ReadonlyArray<string>): Own<Value> => {
  const copied: Own<Value> = {}
  // Every key is an own property of the record.
  for (const key of keys) put(copied, key, record[key] as Value)
  return copied
}
