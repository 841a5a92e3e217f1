/** A cache with a bounded total size and keys of several parts. Evicts the least recently used values. */

const LOOK_EVERY = 100

export class Remembered<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  #asked = 0

  /** @param most maximum sum of the values' sizes, which may grow later */
  constructor(most: number, sizeOf: (value: Value) => number) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get(key: ReadonlyArray<string>, make: () => Value): Value {
    this.#asked += 1
    if (this.#asked % LOOK_EVERY === 0) this.#forgetOldest()
    const joined = JSON.stringify(key)
    const value = this.#values.get(joined) ?? make()
    this.#values.delete(joined)
    this.#values.set(joined, value)
    return value
  }

  clear(): void {
    this.#values.clear()
  }

  #forgetOldest(): void {
    let size = 0
    for (const [key, value] of [...this.#values].reverse()) {
      size += this.#sizeOf(value)
      if (size > this.#most) this.#values.delete(key)
    }
  }
}
