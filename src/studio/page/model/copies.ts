/** A view as a command line, and as a call of `hindcast/promise`. */
import { word } from "../../../providers/writing/ShellWord.ts"
import { type Address, type Overview, otherOf, positionOf, type Visit } from "./Address.ts"

/** Events of a conversation. */
const SAID = ["InputReceived", "MessageSent", "ModelResponded"]

/**
 * The command line that prints a view's content.
 *
 * @param log the log file's name
 */
export const commandOf = (address: Address, log: string, position: number): string => {
  const of = (command: string) => `npx hindcast ${command} --log ${word(log)}`
  switch (address.screen) {
    case "visit":
      return of(visitCommand(address, position))
    case "plugins":
      return of("plugin ls")
    case "curricula":
      return of("curriculum show")
    case "questions":
      return of("confirm ls")
    case "notes":
      return of(`notes${address.text === "" ? "" : ` --search ${word(address.text)}`}`)
    case "search":
      // Leading hyphens, which are no words, would make an option of it.
      return of(`search ${word(address.text.replace(/^[-\s]+/, ""))}`)
    case "tasks":
      return of(tasksCommand(address))
    // Scenario files are not in the log.
    case "scenarios":
    case "start":
    case "lost":
      return of("task ls")
  }
}

const tasksCommand = ({ timeline, where, order, by, scores }: Overview): string =>
  [
    "audit --all",
    by === "" ? "" : `--group ${by}`,
    by === "" && order === "worst" ? "--sort score" : "",
    where === "" ? "" : `--where ${word(where)}`,
    scores === "" ? "" : `--scores ${word(scores)}`,
    timeline === "main" ? "" : `--timeline ${word(timeline)}`,
  ]
    .filter((part) => part !== "")
    .join(" ")

const visitCommand = (visit: Visit, position: number): string => {
  const { timeline, task, pane, path, vs } = visit
  const moment = word(momentOf(timeline, position))
  const other = otherOf(visit)
  if (other !== null && task !== null) return `align ${run(timeline, task)} ${run(other.timeline, other.task)}`
  if (isConversation(visit))
    return `log ls --task ${word(task ?? "")} --timeline ${word(timeline)} ${SAID.map((type) => `--type ${type}`).join(" ")}`
  if (isOfTree(visit))
    return `audit ${word(task ?? "")} --tree${timeline === "main" ? "" : ` --timeline ${word(timeline)}`}`
  if (isOfAgents(visit))
    return `audit ${word(task ?? "")} --collective${timeline === "main" ? "" : ` --timeline ${word(timeline)}`}`
  switch (pane) {
    case "why":
      return `why ${moment}`
    case "rewards":
    case "capture":
      if (task === null) return `log show ${moment}`
      return `audit ${word(task)}${timeline === "main" ? "" : ` --timeline ${word(timeline)}`}`
    case "value":
      return path === "" ? `state --at ${moment}` : `blame ${word(path)} --at ${moment}`
    case "diff":
      return `diff ${word(momentOf(timeline, positionOf(vs) ?? position - 1))} ${moment}`
    case "saw":
      return `saw ${moment}`
    case "event":
      return `log show ${moment}`
  }
}

/** The call that returns a view's content, for a `hindcast` from `open` of `hindcast/promise`. */
export const callOf = (address: Address, position: number): string => {
  switch (address.screen) {
    case "visit":
      return visitCall(address, position)
    case "plugins":
      return "hindcast.plugins.state()"
    case "curricula":
      return `hindcast.events.read(${literal({ types: ["CurriculumStarted", "StageAttempted", "CurriculumDecided", "CurriculumEnded"] })})`
    case "questions":
      return "hindcast.confirmations.pending()"
    case "notes":
      return "hindcast.annotations.list()"
    case "search":
      return "hindcast.events.read()"
    case "tasks":
      return `hindcast.events.read(${literal({ timeline: address.timeline, types: ["TaskOpened", "TaskClosed"] })})`
    // Scenario files are not in the log.
    case "scenarios":
    case "start":
    case "lost":
      return `hindcast.events.read(${literal({ types: ["TaskOpened", "TaskClosed"] })})`
  }
}

const visitCall = (visit: Visit, position: number): string => {
  const { timeline, task, pane, path, vs } = visit
  const moment = literal(momentOf(timeline, position))
  const other = otherOf(visit)
  if (other !== null && task !== null)
    return `hindcast.timeTravel.align(${literal({ timeline, taskId: task })}, ${literal({ timeline: other.timeline, taskId: other.task })})`
  const event = `hindcast.events.read(${literal({ after: position - 1, until: position })})`
  if (isConversation(visit)) return `hindcast.events.read(${literal({ timeline, taskId: task, types: SAID })})`
  if (isOfTree(visit) && timeline === "main") return `hindcast.auditTree(${literal(task)})`
  if (isOfAgents(visit) && timeline === "main") return `hindcast.auditCollective(${literal(task)})`
  switch (pane) {
    case "why":
      return `hindcast.timeTravel.why(${moment})`
    case "value":
      if (path === "") return `hindcast.timeTravel.stateAt(${moment})`
      return `hindcast.timeTravel.blame(${literal(path)}, ${moment})`
    case "diff":
      return `hindcast.timeTravel.diff(${literal(momentOf(timeline, positionOf(vs) ?? position - 1))}, ${moment})`
    case "rewards":
      if (task === null) return event
      if (timeline === "main") return `hindcast.audit(${literal(task)})`
      return `hindcast.events.read(${literal({ timeline, taskId: task, types: ["RewardGiven", "PunishmentGiven"] })})`
    case "capture":
      if (task === null) return event
      if (timeline === "main") return `hindcast.audit(${literal(task)})`
      return `hindcast.events.read(${literal({ timeline, taskId: task, types: ["CaptureNoted"] })})`
    case "saw":
      return `hindcast.timeTravel.saw(${moment})`
    case "event":
      return event
  }
}

/** Whether a view is of the conversation as a whole, and not of one of its events in particular. */
const isConversation = ({ task, view, pane }: Visit): boolean =>
  task !== null && view === "conversation" && pane === "event"

/** Whether a view is of the behaviour of a task's agents. */
const isOfAgents = ({ task, view }: Visit): boolean => task !== null && view === "agents"

/** Whether a view is of a task and the tasks below it. */
const isOfTree = ({ task, view }: Visit): boolean => task !== null && view === "tree"

const momentOf = (timeline: string, position: number): string =>
  timeline === "main" ? `@${position}` : `${timeline}@${position}`

/** A task as `align` takes it. */
const run = (timeline: string, task: string): string => word(timeline === "main" ? task : `${timeline}@${task}`)

const literal = (value: unknown): string => JSON.stringify(value)
