/**
 * Trajectories in the Agent Trajectory Interchange Format, versions 1.0 to 1.8
 * (https://www.harborframework.com/docs/agents/trajectory-format), as Harbor's agents write them, with the rewards of
 * Harbor's verifier from files nearby.
 */

import { sha256 } from "../../values/Digest.ts"
import { APPROVALS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, listOf, logJson, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import * as Rewards from "./Rewards.ts"
import { mapSteps } from "./Steps.ts"

export const atif: Source = {
  name: "atif",
  title: "trajectory in ATIF",
  form: "document",
  capture: { pairing: "call-id", lacks: [SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  companions: Rewards.COMPANIONS,
  recognizes: ({ text }: FileHead) => /^\s*\{/.test(text) && /"schema_version"\s*:\s*"ATIF-/.test(text),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    let trajectory: unknown
    const map = function* () {
      const rewards = Rewards.rewardsOf(file)
      const failure = Rewards.failureOf(file)
      // Some agents rewrite the file at each step, so it has ended only if the trial has, or after a silence.
      const hasEnded = (last: number | null) =>
        rewards.length > 0 || failure !== undefined || isSilent(file, last ?? file.modifiedAt)
      const run = yield* mapTrajectory(runs, trajectory, { failure, hasEnded })
      if (run === undefined) return
      for (const { name, value: reward } of rewards)
        runs.score({ taskId: run.taskId, scorer: "verifier", name, value: reward, rationale: null })
    }
    return {
      record: ({ value }) => {
        trajectory = value
      },
      end: map,
    }
  },
}

const KNOWN = /^ATIF-v1\.[0-8]$/

/** Maximum depth of nested sub-agent trajectories. */
const MAX_NESTED = 8

interface Ending {
  readonly failure: string | undefined
  /** Whether a trajectory has ended whose last step has this time. */
  readonly hasEnded: (last: number | null) => boolean
}

/** Maps a trajectory and its nested sub-agents, each to a run. */
function* mapTrajectory(
  runs: MappedRuns,
  value: unknown,
  { failure, hasEnded }: Ending,
  parent?: MappedRun,
  depth = 0,
): Generator<void, MappedRun | undefined> {
  if (!isObject(value)) {
    runs.leaveOut("trajectory", "it is no object")
    return undefined
  }
  const version = textOf(value, "schema_version") ?? "none"
  if (parent === undefined && !KNOWN.test(version))
    runs.remark(`its version, ${version}, is not known: it is read as 1.8`)
  const steps = listOf(value, "steps")
  const agent = field(value, "agent")
  const session = textOf(value, "session_id") ?? textOf(value, "trajectory_id")
  const run = runs.open({
    id: idOf(value, session, steps, parent),
    goal: goalOf(steps) ?? `trajectory ${session ?? "without a name"}`,
    agent: `${textOf(agent, "name") ?? "unknown"}@${textOf(agent, "version") ?? "unknown"}`,
    at: steps.map((step) => timeOf(field(step, "timestamp"))).find((at) => at !== null) ?? null,
    about: {
      session: session ?? null,
      version,
      agent: logJson(agent ?? null).json,
      ...(parent === undefined ? {} : { parent: parent.taskId }),
      ...Object.fromEntries(
        ["notes", "final_metrics", "continued_trajectory_ref", "extra"].flatMap((name) =>
          field(value, name) === undefined ? [] : [[name, logJson(field(value, name)).json]],
        ),
      ),
    },
  })
  yield* mapSteps(runs, run, steps, { model: textOf(agent, "model_name"), failure, hasEnded })
  const nested = listOf(value, "subagent_trajectories")
  if (depth < MAX_NESTED)
    for (const one of nested) yield* mapTrajectory(runs, one, { failure: undefined, hasEnded }, run, depth + 1)
  else if (nested.length > 0) runs.leaveOut("subagent_trajectories", `they are nested deeper than ${MAX_NESTED}`)
  return run
}

/** Session ids need not be unique, so an id that is no UUID is extended by a hash of the agent and the first step. */
const idOf = (
  value: unknown,
  session: string | undefined,
  steps: ReadonlyArray<unknown>,
  parent: MappedRun | undefined,
) => {
  const own = textOf(value, "trajectory_id") ?? session
  const within = parent === undefined ? "" : `${parent.start.id}.`
  if (own !== undefined && UUID.test(own)) return `${within}${own}`
  const first = sha256(JSON.stringify(logJson([field(value, "agent") ?? null, steps[0] ?? null]).json)).slice(0, 12)
  return own === undefined ? `${within}${first}` : `${within}${own}.${first}`
}

const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/i

/** The first user message; one copied from another trajectory only if there are no others. */
const goalOf = (steps: ReadonlyArray<unknown>): string | undefined => {
  const said = steps.filter((step) => field(step, "source") === "user")
  const first = said.find((step) => field(step, "is_copied_context") !== true) ?? said[0]
  const message = field(first, "message")
  const text =
    typeof message === "string"
      ? message
      : listOf(first, "message")
          .flatMap((part) => textOf(part, "text") ?? [])
          .join("\n")
  return text === "" ? undefined : text
}
