/** Words that the demos share: positions, counts, and commands to try. */
import { Effect } from "effect"
import type { TaskAudit } from "hindcast"
import type { Stage, User } from "./Stage.ts"

/** A command to try, and what it does. */
export interface Suggestion {
  readonly command: string
  readonly does: string
}

export const suggestions = (
  { command, path }: User,
  filename: string,
  suggested: ReadonlyArray<readonly [does: string, ...args: ReadonlyArray<string>]>,
): ReadonlyArray<Suggestion> =>
  suggested.map(([does, ...args]) => ({ does, command: command([...args, "--log", path(filename)]) }))

export const showSteps = ({ part, say, style }: Stage, suggested: ReadonlyArray<Suggestion>) =>
  Effect.zipRight(
    part("Next", "The log stays. Ask it yourself:"),
    say(...suggested.flatMap(({ command, does }) => [style.dim(`# ${does}`), command])),
  )

/** The last 12 characters of an id, which commands accept in its place. */
export const endOf = (id: string): string => id.slice(-12)

/** An agent's name without its version. */
export const nameOf = ({ pages }: Stage, { agent }: TaskAudit.TaskAudit): string =>
  pages.oneLine(agent.split("@")[0] ?? agent)

/** Whether a log's name is the URL of a server, and not a file. */
export const isOnServer = (log: string): boolean => /^postgres(?:ql)?:/i.test(log)

/** `@412`. */
export const at = (position: number): string => `@${position}`

/** `1 event`, `2 events`. */
export const count = (of: number, noun: string): string => `${of} ${noun}${of === 1 ? "" : "s"}`

export const numbers = (...headings: ReadonlyArray<string>) =>
  headings.map((heading) => ({ heading, align: "right" as const }))
