/** The operating system's user, as the actor of what the command line records. */
import * as os from "node:os"

/** The user's name; its number (`uid-1000`) if the name is unknown. */
export const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // A user id without an entry in the user database has no name.
    return `uid-${process.getuid?.() ?? "unknown"}`
  }
}

/** The user as an actor of the log: `human:<name>`. */
export const userAsActor = (): string => `human:${userName()}`
