/** The title of the page, which names the screen and the log in tabs, histories and bookmarks. */
import { oneLine } from "../../../values/PlainText.ts"
import { type Address, isFiltered, otherOf } from "../model/Address.ts"

/** Maximum number of characters of a goal. */
const LONGEST = 80

/**
 * @param log the log file's name
 * @param goal the goal of the visited task; null if it has none, or is not loaded
 */
export const titleOf = (address: Address, log: string, goal: string | null = null): string =>
  [subjectOf(address, goal), oneLine(log), "Studio"].filter((part) => part !== "").join(" · ")

const subjectOf = (address: Address, goal: string | null): string => {
  switch (address.screen) {
    case "start":
      return ""
    case "tasks":
      return isFiltered(address) ? "some tasks" : "tasks"
    case "visit": {
      const other = otherOf(address)
      const id = oneLine(address.task ?? "all events")
      if (other !== null) return `${id} and ${oneLine(other.task)}`
      const words = oneLine(goal ?? "").trim()
      const task = words === "" ? id : words.length > LONGEST ? `${words.slice(0, LONGEST - 1)}…` : words
      return address.timeline === "main" ? task : `${task} on ${oneLine(address.timeline)}`
    }
    case "search":
      return address.text === "" ? "search" : `search for ${oneLine(address.text)}`
    case "notes":
    case "plugins":
    case "curricula":
    case "questions":
    case "scenarios":
      return address.screen
    case "lost":
      return "no such page"
  }
}
