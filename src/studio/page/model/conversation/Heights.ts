/**
 * The heights of many rows, measured or estimated, with their sums: a Fenwick tree (Fenwick 1994), so that a row's
 * place, the row at a place, and a change each take logarithmic time.
 */
export class Heights {
  #sums: Float64Array = new Float64Array(1)
  #heights: Float64Array = new Float64Array(0)
  #length = 0
  readonly #estimate: (row: number) => number

  /** @param estimate the height of a row that has not been measured, in pixels */
  constructor(estimate: (row: number) => number) {
    this.#estimate = estimate
  }

  get length(): number {
    return this.#length
  }

  get total(): number {
    return this.before(this.#length)
  }

  /** Makes room for rows, whose heights are estimated. */
  grow(length: number): void {
    if (length <= this.#length) return
    if (length > this.#heights.length) {
      const room = Math.max(length, 2 * this.#heights.length)
      const heights = new Float64Array(room)
      heights.set(this.#heights)
      this.#heights = heights
    }
    for (let row = this.#length; row < length; row++) this.#heights[row] = this.#estimate(row)
    this.#length = length
    this.#sum()
  }

  of(row: number): number {
    return this.#heights[row] ?? 0
  }

  /** Sets a measured height. Returns by how much it changed. */
  set(row: number, height: number): number {
    if (row < 0 || row >= this.#length) return 0
    const change = height - this.of(row)
    if (change === 0) return 0
    this.#heights[row] = height
    for (let at = row + 1; at < this.#sums.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) + change
    return change
  }

  /** The height of all rows before this one. */
  before(row: number): number {
    let sum = 0
    for (let at = Math.min(row, this.#length); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0
    return sum
  }

  /** The row at a place: the first one that ends after it, or the last one. */
  at(place: number): number {
    let row = 0
    let left = place
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#length))); step >= 1; step /= 2) {
      const sum = this.#sums[row + step]
      if (row + step > this.#length || sum === undefined || sum > left) continue
      row += step
      left -= sum
    }
    return Math.max(0, Math.min(row, this.#length - 1))
  }

  #sum(): void {
    this.#sums = new Float64Array(this.#heights.length + 1)
    for (let row = 0; row < this.#length; row++) this.#sums[row + 1] = this.#heights[row] ?? 0
    for (let at = 1; at < this.#sums.length; at++) {
      const above = at + (at & -at)
      if (above < this.#sums.length) this.#sums[above] = (this.#sums[above] ?? 0) + (this.#sums[at] ?? 0)
    }
  }
}
