/** Numbers about all events in columns: some twenty bytes an event, without payloads. */

type Numbers = Uint8Array | Int32Array | Float64Array

/** Initial capacity of a column in rows. A full column doubles. */
const FIRST_ROOM = 4096

export class Column<Of extends Numbers> {
  #numbers: Of
  #length = 0
  readonly #make: (length: number) => Of

  constructor(make: (length: number) => Of) {
    this.#make = make
    this.#numbers = make(FIRST_ROOM)
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const wider = this.#make(2 * this.#length)
      wider.set(this.#numbers)
      this.#numbers = wider
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  at(row: number): number {
    return this.#numbers[row] ?? 0
  }

  get length(): number {
    return this.#length
  }
}

export const bytes = () => new Column((length) => new Uint8Array(length))

export const integers = () => new Column((length) => new Int32Array(length))

export const doubles = () => new Column((length) => new Float64Array(length))

/** Numbers names from 1. 0 means none. */
export class Names {
  readonly #numbers = new Map<string, number>()
  readonly #names: Array<string> = []

  /** The number of a name, which is added if it is new. */
  add(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#numbers.size + 1
    this.#numbers.set(name, number)
    this.#names.push(name)
    return number
  }

  /** The name with a number, if any. */
  nameOf(number: number): string | undefined {
    return this.#names[number - 1]
  }

  /** At most `limit` names, in the order in which they were added. */
  first(limit: number): ReadonlyArray<string> {
    return this.#names.slice(0, limit)
  }

  numberOf(name: string): number {
    return this.#numbers.get(name) ?? 0
  }
}
