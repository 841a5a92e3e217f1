/** The longest common subsequence (LCS) of two token sequences, bit-parallel, with bounded memory. */

/** A matched pair of indexes. */
export type Match = readonly [a: number, b: number]

/** A sequence whose items are compared for equality only. */
export type Tokens = ArrayLike<number>

/**
 * Maximum size of an exact LCS table: 2^29 cells, about 23,000 × 23,000. At one bit each, they take 64 MiB and some
 * tenths of a second.
 */
const MAX_CELLS = 2 ** 29

/**
 * Returns the longest common subsequence. Matches common prefixes and suffixes first and computes the rest exactly, 32
 * cells at a time. If the table would exceed `maxCells`, it first cuts the sequences at items that occur once in each
 * and in the same order (as in patience diff), or in the middle if there are none.
 *
 * Sources: M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon, J. F. Reid, "A fast and practical bit-vector algorithm for
 * the longest common subsequence problem", 2001; H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.
 */
export const longestCommon = (a: Tokens, b: Tokens, maxCells = MAX_CELLS): ReadonlyArray<Match> => {
  const matches: Array<Match> = []
  const pieces: Array<Piece> = [{ a: [0, a.length], b: [0, b.length] }]
  // The parts of a cut piece are next on the stack, in order.
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const { inside, head, tail } = trim(a, b, piece)
    const [rows, columns] = [inside.a[1] - inside.a[0], inside.b[1] - inside.b[0]]
    for (let index = 0; index < head; index++) matches.push([piece.a[0] + index, piece.b[0] + index])
    if (rows * columns > maxCells) {
      const [ends, stops] = [piece.a[1], piece.b[1]]
      if (tail > 0) pieces.push({ a: [ends - tail, ends], b: [stops - tail, stops] })
      for (const part of cut(a, b, inside).toReversed()) pieces.push(part)
      continue
    }
    if (rows * columns > 0) for (const match of matchExactly(a, b, inside)) matches.push(match)
    for (let index = tail; index > 0; index--) matches.push([piece.a[1] - index, piece.b[1] - index])
  }
  return matches
}

/** A stretch of each sequence: start inclusive, end exclusive. */
interface Piece {
  readonly a: readonly [from: number, to: number]
  readonly b: readonly [from: number, to: number]
}

/** The lengths of the common prefix and suffix, and the stretches between them. */
const trim = (a: Tokens, b: Tokens, piece: Piece) => {
  let [from, to] = piece.a
  let [start, end] = piece.b
  while (from < to && start < end && a[from] === b[start]) [from, start] = [from + 1, start + 1]
  while (from < to && start < end && a[to - 1] === b[end - 1]) [to, end] = [to - 1, end - 1]
  const inside: Piece = { a: [from, to], b: [start, end] }
  return { inside, head: from - piece.a[0], tail: piece.a[1] - to }
}

/** Computes the table row by row. A bit is 0 where its column extends the LCS of the row's prefix of `a` with `b`. */
const matchExactly = (a: Tokens, b: Tokens, { a: [from, to], b: [start, end] }: Piece): ReadonlyArray<Match> => {
  const [rows, columns] = [to - from, end - start]
  const words = Math.ceil(columns / WORD)
  const indexes = indexesOf(b, start, end)
  const table = new Uint32Array((rows + 1) * words).fill(ONES, 0, words)
  const mask = new Uint32Array(words)
  for (let row = 1; row <= rows; row++) {
    const [above, here] = [(row - 1) * words, row * words]
    const matching = indexes.get(at(a, from + row - 1)) ?? []
    if (matching.length === 0) {
      table.copyWithin(here, above, here)
      continue
    }
    for (const place of matching) mask[place >>> 5] = at(mask, place >>> 5) | (1 << (place & 31))
    let carry = 0
    for (let word = 0; word < words; word++) {
      const before = at(table, above + word)
      const same = (before & at(mask, word)) >>> 0
      const sum = before + same + carry
      carry = sum > ONES ? 1 : 0
      table[here + word] = sum | (before & ~same)
    }
    for (const place of matching) mask[place >>> 5] = 0
  }
  const adds = (row: number, column: number) => ((at(table, row * words + (column >>> 5)) >>> (column & 31)) & 1) === 0
  const matches: Array<Match> = []
  let [row, column] = [rows, columns]
  while (row > 0 && column > 0) {
    if (!adds(row, column - 1)) column -= 1
    else {
      row -= 1
      // If the row above reaches the same length without this item, the partner is another item.
      if (!adds(row, column - 1)) matches.push([from + row, start + --column])
    }
  }
  return matches.reverse()
}

const WORD = 32
const ONES = 0xffffffff

const at = (of: ArrayLike<number>, index: number): number => of[index] ?? 0

/** The indexes of every item of a stretch, relative to its start. */
const indexesOf = (of: Tokens, from: number, to: number): ReadonlyMap<number, ReadonlyArray<number>> => {
  const indexes = new Map<number, Array<number>>()
  for (let index = from; index < to; index++) {
    const known = indexes.get(at(of, index))
    if (known === undefined) indexes.set(at(of, index), [index - from])
    else known.push(index - from)
  }
  return indexes
}

/** Cuts a piece before each of its anchors, or in the middle if it has none. */
const cut = (a: Tokens, b: Tokens, { a: [from, to], b: [start, end] }: Piece): ReadonlyArray<Piece> => {
  const anchors = anchorsIn(a, b, { a: [from, to], b: [start, end] })
  if (anchors.length === 0) {
    const [i, j] = [Math.floor((from + to) / 2), Math.floor((start + end) / 2)]
    return [
      { a: [from, i], b: [start, j] },
      { a: [i, to], b: [j, end] },
    ]
  }
  const pieces: Array<Piece> = []
  let [i, j] = [from, start]
  for (const [nextI, nextJ] of [...anchors, [to, end] as const]) {
    pieces.push({ a: [i, nextI], b: [j, nextJ] })
    // An anchor begins the piece after it, and is matched there.
    ;[i, j] = [nextI, nextJ]
  }
  return pieces
}

/** Anchors: items that occur once in each stretch, reduced to the longest subset in the same order. */
const anchorsIn = (a: Tokens, b: Tokens, { a: [from, to], b: [start, end] }: Piece): ReadonlyArray<Match> => {
  const inB = indexesOf(b, start, end)
  const once = [...indexesOf(a, from, to)].flatMap(([token, [place = 0, ...more]]): ReadonlyArray<Match> => {
    const [other, ...others] = inB.get(token) ?? []
    return other === undefined || more.length > 0 || others.length > 0 ? [] : [[from + place, start + other]]
  })
  return increasing(once)
}

/** The longest increasing subsequence of matches that are sorted by their first index. */
const increasing = (matches: ReadonlyArray<Match>): ReadonlyArray<Match> => {
  // The match that ends the best subsequence of each length, and the predecessor of each match.
  const ends: Array<number> = []
  const previous: Array<number | undefined> = []
  for (const [index, [, place]] of matches.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((matches[ends[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1
      else high = middle
    }
    previous.push(ends[low - 1])
    ends[low] = index
  }
  const chosen: Array<Match> = []
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) chosen.push(matches[index] as Match)
  return chosen.reverse()
}
