/**
 * The story of `hindcast demo --live`: an agent mends a failing test, its kernel is killed, the next one goes on, and
 * another model is given the same moment. Without `--model`, the models' turns were written by hand.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect, Option } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as Hindcast from "../../../kernel/Hindcast.ts"
import { Kernel } from "../../../kernel/Kernel.ts"
import type { WantedTier } from "../../../plugins/sandbox/Tier.ts"
import { quoteWord } from "../../../values/ShellWord.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import { userAsActor } from "../../command/CurrentUser.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as Prompter from "../../task/Prompter.ts"
import { count } from "../../terminal/Text.ts"
import * as IntactLog from "../IntactLog.ts"
import * as Narrator from "../Narrator.ts"
import * as NextSteps from "../NextSteps.ts"
import * as Answering from "./Answering.ts"
import * as Comparing from "./Comparing.ts"
import * as Crash from "./Crash.ts"
import * as LiveSteps from "./LiveSteps.ts"
import * as Mending from "./Mending.ts"
import * as Repository from "./Repository.ts"
import * as TaskEvents from "./TaskEvents.ts"

/** The default path of the log. */
const LOG = path.join(".hindcast", "demo-live.db")

/** What was typed. */
export interface LiveInput {
  readonly log: Option.Option<string>
  readonly json: boolean
  readonly sandbox: WantedTier
  readonly directory: Option.Option<string>
  readonly model: Option.Option<string>
  readonly otherModel: Option.Option<string>
}

/** The agent did not write the file, so there is nothing to tell on. The task and its log stay. */
export class StoryEnded extends Data.TaggedError("StoryEnded")<{
  readonly taskId: string
  readonly log: string
  readonly found: string
}> {
  override get message() {
    return `The demo's task ${this.taskId}: expected its agent to write the file that it asked for, found ${this.found}. \`hindcast audit ${quoteWord(this.taskId)} --log ${quoteWord(this.log)}\` shows it.`
  }
}

/** Tells the story, part by part. */
export const tell = ({ log, json, sandbox, directory, model, otherModel }: LiveInput) =>
  Effect.gen(function* () {
    const filename = yield* OpenLog.fileOf(Option.orElseSome(log, () => process.env.HINDCAST_LOG || LOG))
    const narrator = json ? Narrator.silent : Narrator.onOutput()
    const cast = castOf(model, otherModel)
    // A missing package or key is found before anything is recorded.
    yield* Effect.forEach([cast.first, cast.other], Mending.agent, { discard: true })
    const place = yield* Repository.place(directory)
    fs.mkdirSync(path.dirname(filename), { recursive: true })
    const told: Telling = {
      ...{ narrator, filename, cast },
      first: { filename, sandbox, directory: yield* Repository.copyInto(place, "repository") },
      forked: { filename, sandbox, directory: yield* Repository.copyInto(place, "forked") },
      answering: { filename, askPerson: !json && Prompter.isPossible(), isScripted: cast.isScripted },
    }
    yield* printStart(told)
    const killed = yield* Effect.provide(crash(told), logOf(told))
    const resumed = yield* resume(told, killed)
    const forked = yield* fork(told, killed)
    const compared = yield* Effect.provide(compare(told, forked), logOf(told))
    const story = { filename, taskId: killed.taskId, timeline: forked.timeline, cast: cast.first }
    const next = LiveSteps.suggestions({ ...story, written: resumed.written })
    yield* NextSteps.show(narrator, next)
    if (!json) return
    const { pid, taskId, position } = killed
    const { timeline, worlds, audit } = forked
    yield* Output.show(
      json,
      {
        ...{ log: filename, scripted: cast.isScripted, models: [cast.first.model, cast.other.model], taskId },
        ...{ killed: { pid, position }, resumed, fork: { timeline, at: forked.at, worlds, audit }, ...compared, next },
      },
      () => [],
    )
  }).pipe(Effect.scoped)

interface Cast {
  readonly first: Mending.Cast
  readonly other: Mending.Cast
  /** Whether the turns were written by hand. */
  readonly isScripted: boolean
}

const castOf = (model: Option.Option<string>, other: Option.Option<string>): Cast => {
  const asked = (name: string): Mending.Cast => ({ model: name, cassette: null })
  if (Option.isSome(model)) {
    const second = Option.getOrElse(other, () => model.value)
    return { first: asked(model.value), other: asked(second), isScripted: false }
  }
  return { first: Mending.scripted("careful"), other: Mending.scripted("hasty"), isScripted: true }
}

interface Telling {
  readonly narrator: Narrator.Narrator
  readonly filename: string
  readonly cast: Cast
  /** Where the first two kernels work, and where the fork's does. */
  readonly first: Mending.Place
  readonly forked: Mending.Place
  readonly answering: Answering.Answering
}

const logOf = ({ filename, first }: Telling) =>
  Hindcast.layerLog({ log: filename, workspace: first.directory, actor: userAsActor() })

const printStart = ({ narrator: { say, style }, filename, cast }: Telling) =>
  Effect.gen(function* () {
    yield* say(`${style.bold("Hindcast's live demo")}. Its log: ${CommandHints.shortest(filename)}`)
    yield* cast.isScripted
      ? say(
          `${style.warn("scripted")}: no language model is asked. The turns of ${cast.first.model} and ${cast.other.model}`,
          "were written by hand, and a request that they do not foresee fails. All else happens as you see it.",
          "Their tokens and cost are unknown.",
        )
      : say(`${cast.first.model} is asked, and for the fork ${cast.other.model}. This costs what they cost.`)
  })

