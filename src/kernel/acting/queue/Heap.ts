/** A binary heap: the first of its values is at hand, and adding or taking one costs the logarithm of their number. */

export interface Heap<Value> {
  readonly push: (value: Value) => void
  /** The first value, which stays; undefined if there is none. */
  readonly first: () => Value | undefined
  /** Takes the first value away. */
  readonly pop: () => Value | undefined
}

/** @param precedes a strict order */
export const make = <Value>(precedes: (a: Value, b: Value) => boolean): Heap<Value> => {
  const values: Array<Value> = []

  const rise = (value: Value, from: number) => {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = values[above] as Value
      if (!precedes(value, parent)) break
      values[at] = parent
      at = above
    }
    values[at] = value
  }

  const sink = (value: Value) => {
    let at = 0
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      if (left >= values.length) break
      const below = right < values.length && precedes(values[right] as Value, values[left] as Value) ? right : left
      const child = values[below] as Value
      if (!precedes(child, value)) break
      values[at] = child
      at = below
    }
    values[at] = value
  }

  return {
    push: (value) => {
      values.push(value)
      rise(value, values.length - 1)
    },
    first: () => values[0],
    pop: () => {
      const first = values[0]
      const last = values.pop()
      if (values.length > 0) sink(last as Value)
      return first
    },
  }
}
