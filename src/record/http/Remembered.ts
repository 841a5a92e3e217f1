/** Caches pure functions of texts, such as the few URLs that a program requests. */

/** Maximum number of cached texts, and maximum length of one in characters: a `data:` URL may have megabytes. */
const MOST = 256
const LONGEST = 2048

export const remembered = <A>(of: (text: string) => A): ((text: string) => A) => {
  let known = new Map<string, { readonly result: A }>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before.result
    const result = of(text)
    if (text.length > LONGEST) return result
    if (known.size >= MOST) known = new Map()
    known.set(text, { result })
    return result
  }
}
