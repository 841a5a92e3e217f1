/** The order of texts by code points, as in CEL. JavaScript compares UTF-16 units, which puts U+1F600 before U+FF5E. */

/** Negative if `a` comes first, positive if `b` does. */
export const compare = (a: string, b: string): number => {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    // The first different units belong to the first different code points; a surrogate ranks above all other units.
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
