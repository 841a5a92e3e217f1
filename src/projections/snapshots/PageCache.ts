import type { Page } from "./Cut.ts"

/** Pages that were read lately, by their digest, so that states with pages in common share them in memory too. */
export interface PageCache {
  readonly get: (digest: string) => Page | undefined
  /** `size` is the length of the page's text. */
  readonly add: (page: Page, size: number) => void
}

/** Characters of text whose pages are kept; in memory they take some five times as many bytes. */
const MAX_SIZE = 8 * 1024 * 1024

/** A cache that lets go of what was used longest ago. */
export const make = (): PageCache => {
  // In order of use.
  const kept = new Map<string, { readonly page: Page; readonly size: number }>()
  let total = 0

  const remove = (digest: string) => {
    total -= kept.get(digest)?.size ?? 0
    kept.delete(digest)
  }
  return {
    get: (digest) => {
      const found = kept.get(digest)
      if (found === undefined) return undefined
      kept.delete(digest)
      kept.set(digest, found)
      return found.page
    },
    add: (page, size) => {
      remove(page.digest)
      kept.set(page.digest, { page, size })
      total += size
      for (const oldest of kept.keys()) {
        if (total <= MAX_SIZE) break
        remove(oldest)
      }
    },
  }
}
