/** The title of the page, which names the screen and the log in tabs, histories and bookmarks. */
import { oneLine } from "../../../values/PlainText.ts"
import { type Address, isFiltered, otherOf } from "../model/Address.ts"

/** @param log the log file's name */
export const titleOf = (address: Address, log: string): string =>
  [subjectOf(address), oneLine(log), "Studio"].filter((part) => part !== "").join(" · ")

const subjectOf = (address: Address): string => {
  switch (address.screen) {
    case "start":
      return ""
    case "tasks":
      return isFiltered(address) ? "some tasks" : "tasks"
    case "visit": {
      const other = otherOf(address)
      const task = oneLine(address.task ?? "all events")
      if (other !== null) return `${task} and ${oneLine(other.task)}`
      return address.timeline === "main" ? task : `${task} on ${oneLine(address.timeline)}`
    }
    case "search":
      return address.text === "" ? "search" : `search for ${oneLine(address.text)}`
    case "notes":
    case "plugins":
    case "questions":
    case "scenarios":
      return address.screen
    case "lost":
      return "no such page"
  }
}
