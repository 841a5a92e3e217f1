/** A map with a maximum size that evicts the least recently used key. */

export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
}

/** @param most the maximum number of keys */
export const make = <Value>(most: number): BoundedMap<Value> => {
  const values = new Map<string, Value>()
  const renew = (key: string, value: Value) => {
    values.delete(key)
    values.set(key, value)
  }
  return {
    get: (key) => {
      const value = values.get(key)
      if (value !== undefined) renew(key, value)
      return value
    },
    set: (key, value) => {
      renew(key, value)
      const [oldest] = values.size > most ? values.keys() : []
      if (oldest !== undefined) values.delete(oldest)
    },
  }
}
