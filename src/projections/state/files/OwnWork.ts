/**
 * Tasks in which Hindcast itself worked on recorded files for a person: searches, restores, forks. They stay in the
 * log, but are no agent's work: scores, trials of rules and lists leave them out unless somebody asks for them.
 */

/** The agents of these tasks. */
export const AGENTS = { bisect: "files-bisect", restore: "files-restore", fork: "files-fork" } as const

const NAMES: ReadonlySet<string> = new Set(Object.values(AGENTS))

export const isOwn = ({ agent }: { readonly agent: string }): boolean => NAMES.has(agent)
