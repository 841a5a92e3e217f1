/** Follows the log: passes live events to the studio, and reconnects after a loss of the connection. */
import type { Live, Question } from "../../wire/Asking.ts"
import { SourceFailed } from "../source/Source.ts"
import type { Studio } from "./Studio.ts"

/** Initial and maximum wait before a reconnection, in milliseconds. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 5_000

/** Failures after which only another token or session helps. */
export const ENDED_SESSION: ReadonlyArray<string> = ["Unauthorized", "SignedOut"]

export type Connection = "live" | "lost"

/**
 * Follows while the page is open. Fails with `SourceFailed` if another server, with another token, has taken over the
 * address.
 */
export const followLive = async (studio: Studio, onConnection: (connection: Connection) => void): Promise<void> => {
  const { follow } = studio.source
  if (follow === null) return
  let wait = FIRST_WAIT
  for (;;) {
    try {
      const abort = new AbortController()
      await follow(
        "live",
        { after: studio.head.value },
        (event) => {
          onConnection("live")
          wait = FIRST_WAIT
          take(studio, event.name, event.data)
        },
        abort.signal,
      )
    } catch (cause) {
      if (cause instanceof SourceFailed && ENDED_SESSION.includes(cause.code)) throw cause
      // After any other failure, the bar shows the loss, and the loop reconnects.
    }
    onConnection("lost")
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = Math.min(LONGEST_WAIT, wait * 2)
  }
}

const take = (studio: Studio, name: string, data: unknown): void => {
  switch (name) {
    case "entries":
      takeEntries(studio, data as Live)
      return
    case "questions":
      studio.questions.value = data as ReadonlyArray<Question>
      return
    case "indexed":
      studio.indexed.value = (data as { readonly indexed: number }).indexed
      return
    case "problem":
      studio.say((data as { readonly message: string }).message, true)
  }
}

const takeEntries = (studio: Studio, { entries, head }: Live): void => {
  const fresh = entries.filter(({ position }) => position > studio.head.value)
  studio.head.value = Math.max(studio.head.value, head)
  for (const course of studio.followed) course.append(fresh)
  const course = studio.history.value
  if (studio.following.value && course !== null && course.last !== studio.position.value) {
    studio.position.value = course.last
    void course.load(course.last)
  }
  const ofTasks = fresh.filter(({ type }) => TASKS.includes(type))
  if (ofTasks.length > 0) studio.tasksVersion.value += 1
  // A scoring or a fork belongs to no task, but may concern the visited one.
  if (ofTasks.some(({ task }) => task === null || task === course?.course.task))
    studio.refresh().catch((cause: unknown) => studio.fail(cause))
  if (fresh.some(({ type }) => ANNOTATIONS.includes(type)))
    studio.annotated.reload().catch((cause: unknown) => studio.fail(cause))
  if (fresh.some(({ type }) => type === "PayloadShredded"))
    studio.forget().catch((cause: unknown) => studio.fail(cause))
  for (const { type, line } of fresh)
    if (ENDED.includes(type) && studio.address.value.screen === "questions") studio.say(`${type}: ${line}`)
}

/** Event types that end a question, which tell the reader why it is gone. */
const ENDED = ["ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"]

/** Event types that change what people said. */
const ANNOTATIONS = ["NoteAdded", "TagAdded", "TagRemoved", "Starred", "Labelled", "AnnotationRemoved"]

/** Event types that change a list of tasks. */
const TASKS = [
  "TaskOpened",
  "TaskClosed",
  "TaskPaused",
  "TaskContinued",
  "ScoringFinished",
  "ScoreSetPromoted",
  "TimelineForked",
]
