/**
 * The story of `hindcast demo`: an agent fixes a failing test, its kernel is killed, the next one resumes the task, and
 * then commands look back. Without `--model`, the models' turns are handwritten.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { type Event, EventLog, Hindcast, Kernel, Vocabulary } from "hindcast"
import type { Stage } from "../Stage.ts"
import { count, isOnServer, showSteps } from "../Words.ts"
import * as Answering from "./Answering.ts"
import * as Crash from "./Crash.ts"
import * as LookingBack from "./LookingBack.ts"
import * as Mending from "./Mending.ts"
import * as NextSteps from "./NextSteps.ts"
import * as Repository from "./Repository.ts"
import * as Transcript from "./Transcript.ts"

export interface StoryOptions {
  /** The log's file, or its URL on a server. The log may exist. */
  readonly filename: string
  readonly directory: string
  /** A provider's models, as `provider/model`. Default: turns written by hand. */
  readonly models?: { readonly first: string; readonly other: string }
  /** Ask the user. Otherwise the demo answers. */
  readonly askPerson: boolean
}

/** The agent did not end the command that it requested, so there is nothing to look back at. The task and its log stay. */
export class StoryEnded extends Data.TaggedError("StoryEnded")<{
  readonly taskId: string
  readonly found: string
  readonly command: string
}> {
  override get message() {
    return `The demo's task ${this.taskId}: expected its agent to write the file that it asked for, found ${this.found}. \`${this.command}\` shows it.`
  }
}

/** Tells the story, part by part. Returns its results as a document. */
export const tell = (stage: Stage, { filename, directory, models, askPerson }: StoryOptions) =>
  Effect.gen(function* () {
    const { user } = stage
    const cast = castOf(models)
    // Report a missing package or key before recording anything.
    yield* Effect.forEach([cast.first, cast.other], (member) => Mending.agent(user, member), { discard: true })
    if (!isOnServer(filename)) fs.mkdirSync(path.dirname(filename), { recursive: true })
    const first: Mending.Place = { filename, directory: yield* Repository.copyInto(directory, "repository") }
    const onLog = Hindcast.layerLog({ log: filename, workspace: first.directory, actor: user.actor })
    const telling: Telling = {
      stage,
      filename,
      cast,
      taskId: yield* Effect.provide(Mending.freeId, onLog),
      first,
      forked: { filename, directory: yield* Repository.copyInto(directory, "forked") },
      answering: { filename, askPerson, isScripted: cast.isScripted },
    }
    yield* printStart(telling)
    const killed = yield* Effect.provide(crash(telling), onLog)
    const { answers, ...resumed } = yield* resume(telling, killed)
    const before = yield* Effect.provide(lookBack(telling, resumed), onLog)
    const { result: forked, answers: forkAnswers } = yield* fork(telling, killed)
    const { timeline, worlds, audit } = forked
    const subject = { filename, taskId: telling.taskId }
    const after = [
      yield* LookingBack.align(stage, subject, timeline),
      ...(yield* LookingBack.rescore(stage, subject, timeline)),
      yield* LookingBack.verify(stage, subject),
    ]
    const next = NextSteps.suggestions(user, { ...subject, timeline, cast: cast.first })
    yield* showSteps(stage, next)
    return {
      log: filename,
      scripted: cast.isScripted,
      models: [cast.first.model, cast.other.model],
      taskId: telling.taskId,
      killed: { pid: killed.pid, position: killed.position },
      resumed,
      fork: { timeline, at: forked.at, worlds, audit },
      commands: [...answers, ...before, ...forkAnswers, ...after],
      next,
    }
  })

interface Cast {
  readonly first: Mending.Cast
  readonly other: Mending.Cast
  readonly isScripted: boolean
}

const castOf = (models: StoryOptions["models"]): Cast => {
  const asked = (model: string): Mending.Cast => ({ model, cassette: null })
  return models === undefined
    ? { first: Mending.scripted("careful"), other: Mending.scripted("hasty"), isScripted: true }
    : { first: asked(models.first), other: asked(models.other), isScripted: false }
}

interface Telling {
  readonly stage: Stage
  readonly filename: string
  readonly cast: Cast
  readonly taskId: string
  /** The places of the first two kernels, and of the fork's. */
  readonly first: Mending.Place
  readonly forked: Mending.Place
  readonly answering: Answering.Answering
}

const printStart = ({ stage: { say, style, user }, filename, cast }: Telling) =>
  say(
    style.bold("Hindcast's demo: an agent fixes a failing test, and you look back at how."),
    "",
    ...(cast.isScripted
      ? [
          `The model is ${style.warn("scripted")}: its turns were written by hand, so this needs no network,`,
          "no key and no money. All else is real: the repository and its tests, the",
          `process that is killed, and the log, ${user.path(filename)}.`,
        ]
      : [`${cast.first.model} is asked, and for the fork ${cast.other.model}. This costs what they cost.`]),
  )

/** Part 1 and the crash: the first kernel, until it is killed. */
const crash = ({ stage, cast, first, taskId }: Telling) =>
  Effect.gen(function* () {
    const { part, say, show, style } = stage
    yield* part(
      "1  An agent works on a failing test",
      "A kernel in a process of its own runs the agent. Each step is in the log before the next one begins. In a program:",
      "",
      `  kernel.tasks.run(agent, { id: "${taskId}", goal: "${Mending.GOAL}" })`,
    )
    const { position } = yield* (yield* EventLog.EventLog).head
    const killed = yield* Crash.startAndKill(stage, { taskId, place: first, cast: cast.first }, position)
    yield* show(Transcript.lines(stage, yield* Transcript.of(taskId)))
    yield* part(
      "2  The process dies while a person is asked",
      "To write a file is a high risk, so the gate asks first. The question is an event: it outlives the process.",
    )
    yield* say(`$ ${style.name(`kill -9 ${killed.pid}`)}`)
    return killed
  })

