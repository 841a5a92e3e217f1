/** How often a process that has calls to answer is asked whether its event loop still turns. */
const ASKED_EVERY_MS = 250

/** The niceness of one that does not give way: the least share that there is. */
export const LEAST = 19

export interface Watching {
  /** Whether calls are open: nobody else is asked. */
  readonly isBusy: () => boolean
  readonly ping: (onAnswer: () => void) => void
  /** What it has while it gives way. */
  readonly niceness: number
  readonly setNiceness: (niceness: number) => "done" | "too often"
}

/**
 * Has a process stand back for as long as it keeps its event loop to itself: among plugins of one niceness, those that spin
 * would let the others wait for whole slices of the scheduler (measured beside four of them on two cores: 3.9 ms of 0.2).
 * Answers how to stop. Not every user may undo it: then the process stays behind.
 */
export const watch = ({ isBusy, ping, niceness, setNiceness }: Watching): (() => void) => {
  let asked = false
  let standsBack = false
  const timer = setInterval(() => {
    // One that has ended has no open calls: its id may be another process's by now.
    if (!isBusy()) return
    if (asked && !standsBack) standsBack = setNiceness(Math.max(niceness, LEAST)) === "done"
    if (asked) return
    asked = true
    ping(() => {
      asked = false
      if (!standsBack) return
      standsBack = false
      setNiceness(niceness)
    })
  }, ASKED_EVERY_MS).unref()
  return () => clearInterval(timer)
}
