import * as os from "node:os"

/** Who sits at this terminal: the name of the operating system's user, else its number. */
export const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // A user id without an entry in the system's list has no name.
    return `uid-${process.getuid?.() ?? "unknown"}`
  }
}

/** The same as the log names an actor. */
export const userAsActor = (): string => `human:${userName()}`
