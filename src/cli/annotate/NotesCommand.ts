/** The command `hindcast notes`: lists the notes, stars, tags and labels of a log. */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as AnnotationSubject from "../../kernel/annotations/AnnotationSubject.ts"
import * as AnnotationList from "../../projections/annotations/AnnotationList.ts"
import type { Annotation } from "../../projections/annotations/Annotations.ts"
import * as Labels from "../../projections/annotations/Labels.ts"
import { common, optionalText, someOf } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as AnnotationLines from "../pages/annotations/AnnotationLines.ts"
import * as Subject from "./Subject.ts"

const KINDS = ["note", "star", "tag", "label"] as const

const options = {
  ...common,
  subject: Subject.subject.pipe(Args.optional),
  kind: someOf("kind", KINDS).pipe(Options.withDescription("Only annotations of this kind")),
  by: optionalText("by", "Only annotations of this person"),
  search: optionalText("search", "Only annotations with this text, in any case"),
  timeline: TimelineOption.timeline,
}

export const notes = Command.make("notes", options, ({ log: file, json, subject, kind, by, search, timeline }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const isAbout = Option.isNone(subject) ? () => true : yield* aboutOnly(log, subject.value)
    const text = Option.map(search, (typed) => typed.toLowerCase())
    const annotations = (yield* AnnotationList.load(log)).filter(
      (one) =>
        isAbout(one) &&
        (kind.length === 0 || kind.includes(one.kind)) &&
        Option.match(by, { onNone: () => true, onSome: (name) => one.by === `human:${name}` || one.by === name }) &&
        Option.match(text, {
          onNone: () => true,
          onSome: (words) => Labels.said(one).toLowerCase().includes(words),
        }),
    )
    yield* Output.show(json, { annotations }, (style) =>
      annotations.length === 0
        ? ["There are no such notes, stars, tags or labels."]
        : AnnotationLines.table(style, annotations),
    )
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(file))),
).pipe(
  Command.withDescription(
    "List notes, stars, tags and labels: of all the log, of a task with its moments, or of a moment",
  ),
)

/** Selects the annotations of a moment, or of a task and its moments. */
const aboutOnly = (log: EventLog.Service, typed: string) =>
  Effect.gen(function* () {
    const { task, moment } = yield* AnnotationSubject.resolve(log, yield* Subject.resolved(typed, Option.none()))
    return ({ subject }: Annotation) => (moment === null ? subject.task === task : subject.moment === moment)
  })
