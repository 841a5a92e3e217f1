/** Tells the URL of a log on a server from a file's name, and shows it without its password. */

/** The schema of a log whose URL names none. */
export const DEFAULT_SCHEMA = "hindcast"

/** True if a log's name is the URL of a PostgreSQL server, not a file. */
export const isAddress = (log: string): boolean => /^postgres(?:ql)?:/i.test(log)

/** A log's URL for messages, without a password: also one with mistakes. */
export const shown = (log: string): string => {
  try {
    const url = new URL(log)
    const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA
    const user = url.username === "" ? "" : `${url.username}@`
    return `postgres://${user}${url.host}${url.pathname}${schema === DEFAULT_SCHEMA ? "" : `?schema=${schema}`}`
  } catch {
    // Everything up to the last @ may be a password.
    return `postgres://${log.slice(log.lastIndexOf("@") + 1).replace(/^postgres(?:ql)?:(?:\/\/)?/i, "")}`
  }
}
