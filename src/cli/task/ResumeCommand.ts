/** The command `hindcast resume`: continues a task that an earlier kernel left open. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import type * as Agent from "../../kernel/agents/Agent.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { ResumeOptions } from "../../kernel/resume/Resume.ts"
import { BadInput } from "../command/BadInput.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { argument, common, flag, given, oneOf, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import * as AgentAtWork from "./AgentAtWork.ts"
import * as AgentOption from "./AgentOption.ts"
import * as ConversationTask from "./ConversationTask.ts"
import * as JudgeOption from "./JudgeOption.ts"

const options = {
  ...AgentOption.options("the agent of the task"),
  rewind: oneOf("rewind", ["snapshot", "re-execution"]).pipe(
    Options.withDescription("How to rewind worlds. Default: by snapshot if the plugin can"),
    Options.optional,
  ),
  acceptUnrewound: flag("accept-unrewound", "Continue even if a world does not support rewinding"),
  restoreFiles: flag(
    "restore-files",
    "If a command ended half-way, bring the recorded files back as they were before it",
  ),
  maxSteps: AgentAtWork.maxSteps(" in total"),
  ledWithinMs: AgentAtWork.ledWithinMs,
  ...AgentAtWork.options,
  ...JudgeOption.options,
}

export const resume = Command.make(
  "resume",
  { ...common, task: argument("task", TASK), ...options },
  ({ log, json, task, judge: judgeTyped, rubric, ...typed }) =>
    Effect.gen(function* () {
      const judging = yield* JudgeOption.of({ judge: judgeTyped, rubric })
      const conversation = yield* Effect.provide(
        Effect.tap(Ids.task(task), assertOwn).pipe(Effect.flatMap(ConversationTask.isOne)),
        OpenLog.forEvents(log),
      )
      const agent = yield* AgentOption.load(typed, "live", { conversation })
      const { open, name: filename } = yield* OpenLog.existingPlace(log)
      const kernel = yield* AgentAtWork.kernel("resume", open, { ...typed, ...judging, json })
      const { acceptUnrewound, restoreFiles, rewind, maxSteps, deadlineMs, ledWithinMs } = typed
      const resumeOptions = { acceptUnrewound, restoreFiles, ...given({ rewind, maxSteps, deadlineMs, ledWithinMs }) }
      yield* Effect.provide(perform(task, agent, resumeOptions, { filename, json, ...judging }), kernel)
    }).pipe(Effect.scoped),
).pipe(
  Command.withDescription(
    "Continue a task whose kernel died: the log gives the recorded answers, and questions to people stay open",
  ),
)

/** Refuses the task of a recorded program, which only the program itself can continue. */
const assertOwn = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
    const [opened] = events
    if (opened === undefined || !is(opened, "TaskOpened") || opened.payload.recorder === undefined) return
    const { means } = opened.payload.recorder
    const isProgram = means === undefined || means === "proxy" || means === "intercept"
    const last = isProgram ? yield* lastOf(taskId) : undefined
    return yield* new BadInput({
      input: taskId,
      expected: "a task of an agent that Hindcast ran",
      found: isProgram ? "a recorded program" : "a session that another program led",
      advice:
        last === undefined
          ? "Continue it where it was led."
          : `\`${CommandHints.written("fork", `@${last}`, "--task", taskId)} -- COMMAND\` runs the program again and continues after its last recorded call.`,
    })
  })

/** The position of a task's last event before its end. */
const lastOf = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    let last: number | undefined
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) => {
      for (const { type, position } of page) if (!ENDS.has(type)) last = position
    })
    return last
  })

const ENDS: ReadonlySet<string> = new Set<CoreName>([
  "TaskClosed",
  "RecorderLeft",
  "CaptureNoted",
  "CommandOutcomeUnknown",
])

const perform = (
  typed: string,
  agent: Agent.Agent,
  options: ResumeOptions,
  {
    filename,
    json,
    judge,
  }: { readonly filename: string; readonly json: boolean } & Pick<AgentAtWork.KernelInput, "judge">,
) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const taskId = yield* Ids.task(typed)
    const questions = Object.values(yield* (yield* Confirmations).pending).filter((asked) => asked.taskId === taskId)
    const from = questions.length === 0 ? undefined : Math.min(...questions.map(({ position }) => position)) - 1
    const audit = yield* AgentAtWork.accompanied({ filename, json, askedAfter: from }, () =>
      kernel.tasks.resume(taskId, agent, options),
    )
    const judged = yield* JudgeOption.judged(judge, audit)
    yield* Output.show(json, judged, (style) => ["", ...AuditPage.lines(style, judged)])
  })
