/**
 * The story of `hindcast demo --live`: an agent mends a failing test, its kernel is killed, the next one goes on, and
 * another model is given the same moment. Without `--model`, the models' turns were written by hand.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { EventLog, Hindcast, Kernel, Vocabulary } from "hindcast"
import * as IntactLog from "../IntactLog.ts"
import type { Stage } from "../Stage.ts"
import { count, showSteps } from "../Words.ts"
import * as Answering from "./Answering.ts"
import * as Comparing from "./Comparing.ts"
import * as Crash from "./Crash.ts"
import * as LiveSteps from "./LiveSteps.ts"
import * as Mending from "./Mending.ts"
import * as Repository from "./Repository.ts"
import * as TaskEvents from "./TaskEvents.ts"

/** What the story is told with. */
export interface StoryOptions {
  /** The log's file. It may exist. */
  readonly filename: string
  /** A directory for the copies of the repository. */
  readonly directory: string
  readonly sandbox: Mending.Place["sandbox"]
  /** A provider's models to ask, as `provider/model`. Default: the turns that were written by hand. */
  readonly models?: { readonly first: string; readonly other: string }
  /** Whether the user is asked. Otherwise the demo answers. */
  readonly askPerson: boolean
}

/** The agent did not write the file, so there is nothing to tell on. The task and its log stay. */
export class StoryEnded extends Data.TaggedError("StoryEnded")<{
  readonly taskId: string
  readonly found: string
  /** The command that shows the task. */
  readonly command: string
}> {
  override get message() {
    return `The demo's task ${this.taskId}: expected its agent to write the file that it asked for, found ${this.found}. \`${this.command}\` shows it.`
  }
}

/** Tells the story, part by part. Returns what happened, as a document. */
export const tell = (stage: Stage, { filename, directory, sandbox, models, askPerson }: StoryOptions) =>
  Effect.gen(function* () {
    const { user } = stage
    const cast = castOf(models)
    // A missing package or key is found before anything is recorded.
    yield* Effect.forEach([cast.first, cast.other], (member) => Mending.agent(user, member), { discard: true })
    fs.mkdirSync(path.dirname(filename), { recursive: true })
    const told: Telling = {
      stage,
      filename,
      cast,
      first: { filename, sandbox, directory: yield* Repository.copyInto(directory, "repository") },
      forked: { filename, sandbox, directory: yield* Repository.copyInto(directory, "forked") },
      answering: { filename, askPerson, isScripted: cast.isScripted },
    }
    yield* printStart(told)
    const killed = yield* Effect.provide(crash(told), logOf(told))
    const resumed = yield* resume(told, killed)
    const forked = yield* fork(told, killed)
    const compared = yield* Effect.provide(compare(told, forked), logOf(told))
    const { pid, taskId, position } = killed
    const { timeline, worlds, audit } = forked
    const story = { filename, taskId, timeline, cast: cast.first, written: resumed.written }
    const next = LiveSteps.suggestions(user, story)
    yield* showSteps(stage, next)
    return {
      log: filename,
      scripted: cast.isScripted,
      models: [cast.first.model, cast.other.model],
      taskId,
      killed: { pid, position },
      resumed,
      fork: { timeline, at: forked.at, worlds, audit },
      ...compared,
      next,
    }
  })

interface Cast {
  readonly first: Mending.Cast
  readonly other: Mending.Cast
  /** Whether the turns were written by hand. */
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
  /** Where the first two kernels work, and where the fork's does. */
  readonly first: Mending.Place
  readonly forked: Mending.Place
  readonly answering: Answering.Answering
}

const logOf = ({ stage, filename, first }: Telling) =>
  Hindcast.layerLog({ log: filename, workspace: first.directory, actor: stage.user.actor })

const printStart = ({ stage: { say, style, user }, filename, cast }: Telling) =>
  Effect.gen(function* () {
    yield* say(`${style.bold("Hindcast's live demo")}. Its log: ${user.path(filename)}`)
    yield* cast.isScripted
      ? say(
          `${style.warn("scripted")}: no language model is asked. The turns of ${cast.first.model} and ${cast.other.model}`,
          "were written by hand, and a request that they do not foresee fails. All else happens as you see it.",
          "Their tokens and cost are unknown.",
        )
      : say(`${cast.first.model} is asked, and for the fork ${cast.other.model}. This costs what they cost.`)
  })

/** Part 1: the first kernel, until it is killed. */
const crash = ({ stage, cast, first, answering }: Telling) =>
  Effect.gen(function* () {
    const { part, say, show, style } = stage
    yield* part(
      "1  An agent looks for the fault, and its kernel is killed",
      "A small repository has a failing test. The agent runs the tests and reads the files by two tools of this",
      "program; it writes by the plugin workspace, which a person must allow. The kernel is a process of its own.",
    )
    yield* show((yield* Effect.promise(() => Repository.runTests(first.directory))).output.split("\n"))
    const { position } = yield* (yield* EventLog.EventLog).head
    const killed = yield* Crash.startAndKill(stage, { place: first, cast: cast.first }, position)
    yield* say("")
    yield* show(TaskEvents.lines(stage, yield* TaskEvents.of(killed.taskId)))
    yield* say(
      `${style.bad("SIGKILL")}: the kernel, process ${killed.pid}, is gone while its agent waits for an answer.`,
    )
    yield* part(
      "2  The question stands, and the next kernel goes on",
      "A question to a person is in the log, bound to what is shown; an answer counts although no kernel runs.",
      "The next kernel leads the agent over what is recorded: no answered request is made again.",
    )
    if (!answering.askPerson) yield* Answering.answer(stage, answering.isScripted, killed.question)
    return killed
  })

