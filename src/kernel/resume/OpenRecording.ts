/** The recording of an open task of an earlier kernel, and where its agent continues. Pure. */

import { Either } from "effect"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { actuatorsOf, sensorsOf } from "../../plugins/manifest/Manifest.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import type * as Agent from "../agents/Agent.ts"
import { fullName, hasName } from "../agents/Agent.ts"
import { declaresAlike } from "../program/Program.ts"
import { NotResumable } from "../recovery/NotResumable.ts"
import { isInProcess } from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"
import { leftAt, type Point } from "../replay/DecisionPoint.ts"
import { PERCEIVING, type Recording, type Request } from "../replay/Recording.ts"
import { cutPerceptions } from "../replay/Request.ts"

/** Where the agent of an open task continues. */
export interface ResumePoint extends Point {
  /** The version of the task's stream. */
  readonly version: number
}

/** The end of a recording. */
export const pointOf = (recording: Recording): ResumePoint => {
  const { events, requests, taskId } = recording
  const at = events.at(-1)?.position ?? 0
  const left = leftAt(recording, events)
  const answered = requests.filter((request) => request.kind !== "consult" || request.answer !== null)
  const cut = cutPerceptions(answered, at)
  return {
    recording,
    at,
    left,
    ahead: [],
    questions: [],
    past: answered.filter((request) => !isLeft(request) && !cut.includes(request)),
    perceptions: events.reduce((most, { type, payload: { perception } }) => {
      return PERCEIVING.has(type) && typeof perception === "number" ? Math.max(most, perception) : most
    }, 0),
    version: events.reduce((most, { stream, version }) => (stream === `task/${taskId}` ? version : most), 0),
  }
}

const isLeft = (request: Request): boolean => request.kind === "act" && request.outcome === null

/** Checks that an agent can continue a task with today's plugins. */
export const check = (
  recording: Recording,
  agent: Agent.Agent,
  now: PluginRegistry,
): Either.Either<void, NotResumable> => {
  const reason = whyNot(recording, agent, now)
  return reason === undefined
    ? Either.right(undefined)
    : Either.left(new NotResumable({ taskId: recording.taskId, reason }))
}

const whyNot = (
  { closed, events, opened, plugins, registryAt }: Recording,
  agent: Agent.Agent,
  now: PluginRegistry,
) => {
  if (closed !== null) {
    return `expected an open task, found one that was closed as ${closed.payload.outcome} at @${closed.position}; \`hindcast fork ${quoteWord(`${closed.timeline}@${closed.position - 1}`)} --task ${quoteWord(closed.taskId ?? "")} --agent FILE\` continues it in a timeline of its own`
  }
  const cancelled = events.find((event) => is(event, "TaskCancelled"))
  if (cancelled !== undefined) return `expected an open task, found one that was cancelled at @${cancelled.position}`
  if (!hasName(agent, opened.payload.agent)) {
    return `expected its agent, ${opened.payload.agent}, found ${fullName(agent)}; another agent can continue it in a fork`
  }
  const then = registryAt(opened.position)
  return plugins.flatMap(
    (plugin) => problemOf(plugin, SafeRecord.get(then, plugin), SafeRecord.get(now, plugin)) ?? [],
  )[0]
}

const problemOf = (plugin: string, then: Plugin | undefined, now: Plugin | undefined): string | undefined => {
  if (now === undefined) return `its plugin ${plugin} was removed; import it again`
  if (!now.active)
    return `its plugin ${plugin} is not active; \`hindcast plugin activate ${quoteWord(plugin)}\` activates it`
  if (then === undefined || !isInProcess(then)) return undefined
  const [before, after] = [manifestOf(then), manifestOf(now)]
  const other = [...actuatorsOf(before), ...sensorsOf(before)].find(({ name }) => !declaresAlike(before, after, name))
  return other === undefined
    ? undefined
    : `its plugin ${plugin} (the tools and sensors of the embedding program) has changed: ${plugin}/${other.name} is declared differently, and its earlier code is gone`
}