/** Part 1: the first kernel, until it is killed. */
const crash = ({ narrator, cast, first, answering }: Telling) =>
  Effect.gen(function* () {
    const { part, say, show, style } = narrator
    yield* part(
      "1  An agent looks for the fault, and its kernel is killed",
      "A small repository has a failing test. The agent runs the tests and reads the files by two tools of this",
      "program; it writes by the plugin workspace, which a person must allow. The kernel is a process of its own.",
    )
    yield* show((yield* Effect.promise(() => Repository.runTests(first.directory))).output.split("\n"))
    const { position } = yield* (yield* EventLog).head
    const killed = yield* Crash.startAndKill({ place: first, cast: cast.first }, position)
    yield* say("")
    yield* show(TaskEvents.lines(style, yield* TaskEvents.of(killed.taskId)))
    yield* say(
      `${style.bad("SIGKILL")}: the kernel, process ${killed.pid}, is gone while its agent waits for an answer.`,
    )
    yield* part(
      "2  The question stands, and the next kernel goes on",
      "A question to a person is in the log, bound to what is shown; an answer counts although no kernel runs.",
      "The next kernel leads the agent over what is recorded: no answered request is made again.",
    )
    if (!answering.askPerson) yield* Answering.answer(narrator, answering.isScripted, killed.question)
    return killed
  })

/** Why the agent failed. A script does not foresee that a person refuses. */
const ended =
  (taskId: string, { isScripted }: Cast) =>
  ({ message }: { readonly message: string }) =>
    Effect.gen(function* () {
      const { name: log } = yield* EventLog
      const events = yield* TaskEvents.of(taskId)
      const isRefused =
        isScripted && events.some((event) => is(event, "ConfirmationDecided") && !event.payload.approved)
      const found = isRefused ? "that a person refused it, which the model's script does not foresee" : message
      return yield* new StoryEnded({ taskId, log, found })
    })

/** Part 2: the second kernel ends the task. */
const resume = ({ narrator, cast, first, answering }: Telling, { taskId, position }: Crash.Killed) =>
  Effect.gen(function* () {
    const { show, say, style } = narrator
    const kernel = yield* Kernel
    const agent = yield* Mending.agent(cast.first)
    const after = answering.askPerson ? position - 1 : position
    const audit = yield* Answering.during(narrator, answering, after, kernel.tasks.resume(taskId, agent)).pipe(
      Effect.catchTag("AgentFailed", ended(taskId, cast)),
    )
    const events = yield* TaskEvents.of(taskId)
    const written = events.find((event) => is(event, "CommandSucceeded") && event.position > position)
    if (written === undefined) {
      const { name: log } = yield* EventLog
      return yield* new StoryEnded({ taskId, log, found: "that nothing was written" })
    }
    const once = TaskEvents.once(events)
    yield* show(
      TaskEvents.lines(
        style,
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
  }).pipe(Effect.provide(Mending.kernel(first)))

/** Part 3: another model goes on from the moment before the first one decided what to write. */
const fork = ({ narrator, cast, forked: place, answering }: Telling, { taskId, position }: Crash.Killed) =>
  Effect.gen(function* () {
    const { part, show, style } = narrator
    yield* part(
      "3  Another model is given the same moment",
      `A fork: ${cast.other.model} goes on from before the file was written, with all that was known then.`,
      "No plugin can take a real directory back, so the fork works in a fresh copy of the repository.",
    )
    const kernel = yield* Kernel
    const agent = yield* Mending.agent(cast.other)
    const at = TaskEvents.beforeDeciding(yield* TaskEvents.of(taskId), position)
    const { position: head } = yield* (yield* EventLog).head
    const going = kernel.fork(agent, { at, task: taskId, acceptUnrewound: true })
    const forked = yield* Effect.catchTag(
      Answering.during(narrator, answering, head, going),
      "AgentFailed",
      ended(taskId, cast),
    )
    const events = yield* TaskEvents.of(taskId, head, forked.timeline)
    yield* show(TaskEvents.lines(style, events))
    const tests = yield* Effect.promise(() => Repository.runTests(place.directory))
    yield* show(["", ...tests.output.split("\n")])
    return forked
  }).pipe(Effect.provide(Mending.kernel(place)))

/** Parts 4 to 6: what only reads the log, or appends scores. */
const compare = ({ narrator }: Telling, forked: Parameters<typeof Comparing.align>[1]) =>
  Effect.gen(function* () {
    yield* narrator.part("4  Both, event by event", "The task as it was, and its fork: where they part, and how.")
    const alignment = yield* Comparing.align(narrator, forked)
    yield* narrator.part(
      "5  Both scored again by a rubric",
      "The rubric examples/rubrics/mending.yaml asks how the tests came to pass: new rules over old events, and",
      "nothing is run again.",
    )
    const rescored = yield* Comparing.rescore(narrator, forked)
    return {
      alignment,
      rescored,
      verify: yield* IntactLog.verify(narrator, "6  Is the log intact?", "Also after a kernel that was killed."),
    }
  })
