/** The order of texts by their code points, as CEL has it. JavaScript orders UTF-16 units, where U+1F600 comes before U+FF5E. */

/** Negative if `a` comes first, positive if `b` does. */
export const compare = (a: string, b: string): number => {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    // Units that differ belong to the first code points that differ; surrogates stand for those above all other units.
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
