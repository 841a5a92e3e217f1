/** Counts by names that come from outside. */

/** Most different names that are counted apart. */
const MAX_NAMES = 200

/** Adds to a count. Beyond `MAX_NAMES` names, new ones are counted together. */
export const increase = (counts: Map<string, number>, name: string, by = 1): void => {
  const key = counts.has(name) || counts.size < MAX_NAMES ? name : "others"
  counts.set(key, (counts.get(key) ?? 0) + by)
}
