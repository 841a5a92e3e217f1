/** Follows the log: hands what comes to the studio, and connects again where the server went away. */
import type { Live, Question } from "../../wire/Asking.ts"
import { SourceFailed } from "../source/Source.ts"
import type { Studio } from "./Studio.ts"

/** How long to wait before connecting again, in milliseconds: at first, and at most. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 5_000

/** The connection, as the bar shows it. */
export type Connection = "live" | "lost"

/** Follows for as long as the page is open. Fails with `SourceFailed` where the server is another one, which has another token. */
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
      if (cause instanceof SourceFailed && cause.code === "Unauthorized") throw cause
      // Whatever else broke it off, the bar says so, and it is begun again.
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
  // A scoring and a fork belong to no task: they may be of the one that is shown.
  if (ofTasks.some(({ task }) => task === null || task === course?.course.task))
    studio.refresh().catch((cause: unknown) => studio.fail(cause))
  if (fresh.some(({ type }) => type === "PayloadShredded"))
    studio.forget().catch((cause: unknown) => studio.fail(cause))
  for (const { type, line } of fresh)
    if (ENDED.includes(type) && studio.address.value.screen === "questions") studio.say(`${type}: ${line}`)
}

/** The types of events by which a question ends, for somebody who looks at it to know why it is gone. */
const ENDED = ["ConfirmationDecided", "ConfirmationExpired", "ConfirmationWithdrawn"]

/** The types of events that change what a list says of tasks. */
const TASKS = [
  "TaskOpened",
  "TaskClosed",
  "TaskPaused",
  "TaskContinued",
  "ScoringFinished",
  "ScoreSetPromoted",
  "TimelineForked",
]