const storyEnded = ({ user }: Stage, taskId: string, found: string) =>
  Effect.flatMap(
    EventLog.EventLog,
    ({ name }) => new StoryEnded({ taskId, found, command: user.written("audit", taskId, "--log", name) }),
  )

/** Why the agent failed. A script does not foresee that a person refuses. */
const ended =
  ({ stage, cast: { isScripted } }: Pick<Telling, "stage" | "cast">, taskId: string) =>
  ({ message }: { readonly message: string }) =>
    Effect.gen(function* () {
      const events = yield* TaskEvents.of(taskId)
      const isRefused =
        isScripted && events.some((event) => Vocabulary.is(event, "ConfirmationDecided") && !event.payload.approved)
      const found = isRefused ? "that a person refused it, which the model's script does not foresee" : message
      return yield* storyEnded(stage, taskId, found)
    })

/** Part 2: the second kernel ends the task. */
const resume = ({ stage, cast, first, answering }: Telling, { taskId, position }: Crash.Killed) =>
  Effect.gen(function* () {
    const { show, say } = stage
    const kernel = yield* Kernel.Kernel
    const agent = yield* Mending.agent(stage.user, cast.first)
    const after = answering.askPerson ? position - 1 : position
    const audit = yield* Answering.during(stage, answering, after, kernel.tasks.resume(taskId, agent)).pipe(
      Effect.catchTag("AgentFailed", ended({ stage, cast }, taskId)),
    )
    const events = yield* TaskEvents.of(taskId)
    const written = events.find((event) => Vocabulary.is(event, "CommandSucceeded") && event.position > position)
    if (written === undefined) {
      return yield* storyEnded(stage, taskId, "that nothing was written")
    }
    const once = TaskEvents.once(events)
    yield* show(
      TaskEvents.lines(
        stage,
        events.filter((event) => event.position > position),
      ),
    )
    yield* say(
      "",
      `${count(once.asked, "request")} and ${count(once.answered, "answer")} of the model; ${count(once.dispatched, "command")} dispatched, ${once.dispatchedTwice} of them twice.`,
    )
    const tests = yield* Effect.promise(() => Repository.runTests(first.directory))
    yield* show(tests.output.split("\n"))
    return { written: written.position, ...once, testsPass: tests.passed, audit }
  }).pipe(Effect.provide(Mending.kernel(stage.user, first)))

/** Part 3: another model goes on from the moment before the first one decided what to write. */
const fork = ({ stage, cast, forked: place, answering }: Telling, { taskId, position }: Crash.Killed) =>
  Effect.gen(function* () {
    const { part, show } = stage
    yield* part(
      "3  Another model is given the same moment",
      `A fork: ${cast.other.model} goes on from before the file was written, with all that was known then.`,
      "No plugin can take a real directory back, so the fork works in a fresh copy of the repository.",
    )
    const kernel = yield* Kernel.Kernel
    const agent = yield* Mending.agent(stage.user, cast.other)
    const at = TaskEvents.beforeDeciding(yield* TaskEvents.of(taskId), position)
    const { position: head } = yield* (yield* EventLog.EventLog).head
    const going = kernel.fork(agent, { at, task: taskId, acceptUnrewound: true })
    const forked = yield* Effect.catchTag(
      Answering.during(stage, answering, head, going),
      "AgentFailed",
      ended({ stage, cast }, taskId),
    )
    const events = yield* TaskEvents.of(taskId, head, forked.timeline)
    yield* show(TaskEvents.lines(stage, events))
    const tests = yield* Effect.promise(() => Repository.runTests(place.directory))
    yield* show(["", ...tests.output.split("\n")])
    return forked
  }).pipe(Effect.provide(Mending.kernel(stage.user, place)))

/** Parts 4 to 6: what only reads the log, or appends scores. */
const compare = ({ stage }: Telling, forked: Parameters<typeof Comparing.align>[1]) =>
  Effect.gen(function* () {
    yield* stage.part("4  Both, event by event", "The task as it was, and its fork: where they part, and how.")
    const alignment = yield* Comparing.align(stage, forked)
    yield* stage.part(
      "5  Both scored again by a rubric",
      "The rubric examples/rubrics/mending.yaml asks how the tests came to pass: new rules over old events, and",
      "nothing is run again.",
    )
    const rescored = yield* Comparing.rescore(stage, forked)
    return {
      alignment,
      rescored,
      verify: yield* IntactLog.verify(stage, "6  Is the log intact?", "Also after a kernel that was killed."),
    }
  })
