/** The part of a split index that leads to its shared index (gitformat-index(5), "Split index"). Pure. */

export interface Link {
  /** The file with the shared entries, in the Git directory; undefined without one. */
  readonly shared: string | undefined
  /** Whether an entry of the shared index, by its number, is in the index no more. */
  readonly isDeleted: (entry: number) => boolean
}

/** Finds the link among an index's extensions, which begin at `at`. Throws a `RangeError` if they are cut off or too large. */
export const linkIn = (bytes: Buffer, at: number, hashBytes: number): Link | undefined => {
  const end = bytes.length - hashBytes
  for (let next = at; next + EXTENSION_BYTES <= end; ) {
    const size = bytes.readUInt32BE(next + 4)
    const start = next + EXTENSION_BYTES
    if (bytes.toString("latin1", next, next + 4) === "link")
      return read(bytes.subarray(start, Math.min(start + size, end)), hashBytes)
    next = start + size
  }
  return undefined
}

/** A signature and a size. */
const EXTENSION_BYTES = 8

const read = (link: Buffer, hashBytes: number): Link => {
  const hash = link.subarray(0, hashBytes)
  const deleted = link.length > hashBytes ? positionsIn(link.subarray(hashBytes)) : new Set<number>()
  return {
    shared: hash.every((byte) => byte === 0) ? undefined : `sharedindex.${hash.toString("hex")}`,
    isDeleted: (entry) => deleted.has(entry),
  }
}

/** The set bits of a bitmap in EWAH form: runs of equal words, each followed by words as they are. */
const positionsIn = (bitmap: Buffer): ReadonlySet<number> => {
  const bits = bitmap.readUInt32BE(0)
  if (bits > MAX_ENTRIES) throw new RangeError(`expected at most ${MAX_ENTRIES} bits, found ${bits}`)
  const words = bitmap.readUInt32BE(4)
  const positions = new Set<number>()
  let position = 0
  const add = (count: number, isSet: (bit: number) => boolean) => {
    const until = Math.min(position + count, bits)
    for (let bit = position; bit < until; bit++) if (isSet(bit - position)) positions.add(bit)
    position = until
  }
  for (let word = 0; word < words; ) {
    const run = bitmap.readBigUInt64BE(8 + word++ * 8)
    const isSet = (run & 1n) === 1n
    add(Number((run >> 1n) & 0xffffffffn) * WORD_BITS, () => isSet)
    for (let literals = Number(run >> 33n); literals > 0 && word < words; literals--) {
      const literal = bitmap.readBigUInt64BE(8 + word++ * 8)
      add(WORD_BITS, (bit) => ((literal >> BigInt(bit)) & 1n) === 1n)
    }
  }
  return positions
}

/** More than an index that is read may have: a few bytes of a bitmap can set all. */
const MAX_ENTRIES = 2 ** 21

const WORD_BITS = 64
