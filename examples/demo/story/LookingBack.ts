/**
 * The commands that look back at the story: why, what changed, which event, which model, how well, and whether the log
 * is intact.
 */
import { Effect } from "effect"
import { type Event, EventLog, Vocabulary } from "hindcast"
import { inPackage } from "../../PackageFiles.ts"
import type { Stage } from "../Stage.ts"
import { at } from "../Words.ts"

export const RUBRIC = inPackage("examples", "rubrics", "mending.yaml")

export interface Subject {
  readonly filename: string
  readonly taskId: string
}

const MAX_LINES = 9

const on = ({ user }: Stage, { filename }: Subject) => ["--log", user.path(filename)]

/** Shows why the agent's command ended as it did. */
export const why = (stage: Stage, subject: Subject, position: number, wasWritten: boolean) =>
  Effect.zipRight(
    stage.part(
      `4  Why was the file ${wasWritten ? "" : "not "}written?`,
      "Each event names the one that caused it: the result, the gate, the person, the decision, what the agent had read.",
    ),
    stage.shell(["why", at(position), ...on(stage, subject)], { most: MAX_LINES, cut: true }),
  )

/** Shows the differences between the agent's first look and the task's end. */
export const diff = (stage: Stage, subject: Subject, events: ReadonlyArray<Event>) =>
  Effect.zipRight(
    stage.part(
      "5  What changed while the agent worked?",
      "Hindcast computes the state at any moment from the log, and the difference of two moments.",
    ),
    stage.shell(["diff", at(firstLook(events)), at(last(events)), ...on(stage, subject)], { cut: true }),
  )

/** Shows the event that set a value: the tests' last result, or the goal if the agent never looked. */
export const blame = (stage: Stage, subject: Subject, events: ReadonlyArray<Event>) =>
  Effect.zipRight(
    stage.part("6  Which event set a value?", "Every value leads to the event that set it."),
    stage.shell(["blame", `/tasks/${subject.taskId}/${pathIn(events)}`, ...on(stage, subject)], { cut: true }),
  )

const looks = (events: ReadonlyArray<Event>) => events.filter((event) => Vocabulary.is(event, "SensorRead"))

const last = (events: ReadonlyArray<Event>): number => events.at(-1)?.position ?? 0

const firstLook = (events: ReadonlyArray<Event>): number => {
  const [first, second] = looks(events)
  return (second === undefined ? events[0] : first)?.position ?? 0
}

const pathIn = (events: ReadonlyArray<Event>): string =>
  looks(events).length === 0 ? "goal" : "readings/program~1tests/passing"

/** Shows where the task and its fork diverge. */
export const align = (stage: Stage, subject: Subject, timeline: string) =>
  stage.shell(["align", subject.taskId, `${timeline}@${subject.taskId}`, "--limit", "6", ...on(stage, subject)], {
    cut: true,
  })

/** Scores the task and its fork again, without running anything. Earlier scores stay. */
export const rescore = (stage: Stage, subject: Subject, timeline: string) =>
  Effect.gen(function* () {
    yield* stage.part(
      "8  Which one did better, by rules written today?",
      "The rubric rewards tests that pass and punishes a changed test. It scores what is recorded: neither agent runs again.",
    )
    const scored = (name: string) => [
      ...["rescore", "--rubric", stage.user.path(RUBRIC), "--task", subject.taskId],
      ...(name === EventLog.MAIN ? [] : ["--timeline", name]),
      ...on(stage, subject),
    ]
    return [yield* stage.shell(scored(EventLog.MAIN)), yield* stage.shell(scored(timeline))]
  })

export const verify = (stage: Stage, subject: Subject) =>
  Effect.zipRight(
    stage.part("9  Is the log intact?", "The events form a hash chain: a changed, missing or moved event breaks it."),
    stage.shell(["log", "verify", ...on(stage, subject)], { most: 2 }),
  )