const storyEnded = ({ user }: Stage, taskId: string, found: string) =>
  Effect.flatMap(
    EventLog.EventLog,
    ({ name }) => new StoryEnded({ taskId, found, command: user.written("audit", taskId, "--log", name) }),
  )

/** Why the agent failed. A script does not foresee a person's refusal. */
const ended =
  ({ stage, cast: { isScripted }, taskId }: Telling) =>
  ({ message }: { readonly message: string }) =>
    Effect.gen(function* () {
      const events = yield* Transcript.of(taskId)
      const isRefused =
        isScripted && events.some((event) => Vocabulary.is(event, "ConfirmationDecided") && !event.payload.approved)
      const found = isRefused ? "that a person refused it, which the model's script does not foresee" : message
      return yield* storyEnded(stage, taskId, found)
    })

/** Parts 2 and 3: the question stands, and the second kernel ends the task. */
const resume = (telling: Telling, { position, question }: Crash.Killed) =>
  Effect.gen(function* () {
    const { stage, cast, first, answering, taskId } = telling
    const { part, show, say, user } = stage
    const waiting = yield* stage.shell(["confirm", "ls", "--log", user.path(answering.filename)], { cut: true })
    yield* part(
      "3  A new kernel resumes the task",
      answering.askPerson
        ? "It replays the recording with the agent, and repeats nothing. The question still stands, and you answer it."
        : "It replays the recording with the agent, and repeats nothing. The question still stands, and the demo answers it for you, from another process.",
      "",
      `  kernel.tasks.resume("${taskId}", agent)`,
    )
    const kernel = yield* Kernel.Kernel
    const agent = yield* Mending.agent(user, cast.first)
    const { result: audit, answers } = yield* Answering.during(
      stage,
      answering,
      position - 1,
      kernel.tasks.resume(taskId, agent),
    ).pipe(Effect.catchTag("AgentFailed", ended(telling)))
    const events = yield* Transcript.of(taskId)
    const end = Transcript.endOfCommand(events, question.commandId ?? "")
    if (end === undefined) return yield* storyEnded(stage, taskId, "that it did not come to an end")
    const resumed = events.filter((event) => event.position > position)
    const once = Transcript.once(events)
    yield* say("")
    yield* show(Transcript.lines(stage, resumed))
    yield* say(
      "",
      `${count(once.asked, "model call")}, ${count(once.dispatched, "command")}; repeated after the crash: ${once.dispatchedTwice + once.asked - once.answered}.`,
    )
    const tests = yield* Effect.promise(() => Repository.runTests(first.directory))
    return {
      ended: end.position,
      isWritten: Vocabulary.is(end, "CommandSucceeded"),
      ...once,
      testsPass: tests.failing.length === 0,
      audit,
      answers: [waiting, ...answers],
    }
  }).pipe(Effect.provide(Mending.kernel(telling.stage.user, telling.first)))

/** Parts 4 to 6. */
const lookBack = ({ stage, filename, taskId }: Telling, resumed: { ended: number; isWritten: boolean }) =>
  Effect.gen(function* () {
    const subject = { filename, taskId }
    const events = yield* Transcript.of(taskId)
    return [
      yield* LookingBack.why(stage, subject, resumed.ended, resumed.isWritten),
      yield* LookingBack.diff(stage, subject, events),
      yield* LookingBack.blame(stage, subject, events),
    ]
  })

/** Part 7: another model continues from the moment before the first one decided what to write. */
const fork = (telling: Telling, { position }: Crash.Killed) =>
  Effect.gen(function* () {
    const { stage, cast, answering, taskId } = telling
    const { part, show, say } = stage
    const at = Transcript.beforeDeciding(yield* Transcript.of(taskId), position)
    yield* part(
      "7  Would another model have done the same?",
      `In a fork, ${cast.other.model} continues from @${at}, where the file was not written yet, with all that was known then. It works in a fresh copy of the repository.`,
      "",
      `  kernel.fork(agent, { task: "${taskId}", at: ${at}, acceptUnrewound: true })`,
    )
    const kernel = yield* Kernel.Kernel
    const agent = yield* Mending.agent(stage.user, cast.other)
    const { position: head } = yield* (yield* EventLog.EventLog).head
    const going = kernel.fork(agent, { at, task: taskId, acceptUnrewound: true })
    let shown = head
    const showNews = (timeline: string) =>
      Effect.gen(function* () {
        const events = yield* Transcript.of(taskId, shown, timeline)
        shown = events.at(-1)?.position ?? shown
        yield* show(Transcript.lines(stage, events))
        yield* say("")
      })
    const onQuestion = ({ timeline }: Event) => showNews(timeline)
    const forked = yield* Effect.catchTag(
      Answering.during(stage, { ...answering, onQuestion }, head, going),
      "AgentFailed",
      ended(telling),
    )
    yield* say("")
    yield* showNews(forked.result.timeline)
    return forked
  }).pipe(Effect.provide(Mending.kernel(telling.stage.user, telling.forked)))
