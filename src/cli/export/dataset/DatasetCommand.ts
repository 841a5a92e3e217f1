/** The command `hindcast export dataset`: starred, tagged or labelled tasks and moments as examples. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import * as Annotations from "../../../projections/annotations/Annotations.ts"
import * as Dataset from "../../../projections/exports/Dataset.ts"
import { encode } from "../../../projections/exports/Encoder.ts"
import { addressOf } from "../../../values/StepAddress.ts"
import { NothingListed } from "../../command/BadInput.ts"
import { common, flag, oneOf, repeatedText } from "../../command/CommonOptions.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import { count, size } from "../../terminal/Text.ts"
import * as ExportSummary from "../ExportSummary.ts"
import * as OutputFile from "../OutputFile.ts"
import * as OutputFormat from "../OutputFormat.ts"

/** The first is the default. */
export const FORMATS = ["jsonl", "inspect"] as const

const options = {
  ...common,
  ...OutputFile.outputOptions,
  star: flag("star", "Starred tasks and moments. The default, without --tag and --label"),
  tag: repeatedText("tag", "Only tasks with this tag, and their moments"),
  label: repeatedText("label", "Only tasks and moments with this label: NAME, or NAME=VALUE such as pass=fail"),
  format: oneOf("format", FORMATS).pipe(
    Options.withDescription("jsonl or inspect (the samples of Inspect's json_dataset). Default: jsonl"),
    Options.optional,
  ),
  timeline: TimelineOption.timeline,
  decrypt: OpenLog.decrypt,
}

export const dataset = Command.make(
  "dataset",
  options,
  ({ log: named, json, output, force, format: typed, timeline, decrypt, ...chosen }) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { id: logId, ...head } = yield* identified(log)
      const format = yield* OutputFormat.choose(output, typed, FORMATS)
      const all = yield* AnnotationList.load(log)
      const subjects = subjectsOf(all, chosen)
      if (subjects.length === 0) {
        return yield* new NothingListed({
          expected: "a task or a moment that fits --star, --tag and --label",
          found: `none among ${count(all.length, "annotation")}`,
        })
      }
      const counts = { examples: 0, withTarget: 0, outsideTasks: 0 }
      const examples = Stream.fromIterable(subjects).pipe(
        Stream.mapEffect((subject) => exampleOf(log, logId, subject, all)),
        Stream.tap((example) =>
          Effect.sync(() => {
            if (example === null) counts.outsideTasks += 1
            else counts.examples += 1
            if (example?.target != null) counts.withTarget += 1
          }),
        ),
        Stream.map((example) => (example === null ? [] : [example])),
      )
      const encoder = format === "inspect" ? Dataset.inspect : Dataset.lines
      const written = yield* OutputFile.writeAll({ file: output, force, log: log.name }, encode(encoder, examples))
      const summary = { ...written, format, ...counts, head }
      yield* ExportSummary.printSummary({ output, json }, summary, summaryLine(summary))
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(named, { decrypted: decrypt }))),
).pipe(
  Command.withDescription(
    "Write starred, tagged or labelled tasks and moments as examples: input, target, and what people said (JSON Lines, Inspect)",
  ),
)

/** The head of the log, and the id of its first event, which tells logs apart. */
const identified = (log: EventLog.Service) =>
  Effect.gen(function* () {
    const [first] = yield* log.readPage({}, 1)
    return { ...(yield* log.head), id: first?.id ?? null }
  })

interface Chosen {
  readonly star: boolean
  readonly tag: ReadonlyArray<string>
  readonly label: ReadonlyArray<string>
}

/** The subjects that fit all options, each once, in the order of their positions. */
const subjectsOf = (
  all: ReadonlyArray<Annotations.Annotation>,
  { star, tag, label }: Chosen,
): ReadonlyArray<Annotations.Subject> => {
  const needsStar = star || (tag.length === 0 && label.length === 0)
  const tags = AnnotationList.tagsOf(all)
  const candidates = new Map<string, Annotations.Subject>()
  for (const { subject } of all) candidates.set(JSON.stringify([subject.task, subject.moment]), subject)
  return [...candidates.values()].filter((subject) => {
    const own = all.filter((one) => Annotations.isSame(one.subject, subject))
    const hasLabel = own.some((one) => one.kind === "label" && label.some((wanted) => isLabel(one, wanted)))
    const isTagged = tag.some((wanted) => (tags.get(subject.task ?? "") ?? []).includes(wanted))
    // Only with tags alone, a task is an example without an annotation that says so; its moments are not.
    const isAsked = needsStar || label.length > 0 || subject.moment === null
    return (
      isAsked &&
      (!needsStar || own.some(({ kind }) => kind === "star")) &&
      (tag.length === 0 || isTagged) &&
      (label.length === 0 || hasLabel)
    )
  })
}

const isLabel = ({ measure = "", value }: Annotations.Annotation, wanted: string): boolean => {
  if (measure === wanted) return true
  const word = typeof value === "boolean" ? (value ? "pass" : "fail") : String(value)
  return `${measure}=${word}` === wanted
}

/** The example of a subject; null for a moment outside all tasks, which has no input. */
const exampleOf = (
  log: EventLog.Service,
  logId: string | null,
  subject: Annotations.Subject,
  all: ReadonlyArray<Annotations.Annotation>,
) =>
  Effect.gen(function* () {
    const { task, moment } = subject
    if (task === null) return null
    const conversation = new Dataset.Conversation()
    let last: Event | undefined
    let answered = false
    const query = { timeline: log.timeline, taskId: task, ...(moment === null ? {} : { until: moment }) }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) {
        last = event
        // A task as a whole asks what came before its first answer; a moment, what came before it.
        answered ||= moment === null && Dataset.isAnswer(event)
        if (!answered && !(event.position === moment && Dataset.isAnswer(event))) conversation.take(event)
      }
    })
    const own = all.filter((one) => Annotations.isSame(one.subject, subject))
    const tags = all.filter((one) => one.kind === "tag" && one.subject.task === task && one.subject.moment === null)
    const labels = own.filter(({ kind }) => kind === "label")
    const example: Dataset.Example = {
      id: moment === null ? task : `${task}${addressOf(moment)}`,
      input: conversation.messages,
      target: Dataset.targetOf(labels),
      metadata: {
        log: path.basename(log.name),
        logId,
        task,
        timeline: subject.timeline,
        position: moment ?? last?.position ?? 0,
        moment: moment === null ? null : (last?.type ?? null),
        ...Dataset.saidOf([...own.filter(({ kind }) => kind !== "tag"), ...tags]),
      },
    }
    return example
  })

interface Summary extends OutputFile.Written {
  readonly examples: number
  readonly withTarget: number
  readonly outsideTasks: number
}

const summaryLine = ({ examples, withTarget, outsideTasks, file, bytes }: Summary): string =>
  [
    `Exported ${count(examples, "example")} (${size(bytes)}) to ${file}, ${withTarget} with a target.`,
    ...(outsideTasks === 0
      ? []
      : [`${count(outsideTasks, "moment")} outside all tasks had no input and was left out.`]),
  ].join(" ")
