/** The commands `hindcast note`, `star`, `tag` and `label`. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type About, Annotating } from "../../kernel/annotations/Annotating.ts"
import * as AnnotationSubject from "../../kernel/annotations/AnnotationSubject.ts"
import { userName } from "../../platform/user/Machine.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import * as Annotations from "../../projections/annotations/Annotations.ts"
import * as Labels from "../../projections/annotations/Labels.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import { defined } from "../../values/defined.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, flag, given, optionalText, TASK } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import { at } from "../terminal/Text.ts"
import * as Subject from "./Subject.ts"

const timeline = TimelineOption.timeline
const shared = { ...common, by: Subject.by, timeline }

const author = (by: Option.Option<string>): string => Option.getOrElse(by, userName)

const show = (json: boolean, events: ReadonlyArray<Event>, done: string, unchanged: string) =>
  Output.show(json, { events }, (style) =>
    events.length === 0
      ? [unchanged]
      : events.map((event) => `${done}: ${EventSummary.of(event)} ${style.dim(at(event.position))}`),
  )

const text = argument("text", "The note").pipe(Args.optional)

const noteOptions = {
  ...shared,
  subject: Subject.subject,
  text,
  correct: optionalText("correct", "The position of the note that this one corrects, as `hindcast notes` prints it"),
  remove: flag("remove", "Remove a note instead: SUBJECT is its own position, as `hindcast notes` prints it"),
}

export const note = Command.make("note", noteOptions, ({ log, json, subject, text, correct, remove, ...typed }) =>
  Effect.gen(function* () {
    const service = yield* Annotating
    const by = author(typed.by)
    if (remove) {
      if (Option.isSome(text)) return yield* new BadInput({ input: "--remove", expected: "no TEXT", found: "one" })
      const annotation = yield* Subject.positionOf("SUBJECT", subject)
      return yield* show(json, yield* service.remove({ annotation, by }), "Removed", "")
    }
    if (Option.isNone(text)) return yield* new BadInput({ input: "TEXT", expected: "a note", found: "none" })
    const about = yield* Subject.resolved(subject, typed.timeline)
    const replaces = Option.isNone(correct) ? undefined : yield* Subject.positionOf("--correct", correct.value)
    const events = yield* service.note({ ...about, by, text: text.value, ...defined({ replaces }) })
    yield* show(json, events, "Noted", "")
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Add a note to a moment or a task, correct one, or remove one"))

const starOptions = {
  ...shared,
  subject: Subject.subject,
  remove: flag("remove", "Take your star away"),
}

export const star = Command.make("star", starOptions, ({ log, json, subject, remove, ...typed }) =>
  Effect.gen(function* () {
    const service = yield* Annotating
    const by = author(typed.by)
    const about = yield* Subject.resolved(subject, typed.timeline)
    if (!remove) {
      return yield* show(json, yield* service.star({ ...about, by }), "Starred", `You have starred ${subject} already.`)
    }
    const own = yield* ownOf("star", by, about)
    const events = yield* Effect.forEach(own, (star) => service.remove({ annotation: star.at, by }))
    yield* show(json, events.flat(), "Removed", `You have not starred ${subject}.`)
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Star a moment or a task: an example to keep"))

const tagOptions = {
  ...shared,
  task: argument("task", TASK),
  tags: argument("tag", "The tags").pipe(Args.repeated),
  remove: flag("remove", "Remove the tags instead"),
}

export const tag = Command.make("tag", tagOptions, ({ log, json, task, tags, remove, ...typed }) =>
  Effect.gen(function* () {
    if (tags.length === 0) return yield* new BadInput({ input: "TAG", expected: "at least one tag", found: "none" })
    const on = given({ timeline: typed.timeline })
    const options = { task: yield* Ids.task(task), by: author(typed.by), tags, remove, ...on }
    const events = yield* (yield* Annotating).tag(options)
    const unchanged = remove ? "The task has no such tag." : "The task has these tags already."
    yield* show(json, events, remove ? "Untagged" : "Tagged", unchanged)
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Tag a task, or remove tags of it; `task ls --tag` and `task.tags` select by them"))

const labelOptions = {
  ...shared,
  subject: Subject.subject,
  labels: argument("label", "pass, fail or NAME=VALUE: pass or fail, a number, or a category in words").pipe(
    Args.repeated,
  ),
  comment: optionalText("comment", "The reason"),
  target: optionalText("target", "The answer that would have been right, for data sets"),
  remove: flag("remove", "Withdraw your labels of these names instead; pass names the label pass or fail"),
}

export const label = Command.make("label", labelOptions, ({ log, json, subject, labels, remove, ...typed }) =>
  Effect.gen(function* () {
    if (labels.length === 0)
      return yield* new BadInput({ input: "LABEL", expected: "pass, fail or NAME=VALUE", found: "none" })
    const service = yield* Annotating
    const by = author(typed.by)
    const about = yield* Subject.resolved(subject, typed.timeline)
    if (remove) {
      const own = (yield* ownOf("label", by, about)).filter(({ measure = "" }) => labels.includes(measure))
      const events = yield* Effect.forEach(own, (one) => service.remove({ annotation: one.at, by }))
      return yield* show(json, events.flat(), "Removed", `You have no such label on ${subject}.`)
    }
    const judgements = yield* Effect.forEach(labels, judgementOf)
    const said = given({ comment: typed.comment, target: typed.target })
    const events = yield* Effect.forEach(judgements, (judgement) =>
      service.label({ ...about, by, ...judgement, ...said }),
    )
    yield* show(json, events.flat(), "Labelled", "")
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Judge a task or a moment: pass, fail, a score or a category. Labels of tasks are score sets for `hindcast compare`",
  ),
)

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["pass", true],
  ["fail", false],
])

/** Reads `pass`, `fail` or `NAME=VALUE`. */
const judgementOf = (typed: string) =>
  Effect.gen(function* () {
    const bare = WORDS.get(typed)
    if (bare !== undefined) return { measure: Labels.PASS, value: bare }
    const equals = typed.indexOf("=")
    const [measure, value] = [typed.slice(0, equals), typed.slice(equals + 1)]
    if (equals < 1 || value === "") {
      const expected = "pass, fail or NAME=VALUE, such as helpful=0.8 or error=wrong-tool"
      return yield* new BadInput({ input: "LABEL", expected, found: `"${typed}"` })
    }
    return { measure, value: WORDS.get(value) ?? (NUMBER.test(value) ? Number(value) : value) }
  })

/** A decimal number. Other texts are categories. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?$/i

/** A person's annotations of a kind about a subject. */
const ownOf = (kind: Annotations.Annotation["kind"], by: string, about: About) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const subject = yield* AnnotationSubject.resolve(log, about)
    return Annotations.listed(yield* AnnotationList.state(log)).filter(
      (one) => one.kind === kind && one.by === `human:${by}` && Annotations.isSame(one.subject, subject),
    )
  })
