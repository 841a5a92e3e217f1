/** What is made of texts that come again and again, such as the few addresses that a program asks. */

/** Most texts whose results are kept, and the longest of them, in characters: a `data:` URL may have megabytes. */
const MOST = 256
const LONGEST = 2048

/** A pure function of a text that keeps its last results. */
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
