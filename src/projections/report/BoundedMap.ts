/** A record of at most so many keys: those that come when it is full share one entry, that of all others. */
export class BoundedMap<Value> {
  readonly #most: number
  readonly #make: (key: string) => Value
  readonly #values = new Map<string, Value>()

  constructor(most: number, make: (key: string) => Value) {
    this.#most = most
    this.#make = make
  }

  /** The value of a key, which is made where it is new. */
  get(wanted: string): Value {
    const key = this.#values.has(wanted) || this.#values.size < this.#most ? wanted : OTHERS
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const made = this.#make(key)
    this.#values.set(key, made)
    return made
  }

  values(): ReadonlyArray<Value> {
    return [...this.#values.values()]
  }
}

/** What stands for the names that were too many. */
export const OTHERS = "all others"
