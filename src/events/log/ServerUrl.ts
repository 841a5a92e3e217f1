/** Tells the URL of a log on a server from a file's name, and shows it without its password. */

/** The schema of a log whose URL names none. */
export const DEFAULT_SCHEMA = "hindcast"

/** True if a log's name is the URL of a PostgreSQL server, not a file. */
export const isAddress = (log: string): boolean => /^postgres(?:ql)?:/i.test(log)

/** A log's URL for messages, without a password: also one with mistakes. */
export const shown = (log: string): string => {
  try {
    const url = new URL(log)
    if (isMisread(log, url)) return shownInDoubt(log)
    const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA
    const user = url.username === "" ? "" : `${url.username}@`
    return `postgres://${user}${url.host}${url.pathname}${schema === DEFAULT_SCHEMA ? "" : `?schema=${schema}`}`
  } catch {
    return shownInDoubt(log)
  }
}

/** A log's name for messages: the file as it is, or the URL without a password. */
export const nameOf = (log: string): string => (isAddress(log) ? shown(log) : log)

/**
 * True if a part of the password may stand in another part of the URL: a `/`, `?` or `#` in it ends the server's name,
 * and without `//` there is no server's name.
 */
export const isMisread = (log: string, { pathname, search, hash }: URL): boolean =>
  !/^postgres(?:ql)?:\/\//i.test(log) || `${pathname}${search}${hash}`.includes("@")

/** Everything up to the last @ may be a password; without one, everything after the user's or server's name. */
const shownInDoubt = (log: string): string => {
  const rest = log.replace(/^postgres(?:ql)?:\/*/i, "")
  return `postgres://${rest.includes("@") ? rest.slice(rest.lastIndexOf("@") + 1) : rest.replace(/:.*$/s, "")}`
}
