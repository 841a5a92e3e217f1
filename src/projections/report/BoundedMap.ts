/** A map with a bounded number of keys, so that a report has a bounded size. */

/** A map of at most `most` keys, and one entry that all other keys share. */
export class BoundedMap<Value> {
  readonly #most: number
  readonly #make: (key: string) => Value
  readonly #values = new Map<string, Value>()

  constructor(most: number, make: (key: string) => Value) {
    this.#most = most
    this.#make = make
  }

  get(requested: string): Value {
    const key = this.#values.has(requested) || this.#values.size < this.#most ? requested : OTHERS
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const created = this.#make(key)
    this.#values.set(key, created)
    return created
  }

  values(): ReadonlyArray<Value> {
    return [...this.#values.values()]
  }
}

/** The key of the shared entry. */
export const OTHERS = "all others"
