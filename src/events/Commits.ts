import { Effect } from "effect"

/** Tells those who follow a log in this process that something was committed. Telling costs little where nobody listens. */
export interface Commits {
  readonly announce: () => void
  /** Listens from the call on: the effect succeeds at the first announcement after it. */
  readonly next: () => Effect.Effect<void>
}

export const make = (): Commits => {
  let announcement: Announcement | undefined
  return {
    announce: () => {
      const made = announcement
      announcement = undefined
      made?.make()
    },
    next: () => {
      announcement ??= newAnnouncement()
      return announcement.heard
    },
  }
}

interface Announcement {
  readonly make: () => void
  readonly heard: Effect.Effect<void>
}

const newAnnouncement = (): Announcement => {
  let make: () => void = () => undefined
  const made = new Promise<void>((resolve) => {
    make = resolve
  })
  return { make: () => make(), heard: Effect.promise(() => made) }
}
