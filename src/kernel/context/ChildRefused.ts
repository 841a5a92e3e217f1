/** The error of a task that its parent may not start. */

import { Data } from "effect"

/** The task was not started: its parent is not open here, the tree is too deep or too large, or its budget is used up. */
export class ChildRefused extends Data.TaggedError("ChildRefused")<{
  /** The task that asked for it. */
  readonly parent: string
  readonly limit: "parent" | "depth" | "tasks" | "budget"
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Task ${this.parent} can start no further task: expected ${this.expected}, found ${this.found}.`
  }
}
