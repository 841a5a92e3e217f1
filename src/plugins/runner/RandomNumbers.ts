/** Seeded random numbers for plugins. */

/** Chris Doty-Humphrey's "small fast counter" generator (PractRand), seeded from a text by FNV-1a. */
export const sfc32 = (seed: string): (() => number) => {
  const word = (salt: number) => {
    let hash = 0x811c9dc5 ^ salt
    for (const char of seed) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
    return hash | 0
  }
  let [a, b, c, counter] = [word(1), word(2), word(3), 1]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let round = 0; round < 15; round++) next()
  return next
}
